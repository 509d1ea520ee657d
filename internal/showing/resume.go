package showing

import (
	"strings"

	"clawctl/internal/ui"
)

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
