package source

import "context"

// Copies are sessions that are copies, or beginnings, of others, each with the one that it is a copy of.
type Copies map[*Session]*Session

// Folded returns the copies that a list of sessions may leave out, each with the one that it is folded into. A copy
// with a live key of its own stays, and so does one on another host, because it may be all that is known of that host.
func (c Copies) Folded(listed []*Session) Copies {
	isListed := make(map[*Session]bool, len(listed))
	for _, s := range listed {
		isListed[s] = true
	}
	folded := Copies{}
	for _, s := range listed {
		if first := c.first(s, isListed); first != s && first.Host == s.Host && !(s.Kind == Live && s.Listed) {
			folded[s] = first
		}
	}
	return folded
}

// first follows a copy to what it is a copy of, and so on, as far as the list has it.
func (c Copies) first(s *Session, isListed map[*Session]bool) *Session {
	for range isListed { // copies in a circle end too
		if !isListed[c[s]] {
			break
		}
		s = c[s]
	}
	return s
}

// Originals returns for every session that is a copy, or the beginning, of another one which that is. It reads only
// sessions that may be copies, by id or size, jobs of them at a time. A compressed session may have any size.
func Originals(ctx context.Context, sessions []*Session, jobs int) Copies {
	byID, bySize := map[string]int{}, map[int64]int{}
	for _, s := range sessions {
		byID[s.ID]++
		bySize[s.Bytes]++
	}
	var candidates []*Session
	for _, s := range sessions {
		if byID[s.ID] > 1 || bySize[s.Bytes] > 1 || isCompressedName(s.Path) {
			candidates = append(candidates, s)
		}
	}
	originals := Copies{}
	for i, f := range Inspect(ctx, candidates, jobs) {
		if f.CopyOf != nil {
			originals[candidates[i]] = f.CopyOf
		}
	}
	return originals
}
