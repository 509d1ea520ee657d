package showing

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// sessionFacts are what the first reading learns about a session, for the lines above a conversation.
type sessionFacts struct {
	Name        string // what the user calls it
	title       string
	naming      source.Naming
	origin      jsonl.Origin
	program     string // that wrote it, as people write it; "" if the dialect does not say
	models      []string
	first, last time.Time
	cwd         string  // of the first record that states one
	turns       []int64 // lines in which the user says something, in order
	counter     *stats.Counter
	err         error // of counting
}

// maxModels is how many models are named.
const maxModels = 4

// takeTurn notes the beginning of a turn.
func (f *sessionFacts) takeTurn(rec *jsonl.Record) {
	if parts.StartsTurn(rec) {
		f.turns = append(f.turns, rec.Line)
	}
}

// takeTitle notes the name that a record gives the session.
func (f *sessionFacts) takeTitle(rec *jsonl.Record) {
	f.naming.Take(rec)
	f.title = f.naming.Name()
}

// takeOrigin notes where the session of a program that works for OpenClaw ran.
func (f *sessionFacts) takeOrigin(rec *jsonl.Record) {
	if p := rec.Translator(); p != nil && p.Origin != nil && !f.origin.IsKnown() {
		f.program, f.origin = p.Title, rec.Origin()
	}
}

// place is the program and the folder in which it worked, if they are worth a line.
func (f *sessionFacts) place() []string {
	if f.program == "" {
		return nil
	}
	words := []string{f.program}
	if f.origin.Folder != "" {
		words = append(words, f.origin.Folder)
	}
	if branch := f.origin.Branch; branch != "" && branch != detachedHead {
		words = append(words, "branch "+branch)
	}
	return words
}

// detachedHead is what programs note as the branch if there is none.
const detachedHead = "HEAD"

// take notes everything, and returns what the record adds to the sums: nil if it adds nothing.
func (f *sessionFacts) take(ctx context.Context, rec *jsonl.Record) *stats.Tally {
	var added *stats.Tally
	if f.err == nil {
		added, f.err = f.counter.Add(ctx, rec)
	}
	if !rec.Legible() {
		return added
	}
	f.takeTurn(rec)
	if f.cwd == "" {
		f.cwd = rec.Origin().Folder
	}
	if t, ok := rec.Time(); ok {
		if f.first.IsZero() || t.Before(f.first) {
			f.first = t
		}
		if t.After(f.last) {
			f.last = t
		}
	}
	f.takeTitle(rec)
	f.takeOrigin(rec)
	if msg, ok := rec.Message(); ok {
		f.takeMessage(msg)
	}
	return added
}

func (f *sessionFacts) takeMessage(msg jsonl.Message) {
	model := msg.Model()
	if model != "" && !msg.IsMirror() && !slices.Contains(f.models, model) && len(f.models) <= maxModels {
		f.models = append(f.models, model)
	}
}

// startsTurn reports whether a turn begins in a line.
func (f *sessionFacts) startsTurn(line int64) bool {
	_, found := slices.BinarySearch(f.turns, line)
	return found
}

// titleOf is what a session is called.
func (f *sessionFacts) titleOf(s *source.Session) string {
	return cmp.Or(f.title, s.Title(), f.Name)
}

// NameOf is what the user calls a session: the file that was named, or its key.
func NameOf(s *source.Session, operands []string) string {
	switch {
	case s.Path == "-" || s.Path == cli.StdinName:
		return "stdin"
	case !s.Listed && slices.Contains(operands, s.Path):
		return filepath.Base(s.Path)
	}
	return s.Name()
}

// names are the key, the agent and the models.
func (f *sessionFacts) names(s *source.Session) []string {
	var words []string
	for _, word := range []string{f.Name, agentWords(s)} {
		if word != "" && word != f.titleOf(s) {
			words = append(words, word)
		}
	}
	if n := len(f.models); n > maxModels {
		return append(words, strings.Join(f.models[:maxModels], ", ")+", …")
	}
	return append(words, f.models...)
}

// agentWords name the agent, unless the key does.
func agentWords(s *source.Session) string {
	if s.Agent == "" || !s.Listed || strings.Contains(s.Key, ":"+s.Agent+":") {
		return ""
	}
	return "agent " + s.Agent
}

// figures are the times, and the sums.
func (f *sessionFacts) figures(zone *time.Location) []string {
	var words []string
	if !f.first.IsZero() {
		words = append(words, timeSpan(f.first.In(zone), f.last.In(zone)))
	}
	t := f.counter.Total()
	words = append(words, ui.Count(t.Messages, "message"), ui.Count(t.Turns, "turn"))
	if t.UsageKnown() && t.Recorded.Total > 0 { // some providers record zeros
		words = append(words, ui.Short(t.Recorded.Total)+" tokens")
	}
	if t.CostKnown() && t.Recorded.Total > 0 {
		words = append(words, ui.Dollars(t.Recorded.Cost))
	}
	return words
}

// timeSpan writes two times, the day of the second one only if it is another.
func timeSpan(from, to time.Time) string {
	switch {
	case ui.Minute(from) == ui.Minute(to):
		return ui.Minute(from)
	case from.Format(time.DateOnly) == to.Format(time.DateOnly):
		return ui.Minute(from) + " – " + to.Format("15:04")
	}
	return ui.Minute(from) + " – " + ui.Minute(to)
}

// resumeLines are the command that continues the session in its own program, for somebody at a terminal. A command that
// does not fit is broken where a shell reads on in the next line.
func (s *View) resumeLines(width int) []string {
	if !s.App.Output.Term.Is || s.transcript == nil {
		return nil
	}
	index := s.transcript.Index
	command := s.Session.Resume(index.Dialect, index.HeaderID(), s.Facts.cwd, s.App.Programs())
	if command == "" {
		return nil
	}
	line := ui.EscapeLine("resume: " + s.masked(command))
	if ui.Width(line) <= width {
		return []string{line}
	}
	return strings.Split(strings.Replace(line, " && ", " &&\n  ", 1), "\n")
}
