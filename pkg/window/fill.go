package window

import (
	"fmt"

	"clawctl/pkg/rebuild"
)

// A Fill says how full a window is.
type Fill struct {
	Window   int64 // tokens
	Recorded int64 // size at the last answer, 0 if nothing was recorded since the last compaction
	Counted  int64 // what followed, or everything
	Next     int64 // the message that is about to be sent
}

// Add adds the next entry of the context.
func (f *Fill) Add(m rebuild.Measurement) {
	f.Counted += int64(m.Tokens)
	if f.Recorded == 0 {
		f.Counted += int64(m.Correction)
	}
	if m.Recorded > 0 && !m.Retained {
		f.Recorded, f.Counted = m.Recorded, 0
	}
}

// Tokens returns the size of the context.
func (f Fill) Tokens() int64 { return f.Recorded + f.Counted + f.Next }

// Percent returns how much of the window is full, to a tenth.
func (f Fill) Percent() float64 {
	return float64(int64(1000*float64(f.Tokens())/float64(f.Window)+0.5)) / 10
}

// Reaches reports whether the context is at or over a percentage of the window.
func (f Fill) Reaches(percent float64) bool { return f.Tokens() >= share(f.Window, percent) }

// NeedsCompaction reports whether less than the reserve is left in the window.
func (f Fill) NeedsCompaction(reserve int64) bool {
	return f.Tokens() >= compactionAt(f.Window, reserve)
}

// String says how full the window is, in the form used in system prompts.
func (f Fill) String() string {
	percent := 100 * float64(f.Tokens()) / float64(max(1, f.Window))
	return fmt.Sprintf("[Context: %s/%s tokens (%.0f%%)]", Thousands(f.Tokens()), Thousands(f.Window), percent)
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
