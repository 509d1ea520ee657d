package window

import (
	"fmt"

	"clawctl/pkg/rebuild"
)

// A Fill says how full a window is.
type Fill struct {
	Window   int64 // tokens
	Recorded int64 // size at the last answer that states one which counts for the program, or 0
	Counted  int64 // what followed, or everything
	Next     int64 // the message that is about to be sent

	Whole     int64 // everything, as if nothing had been recorded
	Estimated bool  // Counted and Whole are estimates of the program
	Stale     bool  // Recorded is from before the last compaction or reset
}

// Add adds the next entry of the context.
func (f *Fill) Add(m rebuild.Measurement) {
	size := int64(m.Size)
	f.Whole += size + int64(m.Correction)
	f.Estimated = f.Estimated || m.Estimated
	switch {
	case m.Barrier:
		f.Recorded, f.Counted, f.Stale = 0, f.Whole, false
	case m.Recorded > 0 && m.Trusted:
		f.Recorded, f.Counted, f.Stale = m.Recorded, 0, m.Retained
	case f.Recorded == 0:
		f.Counted += size + int64(m.Correction)
	case !m.Leads: // the summary of a compaction is before every answer
		f.Counted += size
	}
}

// Fresh returns the fill without a size from before the last compaction or reset. OpenClaw notes such a size in its
// next compaction, but does nothing because of it.
func (f Fill) Fresh() Fill {
	if f.Stale {
		f.Recorded, f.Counted, f.Stale = 0, f.Whole, false
	}
	return f
}

// Tokens returns the size of the context as the program states it.
func (f Fill) Tokens() int64 { return f.Recorded + f.Counted + f.Next }

// Current returns the size of the context that thresholds are compared with: Tokens, unless that is stale.
func (f Fill) Current() int64 { return f.Fresh().Tokens() }

// Percent returns how much of the window is full, to a tenth.
func (f Fill) Percent() float64 {
	return float64(int64(1000*float64(f.Current())/float64(f.Window)+0.5)) / 10
}

// Reaches reports whether the context is at or over a percentage of the window.
func (f Fill) Reaches(percent float64) bool { return f.Current() >= share(f.Window, percent) }

// NeedsCompaction reports whether less than the reserve is left in the window.
func (f Fill) NeedsCompaction(reserve int64) bool {
	return f.Current() >= compactionAt(f.Window, reserve)
}

// String says how full the window is, in the form used in system prompts.
func (f Fill) String() string {
	percent := 100 * float64(f.Current()) / float64(max(1, f.Window))
	return fmt.Sprintf("[Context: %s/%s tokens (%.0f%%)]", Thousands(f.Current()), Thousands(f.Window), percent)
}

// Thousands formats a number of tokens: 156k.
func Thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}

// share returns the number of tokens in a percentage of a window.
func share(window int64, percent float64) int64 { return int64(percent / 100 * float64(window)) }

// compactionAt returns the size at which a context must be compacted to keep the reserve free.
func compactionAt(window, reserve int64) int64 { return window - reserve }
