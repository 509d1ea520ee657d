package compact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"clawctl/pkg/tokens"
)

// The guard of claw0: a request that is too large for its model is sent as it is, else with its longest tool results cut,
// else with its older half told as a summary, else not at all. claw0 learns from the model's error that a request is too
// large; here a count tells.

// DefaultBudget is how many tokens claw0 lets a request take.
const DefaultBudget = 180_000

// ResultLimit is how many tokens of a budget a tool result may take before it is cut: 30 %.
func ResultLimit(budget int) int { return budget * 3 / 10 }

// A Guard makes requests fit. Counter and Budget must be set.
type Guard struct {
	Counter tokens.Counter
	Budget  int // tokens
	// Summarise makes a summary of a conversation that is told as text. Where it is nil, Offline decides whether an
	// extract of the conversation stands in for one.
	Summarise func(ctx context.Context, text string) (string, error)
	Offline   bool
}

// A Guarded request is one that fits.
type Guarded struct {
	Body          []byte
	Before, After int // tokens
	Cut           int // tool results that were cut
	Summarised    int // messages that a summary stands for
}

// Errors of a guard.
var (
	// ErrTooLarge: the request does not fit, whatever is done.
	ErrTooLarge = errors.New("the request does not fit")
	// ErrSummaryNeeded: it would fit with a summary, and there is none.
	ErrSummaryNeeded = errors.New("no summary was given")
	// ErrShortSummary: a summary that cannot be one.
	ErrShortSummary = errors.New("the summary is empty or absurdly short")
	// ErrNoRequest: the text is no request.
	ErrNoRequest = errors.New("not a request with messages")
)

// A TooLargeError says by how much a request is too large.
type TooLargeError struct {
	Tokens, Least int // as it came, and after what could be done
	Budget        int
	Err           error // why no more was done
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the request takes %d tokens, %d at the least, of a budget of %d: %v", e.Tokens, e.Least, e.Budget, e.Err)
}
func (e *TooLargeError) Unwrap() error { return e.Err }

// Fit returns a request that takes at most the budget: a JSON object with messages, for the Messages API or for chat
// completions, or the array of messages alone. One that fits comes back byte by byte.
func (g *Guard) Fit(ctx context.Context, body []byte) (*Guarded, error) {
	r, err := parseRequest(body)
	if err != nil {
		return nil, err
	}
	done := &Guarded{Body: body, Before: r.cost(g.Counter)}
	if done.After = done.Before; done.After <= g.Budget {
		return done, nil
	}
	if done.Cut = r.trim(g.Counter, ResultLimit(g.Budget)); done.Cut > 0 {
		if done.After = r.cost(g.Counter); done.After <= g.Budget {
			done.Body = r.text()
			return done, nil
		}
	}
	if done.Summarised, err = g.compact(ctx, r); err != nil {
		return nil, g.tooLarge(done, err)
	}
	if done.After = r.cost(g.Counter); done.After > g.Budget {
		return nil, g.tooLarge(done, ErrTooLarge)
	}
	done.Body = r.text()
	return done, nil
}

func (g *Guard) tooLarge(done *Guarded, err error) error {
	return &TooLargeError{Tokens: done.Before, Least: min(done.Before, done.After), Budget: g.Budget, Err: err}
}

// compact replaces the older half of the conversation by its summary, and returns how many messages that were.
func (g *Guard) compact(ctx context.Context, r *request) (int, error) {
	cut := r.cut()
	if cut == 0 {
		return 0, fmt.Errorf("%w: too few messages to summarise some (%d)", ErrTooLarge, len(r.messages)-r.lead)
	}
	old := r.messages[r.lead : r.lead+cut]
	summary, err := g.summary(ctx, old)
	if err != nil {
		return 0, err
	}
	r.replace(cut, summary)
	return cut, nil
}

func (g *Guard) summary(ctx context.Context, old []message) (summary string, err error) {
	switch {
	case g.Summarise != nil:
		if summary, err = g.ask(ctx, transcribe(old)); err == nil || ctx.Err() != nil || !g.Offline {
			return summary, err
		}
	case !g.Offline:
		return "", ErrSummaryNeeded
	}
	return extractOf(old, g.Counter, max(minExtract, min(maxExtract, g.Budget/10))), nil
}

// ask asks for a summary, twice at most.
func (g *Guard) ask(ctx context.Context, text string) (summary string, err error) {
	summarizer := func(ctx context.Context, _ func(io.Writer) error) (string, error) { return g.Summarise(ctx, text) }
	err = ask(ctx, summarizer, nil, func(answer string) error {
		summary = strings.TrimSpace(strings.ToValidUTF8(answer, "\ufffd"))
		if utf8.RuneCountInString(summary) < MinSummary {
			return ErrShortSummary
		}
		return nil
	})
	return summary, err
}
