package search

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"clawctl/pkg/source"
)

// SortNewestFirst sorts sessions by when they were last used, as far as that is known without reading them. What is
// left of a session's earlier states comes after the session itself, so that hits in copies are those of the session.
func SortNewestFirst(sessions []*source.Session) {
	used := map[*source.Session]time.Time{}
	live := map[string]time.Time{}
	for _, s := range sessions {
		if used[s] = lastUse(s); s.Kind == source.Live && s.Key != "" {
			live[s.Key] = used[s]
		}
	}
	for _, s := range sessions {
		if last, ok := live[s.Key]; ok && s.Kind != source.Live && used[s].After(last) {
			used[s] = last
		}
	}
	slices.SortStableFunc(sessions, func(a, b *source.Session) int {
		return cmp.Or(used[b].Compare(used[a]), cmp.Compare(a.Name(), b.Name()))
	})
}

// lastUse is when a session was used according to its registration, the name of its archive, or its file.
func lastUse(s *source.Session) time.Time {
	if s.Kind == source.Live {
		return s.LastUsed()
	}
	_, stamp, _ := strings.Cut(s.Generation, ".")
	if t, err := time.Parse("2006-01-02T15-04-05.000Z", stamp); err == nil {
		return t
	}
	return s.Modified
}
