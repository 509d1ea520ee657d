package reading

import (
	"runtime"
	"runtime/debug"
	"sync"
)

// CollectLess makes the garbage collector come late, for work that makes much garbage and keeps little: when garbage is
// that many percent of what is kept. With 150, an import is a tenth faster for some 15 MB more, and with 200, a search
// is a twentieth faster for 5 MB. It returns what restores the old state.
func CollectLess(percent int) func() {
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}

// KeepSmall makes the garbage collector come early: an index is large and free of pointers, so that a collection takes
// a few milliseconds, and one that comes late doubles the memory. The larger the heap is, the smaller is the share of
// it that may be garbage. It returns what restores the old state, after the last of several runs at a time.
func KeepSmall() func() {
	small.Lock()
	defer small.Unlock()
	if small.runs++; small.runs == 1 {
		small.percent = mostGarbage
		small.before = debug.SetGCPercent(small.percent)
		if !small.waits {
			small.waits = true
			runtime.SetFinalizer(new(collection), (*collection).adjust)
		}
	}
	return func() {
		small.Lock()
		defer small.Unlock()
		if small.runs--; small.runs == 0 {
			debug.SetGCPercent(small.before)
		}
	}
}

// How much of a heap may be garbage: at most mostGarbage percent of what is in use, and above leastGarbage percent not
// more than garbageRoom bytes.
const (
	mostGarbage  = 30
	leastGarbage = 3
	garbageRoom  = 16 << 20
)

// mostIdle is how much memory the process may keep after a collection for what it allocates next. The tables of an
// index leave holes as they grow.
const mostIdle = 32 << 20

// A collection is an object that nothing refers to, so that its finalizer runs after the next collection of garbage.
type collection struct{ _ *byte }

// adjust sets what may be garbage until the next collection, and waits for that.
func (c *collection) adjust() {
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	percent := max(leastGarbage, min(mostGarbage, int(100*garbageRoom/max(1, heap.HeapAlloc))))
	if heap.HeapIdle-heap.HeapReleased > mostIdle {
		debug.FreeOSMemory()
	}
	small.Lock()
	defer small.Unlock()
	if small.waits = small.runs > 0; !small.waits {
		return
	}
	if percent != small.percent {
		small.percent = percent
		debug.SetGCPercent(percent)
	}
	runtime.SetFinalizer(c, (*collection).adjust)
}

// small is the state of the garbage collector, which a process has one of.
var small struct {
	sync.Mutex
	runs            int
	waits           bool // for the next collection
	before, percent int  // what the share of garbage was, and is
}
