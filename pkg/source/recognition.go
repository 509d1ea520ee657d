package source

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source/openclaw"
)

// A name suggests a transcript, and a record proves it. Everything that reads files asks the functions below: Find for
// all files of a folder, Select for those that a name selects, and Lookup for a file or stream that is an argument.

// A NotTranscriptError says that a file or a stream that was named is not a transcript.
type NotTranscriptError struct {
	Path  string
	First *jsonl.Damage // of its first line; nil if that is a record of another program
	// IsCut is set if only the beginning of the text was looked at.
	IsCut bool
	// IsBinary is set if it is not a text at all.
	IsBinary bool
	// LooksLike says what it is instead, or "" if nobody knows.
	LooksLike string
}

// FailureAt says how to look at what the file has instead.
func (e *NotTranscriptError) FailureAt(string) *failure.Error {
	hint := e.First.Command(e.Path)
	if e.IsBinary && hint != "" {
		hint = failure.Command("head", "-c", "200", e.Path) + " | cat -v"
	}
	return failure.New(failure.NotTranscript, "%v", e).At(e.Path).WithHint(hint)
}

// where says how much was looked at, if that is not everything.
func (e *NotTranscriptError) where() string {
	if e.IsCut {
		return " in the first 64 MiB"
	}
	return ""
}

func (e *NotTranscriptError) Error() string {
	if e.LooksLike != "" {
		return "not a transcript: it looks like " + e.LooksLike
	}
	if e.First != nil {
		return "not a transcript: none of its lines" + e.where() + " is a record"
	}
	return "not a transcript: none of its records" + e.where() + " is one of " + programs()
}

// programs names all programs whose transcripts are read.
func programs() string {
	titles := dialect.Titles()
	last := len(titles) - 1
	return strings.Join(titles[:last], ", ") + " or " + titles[last]
}

// IsTranscript reports whether the session is a transcript by its content. It looks at the beginning, once. What is in
// a database is one, because it was stored as one, and so is what cannot be read: reading it will say why.
func (s *Session) IsTranscript() bool {
	return s.recognize(false).IsTranscript
}

// IsBlank reports whether the session has blank lines only, or none. It looks at the beginning, once, and a stream
// still gives all of its text afterwards. What cannot be read is not blank.
func (s *Session) IsBlank() bool { return s.recognize(false).IsBlank }

// recognize looks at the beginning of a session, once. With its end, it also finds out the time of the last record.
func (s *Session) recognize(withEnd bool) jsonl.Recognition {
	switch {
	case s.recognition != nil:
	case s.InDatabase || s.byContent || s.open == nil:
		s.recognition = &jsonl.Recognition{IsTranscript: true}
	default:
		found := jsonl.Recognition{IsTranscript: true}
		s.preview(func(text io.Reader) {
			if f, err := jsonl.Recognize(text, s.coldRow()); err == nil {
				found = f
			}
			if found.IsTranscript && withEnd {
				s.readEnd(text)
			}
		})
		s.recognition = &found
	}
	return *s.recognition
}

// Illegible returns the error of a session that is not a transcript and has no line that can be read as a record of any
// program, and nil for every other. It must be called before the session is opened. A stream is never looked at,
// because what was seen of it would have to be kept.
func (s *Session) Illegible() *NotTranscriptError {
	if s.recognition == nil && s.isStream() {
		return nil
	}
	if found := s.recognize(false); found.IsTranscript || !found.IsIllegible {
		return nil
	}
	return s.notTranscript()
}

func (s *Session) notTranscript() *NotTranscriptError {
	found := s.recognition
	return &NotTranscriptError{s.Path, found.First, found.IsCut, found.IsBinary, found.LooksLike}
}

// coldRow returns what recognizes a cold archive by its rows, nil for any other file.
func (s *Session) coldRow() func(*jsonl.Record) bool {
	if !isColdArchive(s.AbsolutePath()) {
		return nil
	}
	return openclaw.IsColdRow
}

// isStream reports whether the text can be read only once.
func (s *Session) isStream() bool {
	if s.open == nil {
		return false
	}
	in, err := s.open()
	if err != nil {
		return false
	}
	if in.isRegular {
		in.Close()
		return false
	}
	s.open = func() (*Input, error) { return in, nil }
	file, ok := in.Reader.(io.Seeker)
	if ok {
		_, err = file.Seek(0, io.SeekCurrent)
	}
	return !ok || err != nil
}

// preview shows the text to a function that may stop anywhere. A session that cannot be reopened still gives all of its
// text afterwards.
func (s *Session) preview(look func(io.Reader)) {
	in, err := s.open()
	switch {
	case err != nil:
		return
	case in.isRegular:
		look(in)
		in.Close()
		return
	}
	if file, ok := in.Reader.(io.Seeker); ok {
		if start, err := file.Seek(0, io.SeekCurrent); err == nil {
			look(in)
			_, err = file.Seek(start, io.SeekStart)
			s.open = func() (*Input, error) { return in, err }
			return
		}
	}
	var seen bytes.Buffer
	look(io.TeeReader(in.Reader, &seen))
	in.Reader = io.MultiReader(&seen, in.Reader)
	s.open = func() (*Input, error) { return in, nil }
}

// dropOthers takes the files out of a place that are named like transcripts and are none.
func (w *walker) dropOthers() {
	if w.opts.NamesOnly || w.opts.ByName {
		return
	}
	look := func(_ context.Context, _ any, i int) error {
		w.place.Sessions[i].recognize(w.opts.Ends)
		return nil
	}
	if parallel.Run(w.ctx, len(w.place.Sessions), 0, noState, look) != nil {
		return // the search was canceled
	}
	w.drop(func(s *Session) bool { return !s.IsTranscript() && !s.recognition.IsIllegible })
}

// dropIllegible takes out the files that are named like transcripts and have no line that can be read, such as after a
// power cut. Those that an index lists were transcripts, and stay.
func (w *walker) dropIllegible() {
	if w.opts.NamesOnly || w.opts.ByName || w.ctx.Err() != nil {
		return
	}
	for _, s := range w.place.Sessions {
		if s.recognition != nil && s.Listed {
			s.recognition.IsTranscript = true
		}
	}
	w.drop(func(s *Session) bool { return !s.IsTranscript() })
}

// drop takes files out of a place, and names them as skipped.
func (w *walker) drop(isOther func(*Session) bool) {
	for _, s := range w.place.Sessions {
		if isOther(s) {
			w.place.Skipped = append(w.place.Skipped,
				SkippedFile{Path: s.Path, Type: suffix, Unrecognized: true})
		}
	}
	w.place.Sessions = slices.DeleteFunc(w.place.Sessions, isOther)
	for _, f := range w.folders {
		maps.DeleteFunc(f.files, func(_ string, s *Session) bool { return isOther(s) })
		maps.DeleteFunc(f.byID, func(_ string, s *Session) bool { return isOther(s) })
	}
}

// directMatch returns a match for a file or a stream that was named, unless it is not a transcript.
func directMatch(s *Session, q Query) (*Match, error) {
	if !q.AnyText {
		if found := s.recognize(false); !found.IsTranscript || q.Legible && found.IsIllegible {
			return nil, s.notTranscript()
		}
	}
	m := &Match{Sessions: []*Session{s}}
	m.addDirect(s)
	return m, nil
}
