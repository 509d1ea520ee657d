package search

import (
	"clawctl/internal/textid"
	"clawctl/internal/ui"
)

// Sums count what a search of several sessions finds. The same hit in copies and archives counts once.
type Sums struct {
	Limit        int   // of hits; 0 means none
	Hits, Copies int64 // a copy of a hit is not one
	Found        int64 // sessions with hits
	InSession    int64 // hits of the session at hand
	Unread       int64 // as in a Tally
	Unsearched   int64
	seen         map[textid.ID]bool
}

// Add counts a hit. It reports whether it is a new one.
func (s *Sums) Add(h Hit) bool {
	if s.seen[h.Content] {
		s.Copies++
		return false
	}
	if s.seen == nil {
		s.seen = map[textid.ID]bool{}
	}
	s.seen[h.Content] = true
	s.Hits++
	if s.InSession++; s.InSession == 1 {
		s.Found++
	}
	return true
}

// End counts what was read of a session, and begins the next one. It returns the number of hits.
func (s *Sums) End(t Tally) (hits int64) {
	s.Unread += t.Unread
	s.Unsearched += t.Unsearched
	hits, s.InSession = s.InSession, 0
	return hits
}

// IsEnough reports whether no more hits are wanted.
func (s *Sums) IsEnough() bool { return s.Limit > 0 && s.Hits == int64(s.Limit) }

// Sentence describes what was found in a number of sessions that were read.
func (s *Sums) Sentence(sessions int) string {
	if s.Hits == 0 {
		return "nothing found in " + ui.Count(sessions, "session") + s.leftOut()
	}
	text := ui.Count(s.Hits, "hit") + " in " + ui.Count(s.Found, "session")
	if s.Copies > 0 {
		text += " (not counting " + ui.Count(s.Copies, "copy") + ")"
	}
	if s.IsEnough() {
		text += ", stopped by --limit"
	}
	return text + s.leftOut()
}

// leftOut says where the pattern occurs but is not looked for.
func (s *Sums) leftOut() string {
	if s.Unsearched == 0 {
		return ""
	}
	return "; left out: " + ui.Count(s.Unsearched, "line") +
		" with it only in images, signatures or encrypted text"
}
