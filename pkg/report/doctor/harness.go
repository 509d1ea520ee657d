package doctor

import (
	"slices"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/source"
	"clawctl/pkg/source/harness"
)

// harness says what became of the sessions of other programs that did the work of OpenClaw's sessions. Without Deep,
// only the conversations of small sessions are compared.
func (e *exam) harness() Result {
	counts, programs, left := map[source.BindingState]int{}, []string{}, int64(quickRead)
	for _, s := range e.home.Place.Sessions {
		if len(s.Bindings) == 0 {
			continue
		}
		if left -= s.Bytes + linkedBytes(s); e.Deep || left >= 0 {
			_ = harness.Judge(e.ctx, s) // a file that cannot be read stays found
		}
		for i := range s.Bindings {
			counts[s.Bindings[i].State]++
			programs = append(programs, s.Bindings[i].Title())
		}
	}
	if len(programs) == 0 {
		return Result{}
	}
	slices.Sort(programs)
	return e.harnessResult(counts, ui.List(slices.Compact(programs)))
}

// linkedBytes are the sizes of the files that the bindings of a session lead to.
func linkedBytes(s *source.Session) (n int64) {
	for _, b := range s.Bindings {
		if b.Session != nil {
			n += b.Session.Bytes
		}
	}
	return n
}

// harnessFaults are what is said about bindings that lead nowhere, or to another conversation.
var harnessFaults = []struct {
	state source.BindingState
	one   string
	many  string
}{
	{source.BindingOther, "session is bound to another conversation", "sessions are bound to other conversations"},
	{source.BindingMissing, "session is bound to a file that is not there",
		"sessions are bound to files that are not there"},
}

// harnessResult puts the numbers into words.
func (e *exam) harnessResult(counts map[source.BindingState]int, programs string) Result {
	r := Result{Status: Info, Command: e.clawctl("sessions", "--harness")}
	var words []string
	for _, f := range harnessFaults {
		switch n := counts[f.state]; {
		case n == 1:
			words = append(words, "1 "+f.one)
		case n > 1:
			words = append(words, ui.Thousands(int64(n))+" "+f.many)
		}
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	r.Message = programs + " did the work of " + ui.Count(total, "session") + "."
	if n := counts[source.BindingNotAllowed]; n > 0 {
		r.Message += " The files of " + ui.Count(n, "session") + " were not read."
	}
	if len(words) > 0 {
		r.Status = Warn
		r.Message += " " + strings.Join(words, "; ") + "."
	}
	return r
}
