package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Go lets as much memory wait for the garbage collector as is in use. That is right for a small heap, but doubles the
// memory of a large one, such as the index of a transcript with a million empty records. A fixed limit
// (debug.SetMemoryLimit) is no alternative: a transcript that needs more than the limit is then read in twice the time.
const (
	maxGarbage = 64 << 20  // how much memory may wait while maxBounded or less is in use
	maxBounded = 256 << 20 // beyond it time counts for more than memory
)

// A garbageLimit is an object that nothing refers to, so that the garbage collector calls adjust every time it runs.
type garbageLimit struct {
	usual, percent int // for debug.SetGCPercent
	sample         []metrics.Sample
}

// limitGarbage makes the garbage collector run more often while much memory is in use, unless the user turned it off.
func limitGarbage() {
	usual := debug.SetGCPercent(100)
	debug.SetGCPercent(usual)
	if usual > 0 {
		g := &garbageLimit{usual: usual, percent: usual, sample: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}}
		runtime.SetFinalizer(g, (*garbageLimit).adjust)
	}
}

// adjust sets the limit by what was in use at the last collection, and waits for the next one.
func (g *garbageLimit) adjust() {
	metrics.Read(g.sample)
	if percent := garbagePercent(g.sample[0].Value.Uint64(), g.usual); percent != g.percent {
		g.percent = percent
		debug.SetGCPercent(percent)
	}
	runtime.SetFinalizer(g, (*garbageLimit).adjust)
}

// garbagePercent returns how much memory may wait, in percent of what is in use.
func garbagePercent(inUse uint64, usual int) int {
	if inUse > maxBounded {
		return usual
	}
	return int(min(uint64(usual), maxGarbage*100/max(inUse, 1)))
}
