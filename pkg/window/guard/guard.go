// Package guard shrinks a request for a model's API to a token budget, as claw0's guard does. A request that fits is
// unchanged. Otherwise its longest tool results are cut (trim.go), and if that is not enough, a summary replaces its
// older half (cut.go, extract.go). claw0 learns from the model's error that a request is too large. This package counts
// tokens instead.
package guard

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"clawctl/internal/failure"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window/summary"
)

// DefaultBudget is the number of tokens that claw0 allows a request.
const DefaultBudget = 180_000

// ResultLimit returns the number of tokens that a tool result may take before it is cut: 30% of the budget.
func ResultLimit(budget int) int { return budget * 3 / 10 }

// A Shrinker makes requests fit a budget. Counter and Budget must be set.
type Shrinker struct {
	Counter tokens.Counter
	Budget  int // tokens
	// Summarizer gets an instruction and the conversation as text. If it is nil, Offline decides whether to use an extract
	// of the conversation instead.
	Summarizer summary.Summarizer
	Offline    bool
}

// prompt goes before a conversation that a summarizer gets.
const prompt = "Summarize the following conversation: concise, factual, with the decisions, open questions and " +
	"names that matter later. Answer with the summary alone.\n\n"

// A Result is a request that fits, and what was done to it.
type Result struct {
	Body          []byte
	Before, After int // tokens
	Cut           int // tool results that were cut
	Summarized    int // messages that a summary replaces
}

var (
	// errTooLarge means that the request cannot be made to fit.
	errTooLarge error = &failure.Sentinel{Code: failure.TooLarge, Text: "the request does not fit"}
	// errSummaryNeeded means that only a summary would make the request fit, and there is none.
	errSummaryNeeded error = &failure.Sentinel{
		Code: failure.TooLarge, Text: "no summary was given", Again: []string{"--offline"},
	}
	// errShortSummary means that the summary is too short to be one.
	errShortSummary error = &failure.Sentinel{Code: failure.BadSummary, Text: "the summary is empty or too short"}
	// errNoRequest means that the text is not a request.
	errNoRequest error = &failure.Sentinel{
		Code: failure.NotRequest, Text: "not a request with messages", Hint: "clawctl help guard",
	}
)

// A tooLargeError says by how much a request is too large.
type tooLargeError struct {
	Tokens, Least int // before and after shrinking
	Budget        int
	Err           error // why it was not reduced further
}

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the request has %d tokens, and at least %d after shrinking (budget: %d): %v",
		e.Tokens, e.Least, e.Budget, e.Err)
}

// Unwrap returns why the request was not reduced further.
func (e *tooLargeError) Unwrap() error { return e.Err }

// FailureAt is the failure of what kept the request from becoming smaller: without a code, the summarizer.
func (e *tooLargeError) FailureAt(name string) *failure.Error {
	f := failure.From(name, e.Err)
	if f == nil {
		f = failure.New(failure.SummarizerFailed, "").At(name)
	}
	f.Text = e.Error()
	return f
}

// Fit returns a request of at most the budget. body is a JSON object with messages, for the Messages API or for chat
// completions, or only the array of messages. A request that fits is returned byte for byte.
func (s *Shrinker) Fit(ctx context.Context, body []byte) (*Result, error) {
	r, err := parseRequest(body)
	if err != nil {
		return nil, err
	}
	done := &Result{Body: body, Before: r.cost(s.Counter)}
	if done.After = done.Before; done.After <= s.Budget {
		return done, nil
	}
	if done.Cut = r.trim(s.Counter, ResultLimit(s.Budget)); done.Cut > 0 {
		if done.After = r.cost(s.Counter); done.After <= s.Budget {
			done.Body = r.text()
			return done, nil
		}
	}
	if done.Summarized, err = s.compact(ctx, r); err != nil {
		return nil, s.tooLarge(done, err)
	}
	if done.After = r.cost(s.Counter); done.After > s.Budget {
		return nil, s.tooLarge(done, errTooLarge)
	}
	done.Body = r.text()
	return done, nil
}

func (s *Shrinker) tooLarge(done *Result, err error) error {
	return &tooLargeError{Tokens: done.Before, Least: min(done.Before, done.After), Budget: s.Budget, Err: err}
}

// compact replaces the older half of the conversation with its summary, and returns the number of messages it replaced.
func (s *Shrinker) compact(ctx context.Context, r *request) (int, error) {
	cut := r.cut()
	if cut == 0 {
		return 0, fmt.Errorf("%w: too few messages to summarize (%d)", errTooLarge, len(r.messages)-r.lead)
	}
	old := r.messages[r.lead : r.lead+cut]
	text, err := s.summarize(ctx, old)
	if err != nil {
		return 0, err
	}
	r.replace(cut, text)
	return cut, nil
}

// summarize returns the summary of messages: from the summarizer, or an extract.
func (s *Shrinker) summarize(ctx context.Context, old []message) (text string, err error) {
	switch {
	case s.Summarizer != nil:
		if text, err = s.ask(ctx, transcribe(old)); err == nil || ctx.Err() != nil || !s.Offline {
			return text, err
		}
	case !s.Offline:
		return "", errSummaryNeeded
	}
	return extractOf(old, s.Counter, max(minExtract, min(maxExtract, s.Budget/10))), nil
}

// ask calls the summarizer, at most twice.
func (s *Shrinker) ask(ctx context.Context, conversation string) (text string, err error) {
	question := func(w io.Writer) error {
		_, err := io.WriteString(w, prompt+conversation+"\n")
		return err
	}
	err = summary.Ask(ctx, s.Summarizer, question, func(answer string) error {
		text = strings.TrimSpace(strings.ToValidUTF8(answer, "\ufffd"))
		if utf8.RuneCountInString(text) < summary.MinLength {
			return errShortSummary
		}
		return nil
	})
	return text, err
}
