package doctor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/repair"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

// A reading is what reading a transcript once has shown.
type reading struct {
	damage    *validate.Finding // the first damaged line, or nil
	verdict   validate.Verdict  // can it be continued
	hasSecret bool
	err       error // it could not be read to its end
}

// readAll reads sessions, several at a time.
func (e *exam) readAll(task string, sessions []*source.Session) {
	e.reading(task, sessions)
	secretsOf := redact.NewFinder().Places
	read := func(_ context.Context, o *source.Opened) (validate.Result, error) {
		return validate.Session(o.Lines(), o.Session, validate.Selection{Secrets: secretsOf})
	}
	_ = source.Each(e.ctx, sessions, e.Jobs, read, func(i int, result validate.Result, err error) error {
		found := &reading{err: err, verdict: result.Verdict}
		for i := range result.Findings {
			found.add(&result.Findings[i])
		}
		e.read[sessions[i]] = found
		return nil
	}) // Examine looks at the context
}

func (r *reading) add(f *validate.Finding) {
	switch code := f.Rule.Code; {
	case code == validate.Secret:
		r.hasSecret = true
	case slices.Contains(jsonl.Codes, code) && r.damage == nil:
		r.damage = new(*f)
	}
}

// recentSessions is how many of the sessions used last are read.
const recentSessions = 10

// inUse returns the sessions that the gateway can continue, those used last first.
func (e *exam) inUse() []*source.Session {
	var list []*source.Session
	for _, s := range e.home.Place.Sessions {
		_, hasDatabase := e.agents[s.Agent]
		isHidden := slices.ContainsFunc(s.Problems, func(p source.Problem) bool { return p.Code == source.Unlisted })
		if s.Kind == source.Live && !isHidden && s.InDatabase == hasDatabase && (s.Bytes > 0 || !s.IsMeasured()) {
			list = append(list, s)
		}
	}
	source.SortByRecency(list)
	return list
}

// requests says which of the sessions used last cannot be continued.
func (e *exam) requests() Result {
	sessions, large := e.inUse(), 0
	if !e.Deep {
		sessions, large = e.limit(sessions[:min(recentSessions, len(sessions))])
		e.readAll("Reading", sessions)
	}
	stuck := e.inState(sessions, validate.Stuck)
	r := Result{Status: OK, Command: e.validate("--brief"), Message: e.describeSessions(sessions)}
	if len(sessions) == 0 {
		r.Command = e.clawctl("sessions")
	}
	if len(stuck) > 0 {
		r = e.describeStuck(stuck, len(sessions))
	}
	if large > 0 {
		r.Message += fmt.Sprintf(" %s too large to look at quickly.", ui.Are(large, "session"))
	}
	return r
}

// inState returns the sessions with a verdict.
func (e *exam) inState(sessions []*source.Session, state validate.State) []*source.Session {
	return slices.DeleteFunc(slices.Clone(sessions), func(s *source.Session) bool {
		return e.read[s] == nil || e.read[s].verdict.State != state
	})
}

// limit leaves out the sessions that are too large to be read quickly, and counts them.
func (e *exam) limit(sessions []*source.Session) (small []*source.Session, large int) {
	left := quickRead
	for _, s := range sessions {
		if s.Measure(e.ctx) != nil || s.Bytes > left {
			large++
			continue
		}
		left -= s.Bytes
		small = append(small, s)
	}
	return small, large
}

func (e *exam) describeSessions(sessions []*source.Session) string {
	corrected := e.inState(sessions, validate.Corrected)
	var text string
	switch {
	case len(sessions) == 0:
		return "There is no session to continue."
	case e.Deep:
		text = fmt.Sprintf("All %s can be continued", ui.Count(len(sessions), "live session"))
	case len(sessions) == 1:
		text = "The session used last can be continued"
	default:
		text = fmt.Sprintf("The %d sessions used last can be continued", len(sessions))
	}
	if len(corrected) > 0 {
		text += fmt.Sprintf(", %d of them after corrections that their program makes", len(corrected))
	}
	return text + "."
}

// describeStuck names the first session that cannot be continued.
func (e *exam) describeStuck(stuck []*source.Session, of int) Result {
	first := stuck[0]
	why := e.read[first].verdict.Reason.Code
	sessions := ui.Count(of, "session") + " used last"
	if e.Deep {
		sessions = ui.Count(of, "live session")
	}
	return Result{Status: Warn, Command: e.mendCommand(first, why),
		Message: fmt.Sprintf("%d of the %s cannot be continued: %s (%s, %s).", len(stuck), sessions, first.Key, why.Words(),
			why)}
}

// mendCommand returns the command that helps with a session that would be refused: repair, unless that leaves the
// problem or the session alone. Then rebuild makes a request in which it is corrected.
func (e *exam) mendCommand(s *source.Session, code failure.Code) string {
	mend, rebuilt := failure.Command("clawctl", "repair", e.nameOf(s)), failure.Command("clawctl", "rebuild", "--request",
		e.nameOf(s))
	if s.CheckOwner() != nil {
		return rebuilt
	}
	in, err := s.Open()
	if err != nil || s.Bytes > quickRead {
		return mend
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		return mend
	}
	plan, err := repair.New(e.ctx, bytes.NewReader(text), int64(len(text)), repair.Options{Session: s, Now: e.Now})
	isCode := func(left repair.Row) bool { return left.Code == code }
	if err == nil && slices.ContainsFunc(plan.Left, isCode) {
		return rebuilt
	}
	return mend
}

// secrets says how many transcripts have keys or passwords in clear text.
func (e *exam) secrets() Result {
	sessions := 0
	for _, r := range e.read {
		if r.hasSecret {
			sessions++
		}
	}
	r := Result{Status: OK, Message: "No transcript has keys or passwords in clear text.",
		Command: failure.Command("clawctl", "redact", "--check", e.home.Place.Path)}
	if sessions > 0 {
		r.Status = Warn
		r.Message = fmt.Sprintf("%d of %s may have keys or passwords in clear text.", sessions,
			ui.Count(len(e.read), "transcript"))
	}
	return r
}
