package source

import "context"

// Originals returns for every session that is a copy, or the beginning, of another one which that is. It reads only
// sessions that may be copies, by id or size, jobs of them at a time. A compressed session may have any size.
func Originals(ctx context.Context, sessions []*Session, jobs int) map[*Session]*Session {
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
	originals := map[*Session]*Session{}
	for i, f := range Inspect(ctx, candidates, jobs) {
		if f.CopyOf != nil {
			originals[candidates[i]] = f.CopyOf
		}
	}
	return originals
}
