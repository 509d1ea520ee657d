package search

import (
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// Best returns the lines of the best hits, with the name of the session where it changes, and below each hit the
// command that shows what is around it. command returns "" for a hit that cannot be shown.
func (l *Layout) Best(
	sessions []*source.Session, best []RankedHit, command func(s *source.Session, entry string) string,
) string {
	var b strings.Builder
	for i, h := range best {
		s := sessions[h.Session]
		if i == 0 || best[i-1].Session != h.Session {
			if i > 0 {
				b.WriteString("\n")
			}
			b.WriteString(l.Heading(s) + "\n")
		}
		b.WriteString(l.Line(h.Hit) + "\n")
		if words := command(s, h.Hit.Entry); words != "" {
			b.WriteString("    " + l.Term.Paint(ui.Dim, ui.EscapeLine(words)) + "\n")
		}
	}
	return b.String()
}

// InSessions counts the sessions of hits.
func InSessions(hits []RankedHit) int64 {
	sessions := map[int]bool{}
	for _, h := range hits {
		sessions[h.Session] = true
	}
	return int64(len(sessions))
}
