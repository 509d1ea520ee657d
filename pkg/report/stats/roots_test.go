package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The roots of keys are those that following the parents one by one leads to, in chains, trees and circles.
func TestRoots(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		parents, n := map[string]string{}, 1+r.IntN(12)
		key := func() string { return fmt.Sprint(r.IntN(n)) }
		for range r.IntN(2 * n) {
			parents[key()] = key()
		}
		roots := map[string]string{}
		for range 2 * n {
			k := key()
			want, seen := k, map[string]bool{}
			for parents[want] != "" && !seen[want] {
				seen[want] = true
				want = parents[want]
			}
			if got := rootOf(k, parents, roots); got != want {
				t.Fatalf("the root of %s is %s instead of %s: %v", k, got, want, parents)
			}
		}
	}
}

// A chain of subagents is followed once, not once for each of them.
func TestRootsOfChain(t *testing.T) {
	const length = 100_000
	parents, roots := map[string]string{}, map[string]string{}
	for i := range length - 1 {
		parents[fmt.Sprint(i)] = fmt.Sprint(i + 1)
	}
	for i := range length {
		if got := rootOf(fmt.Sprint(i), parents, roots); got != fmt.Sprint(length-1) {
			t.Fatal(i, got)
		}
	}
}
