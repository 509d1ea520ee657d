package source

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// ParseRecency reads the name of a session by recency: @last and @1 are the session that was used last, @2 to @9 those
// before it.
func ParseRecency(name string) (rank int, ok bool) {
	if name == "@last" {
		return 1, true
	}
	if len(name) == 2 && name[0] == '@' && name[1] >= '1' && name[1] <= '9' {
		return int(name[1] - '0'), true
	}
	return 0, false
}

// LastUsed is when a session was used last, as far as is known without reading it.
func (s *Session) LastUsed() time.Time { return cmp.Or(s.Entry.UpdatedAt, s.Modified) }

// byRecency returns the session of a rank, the newest being 1; none if there are fewer.
func byRecency(sessions []*Session, rank int) []*Session {
	sorted := slices.SortedStableFunc(slices.Values(sessions), func(a, b *Session) int {
		return b.LastUsed().Compare(a.LastUsed())
	})
	for i, s := range sorted {
		if !s.IsTranscript() {
			continue
		}
		if rank--; rank == 0 {
			return sorted[i : i+1]
		}
	}
	return nil
}

// An InexactError says that a name leads to a session, but is not the whole key or id that is needed to change it.
type InexactError struct {
	Session string // as it was given
	Name    string // the whole name
}

func (e *InexactError) Error() string {
	return fmt.Sprintf("%q is not a whole key or id", e.Session)
}
