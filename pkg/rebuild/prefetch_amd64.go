//go:build !purego

package rebuild

// prefetch makes the processor load a slot into its cache, without waiting for it.
//
//go:noescape
func prefetch(s *slot)
