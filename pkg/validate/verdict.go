package validate

import (
	"fmt"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/rebuild"
)

// A State says whether the program that wrote a session can continue it.
type State uint8

// Empty means that there is nothing to send. Continues means that the API accepts the conversation as it is. Corrected
// means that the API accepts it after what the program corrects by itself whenever it sends a request. Stuck means that
// the program refuses the session, or that the API refuses what the program sends.
const (
	Empty State = iota
	Continues
	Corrected
	Stuck
)

var stateNames = [...]string{"empty", "continues", "corrected", "stuck"}

func (s State) String() string { return stateNames[s] }

// A Verdict says whether the program that wrote a session can continue it, with the API that the session uses. All
// commands that say so use it. What the programs correct is known from the real ones (rebuild/corrections.go). For the
// API that `clawctl rebuild --as` stands for, a session that Continues is one that `--strict` accepts, except for what
// is done to every request: copies of what was already said are left out, and the user speaks last.
type Verdict struct {
	State   State
	API     rebuild.API // that was asked
	Program string      // that sends the request, as people write its name

	// Reason is the first problem that makes a session stuck, or the first one that is corrected.
	Reason Reason
	// Refusal is the first problem because of which the API refuses the conversation as it is, without any correction.
	Refusal Reason
	// Corrections is how often the program corrects something.
	Corrections int
	// IsRefused is set if the program itself refuses a session that is stuck.
	IsRefused bool
	// Alone is why the program does not continue the session by itself, in its own words, or "". It goes on with the
	// session that started it, so that is no problem.
	Alone string
}

// A Reason is a problem at a place. The zero Reason is none.
type Reason struct {
	Code  failure.Code
	Line  int64
	Entry string // "" if the record has no id
}

// Answer is what the API says to the conversation as it is: accepted, refused, or empty if there is nothing to send.
func (v *Verdict) Answer() string {
	switch {
	case v.State == Empty:
		return "empty"
	case v.Refusal == (Reason{}):
		return "accepted"
	}
	return "refused"
}

// add takes a problem into account. Problems in what is no longer sent do not matter.
func (v *Verdict) add(f rebuild.Fault, refused bool) {
	if f.Old {
		return
	}
	switch {
	case refused || f.Fix != nil && !f.Fix.Corrected:
		v.become(Stuck, f, refused)
	case isCorrection(f):
		v.Corrections++
		v.become(Corrected, f, false)
	}
	if f.Fix != nil && f.Code != rebuild.Mirror || f.Code == rebuild.RefusedDate {
		v.refuse(f)
	}
}

// isCorrection reports whether a program changes something because of a problem. It never sends copies of what was
// already said, and the next message of the user follows white space at the end.
func isCorrection(f rebuild.Fault) bool {
	return f.Fix != nil && f.Fix.Corrected && f.Code != rebuild.Mirror && f.Code != rebuild.OpenEnd
}

// become makes a problem the reason for a state, unless a worse one or one in an earlier line is.
func (v *Verdict) become(state State, f rebuild.Fault, refused bool) {
	if state > v.State || state == v.State && f.Line < v.Reason.Line {
		v.State, v.Reason, v.IsRefused = state, Reason{f.Code, f.Line, f.Entry}, refused
	}
}

// refuse makes a problem the reason why the API refuses the conversation as it is. The first fix by line counts, as in
// rebuild, and comes before a date that OpenClaw refuses.
func (v *Verdict) refuse(f rebuild.Fault) {
	isFirst := v.Refusal.Code == "" || v.Refusal.Code == rebuild.RefusedDate || f.Line < v.Refusal.Line
	if f.Fix != nil && isFirst || v.Refusal.Code == "" {
		v.Refusal = Reason{f.Code, f.Line, f.Entry}
	}
}

// String is the code and where it is: "CL301 on line 5".
func (r Reason) String() string {
	if r.Line == 0 {
		return string(r.Code)
	}
	return string(r.Code) + " on line " + ui.Thousands(r.Line)
}

// brief says in the middle of a sentence whether a session can be continued.
func (v *Verdict) brief() string {
	if v.Alone != "" && v.State != Stuck {
		return "it can be continued with the session that started it"
	}
	switch v.State {
	case Continues:
		return "it can be continued"
	case Corrected:
		return fmt.Sprintf("it can be continued: %s corrects %s", v.Program, v.Reason)
	case Stuck:
		return fmt.Sprintf("it cannot be continued (%s)", v.Reason)
	}
	return "there are no messages to send"
}

// Sentence says whether one session can be continued, without the full stop.
func (v *Verdict) Sentence() string {
	can := v.Program + " can continue this session with the " + v.API.Title()
	if v.Alone != "" {
		can = v.Program + " continues this session only with the one that started it: \"" + v.Alone + "\""
	}
	switch {
	case v.State == Continues:
		return can
	case v.State == Corrected && v.Corrections == 1:
		return fmt.Sprintf("%s. It corrects %s: %s", can, v.Reason, v.Reason.Code.Words())
	case v.State == Corrected:
		return fmt.Sprintf("%s. It corrects %s, the first is %s: %s", can, ui.Count(v.Corrections, "problem"), v.Reason,
			v.Reason.Code.Words())
	case v.State == Stuck && v.IsRefused:
		return fmt.Sprintf("%s refuses to continue this session, because of %s: %s", v.Program, v.Reason,
			v.Reason.Code.Words())
	case v.State == Stuck:
		return fmt.Sprintf("This session cannot be continued. The %s refuses what %s sends, because of %s: %s",
			v.API.Title(), v.Program, v.Reason, v.Reason.Code.Words())
	}
	return "There are no messages to send"
}

// Refuse returns the failure of a transcript that cannot be continued, or nil.
func (v *Verdict) Refuse(path string) error {
	if v.State != Stuck {
		return nil
	}
	e := failure.New(v.Reason.Code, "").At(path).WithExit(failure.ExitFindings).
		WithHint("clawctl explain " + string(v.Reason.Code))
	e.Line = v.Reason.Line
	return e
}
