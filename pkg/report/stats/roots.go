package stats

import (
	"slices"

	"clawctl/pkg/source"
)

// rootsOf names the family of every session after the session that the others come from: its archives and forks share
// records with it, and its subagents were started by it. It is nil unless somebody asks for it.
func rootsOf(families []*Family, opts Options) map[*source.Session]string {
	asks := slices.Contains(opts.By, "family")
	for _, pair := range opts.Cross {
		asks = asks || slices.Contains(pair[:], "family")
	}
	if !asks {
		return nil
	}
	parents := parentKeys(families)
	roots := map[*source.Session]string{}
	for _, f := range families {
		for _, s := range f.Sessions {
			roots[s] = orUnknown(rootOf(f.Sessions[0].Key, parents))
		}
	}
	return roots
}

// parentKeys returns the key of the session that each key was started by or forked from.
func parentKeys(families []*Family) map[string]string {
	parents := map[string]string{}
	for _, f := range families {
		for _, s := range f.Sessions {
			if first := f.Sessions[0].Key; s.Key != first {
				parents[s.Key] = first
			}
		}
	}
	for _, f := range families {
		for _, s := range f.Sessions {
			if by := s.SpawnedBy(); by != "" && by != s.Key {
				parents[f.Sessions[0].Key] = by
			}
		}
	}
	return parents
}

// rootOf follows the parents of a key to the first one. Parents that lead in a circle end where they meet again.
func rootOf(key string, parents map[string]string) string {
	seen := map[string]bool{}
	for parents[key] != "" && !seen[key] {
		seen[key] = true
		key = parents[key]
	}
	return key
}
