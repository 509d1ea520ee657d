package search

import (
	"slices"
	"time"

	"clawctl/pkg/source"
)

// SortNewestFirst sorts sessions by when they were last used. What is left of a session's earlier states comes after
// the session itself, so that hits in copies are those of the session.
func SortNewestFirst(sessions []*source.Session) {
	source.ReadEnds(sessions)
	live := map[string]time.Time{}
	for _, s := range sessions {
		if s.Kind == source.Live && s.Key != "" {
			live[s.Key] = s.LastUsed()
		}
	}
	used := map[*source.Session]time.Time{}
	for _, s := range sessions {
		used[s] = s.LastUsed()
		if last, ok := live[s.Key]; ok && s.Kind != source.Live && used[s].After(last) {
			used[s] = last
		}
	}
	slices.SortStableFunc(sessions, func(a, b *source.Session) int {
		if by := used[b].Compare(used[a]); by != 0 || a.Key != b.Key {
			return by
		}
		return slices.Index(source.Kinds, a.Kind) - slices.Index(source.Kinds, b.Kind)
	})
}
