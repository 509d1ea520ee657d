package diff

import "slices"

// A Selection has the names of the kinds of differences that count. If it is empty, all of them do.
type Selection []string

// Wants reports whether a kind of difference counts.
func (s Selection) Wants(k Kind) bool { return len(s) == 0 || slices.Contains(s, k.String()) }

// Kinds are the kinds of differences that count.
func (s Selection) Kinds() []Kind {
	return slices.DeleteFunc(slices.Clone(Kinds), func(k Kind) bool { return !s.Wants(k) })
}

// KindsIn are the kinds of differences that count and occur in results.
func (s Selection) KindsIn(list []Result) []Kind {
	return slices.DeleteFunc(s.Kinds(), func(k Kind) bool {
		return !slices.ContainsFunc(list, func(r Result) bool { return r.Sums.Of(k) > 0 })
	})
}

// HasAny reports whether there is any difference that counts.
func (s Selection) HasAny(sums *Sums) bool {
	return slices.ContainsFunc(s.Kinds(), func(k Kind) bool { return sums.Of(k) > 0 })
}

// IsDifferent reports whether a pair has a difference that counts. A session that only one side has counts as removed
// or added. One that is live on one side only, and archived on the other, is a difference although it says the same.
func (s Selection) IsDifferent(r *Result) bool {
	switch {
	case r.Pair.B == nil:
		return s.Wants(Removed)
	case r.Pair.A == nil:
		return s.Wants(Added)
	}
	return s.HasAny(&r.Sums) || len(s) == 0 && r.Pair.A.Kind != r.Pair.B.Kind
}
