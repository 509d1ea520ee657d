package showing

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
)

// usualNearby is how many messages before and after an entry --around shows, as the flag --context says.
const usualNearby = 5

// A window is what is shown around an entry. A nil window is the whole session.
type window struct {
	messages      []int64 // the lines of all messages, in order
	entry         int64   // the line of the entry
	last          int     // the index in path of the last entry that is shown
	lastLine      int64
	before, after int // messages that are left out
}

// take notes whether a record is a message.
func (w *window) take(rec *jsonl.Record) {
	if w == nil || !rec.Legible() {
		return
	}
	if _, ok := rec.Message(); ok {
		w.messages = append(w.messages, rec.Line)
	}
}

func (w *window) isMessage(line int64) bool {
	_, found := slices.BinarySearch(w.messages, line)
	return found
}

// isMarked reports whether a line is that of the entry.
func (w *window) isMarked(line int64) bool { return w != nil && line == w.entry }

// isAfter reports whether an entry of the path comes after the last one that is shown.
func (w *window) isAfter(at int) bool { return w != nil && at > w.last }

// isPast reports whether a line comes after the last one that is shown, if the order is that of the file.
func (s *View) isPast(line int64) bool { return s.window != nil && line > s.window.lastLine }

// lookAround learns which entries are shown around that of --around: those of the path or, if it is on none, the lines
// of the file.
func (s *View) lookAround() {
	w := s.window
	lines, at := s.path, s.start
	w.entry = lines[at]
	if s.Options.All {
		w.entry = s.from
		lines = linesOf(s.marks)
		at = min(sort.Search(len(lines), func(i int) bool { return lines[i] >= s.from }), len(lines)-1)
	}
	n := cmp.Or(s.Options.Nearby, usualNearby)
	s.start, w.last = w.walk(lines, at, -1, n), w.walk(lines, at, 1, n)
	w.before, w.after = w.count(lines[:s.start]), w.count(lines[w.last+1:])
	w.lastLine = max(lines[w.last], w.entry)
	if w.last == len(lines)-1 {
		w.lastLine = math.MaxInt64 // a checkpoint or damage may follow
	}
	if s.Options.All {
		s.from = min(lines[s.start], w.entry)
	}
}

func linesOf(marks []rebuild.Node) []int64 {
	lines := make([]int64, len(marks))
	for i, m := range marks {
		lines[i] = m.Line
	}
	return lines
}

// walk goes from an index in one direction until it has passed some messages, and returns where that is.
func (w *window) walk(lines []int64, at, step, messages int) int {
	for messages > 0 && at+step >= 0 && at+step < len(lines) {
		if at += step; w.isMessage(lines[at]) {
			messages--
		}
	}
	return at
}

func (w *window) count(lines []int64) (n int) {
	for _, line := range lines {
		if w.isMessage(line) {
			n++
		}
	}
	return n
}

// leftOut says how many messages are left out at one end of a window, "" if there are none.
func leftOut(n int, where string) string {
	if n == 0 {
		return ""
	}
	return ui.Count(n, "message") + " " + where
}
