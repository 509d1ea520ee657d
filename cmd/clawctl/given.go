package main

import (
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// onlyTranscripts returns the sessions without those files and streams that were named and hold nothing to import. What
// was found in a place is a transcript by its name, and kept however damaged it is; what somebody names may be anything.
func (a *app) onlyTranscripts(f *found, worst *reported) []*source.Session {
	return slices.DeleteFunc(f.sessions, func(s *source.Session) bool { return f.given[s] && !a.isImportable(s, worst) })
}

// isImportable reports whether something that was named is a transcript, and says why not. An empty file is one, which
// may grow; an empty stream will not. What cannot be read is left to the import, which tells why.
func (a *app) isImportable(s *source.Session, worst *reported) bool {
	hasRecord, damage, err := a.firstLine(s)
	switch {
	case err != nil || hasRecord:
		return true
	case damage != nil:
		f := notTranscript(s.Path, damage)
		f.done = true // of the other sources nothing is missing
		a.blame(worst, f)
		return false
	case !opensAgain(s):
		a.note("%s is empty", s.Path)
		return false
	}
	return true
}

// firstLine reads up to the first record of a session; damage is that of the first damaged line before it.
func (a *app) firstLine(s *source.Session) (hasRecord bool, damage *jsonl.Damage, err error) {
	in, err := s.Open()
	if err != nil {
		return false, nil, err
	}
	defer in.Close()
	for rec, err := range jsonl.Records(in, jsonl.Options{BeforeRead: a.ctx.Err}) {
		switch {
		case err != nil:
			return false, nil, err
		case rec.Legible():
			return true, damage, nil
		case damage == nil:
			damage = rec.Damage // nil for a blank line
		}
	}
	return false, damage, nil
}
