package stats

import (
	"cmp"
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
	roots, ofKeys := map[*source.Session]string{}, map[string]string{}
	for _, f := range families {
		root := orUnknown(rootOf(f.Sessions[0].Key, parents, ofKeys))
		for _, s := range f.Sessions {
			roots[s] = root
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

// rootOf follows the parents of a key to the first one, and notes that in roots for every key on the way, so that none
// is followed twice. Parents that lead in a circle end where they meet again: each key of a circle is its own root.
func rootOf(key string, parents, roots map[string]string) string {
	passed := map[string]bool{}
	for roots[key] == "" && parents[key] != "" && !passed[key] {
		passed[key] = true
		key = parents[key]
	}
	root := cmp.Or(roots[key], key)
	if !passed[root] { // it is in no circle
		for below := range passed {
			roots[below] = root
		}
	}
	return root
}
