package main

import (
	"fmt"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/guard"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"
)

// A fitOption is --fit: a number of tokens, or a model whose context window is the limit.
type fitOption struct {
	text   string
	tokens int64
	model  bool // tokens is the window of a model, which its answer needs a part of
}

func (o *fitOption) flag() cli.Flag {
	f := cli.RequiredTextFlag(&o.text, "fit", "N|MODEL", "drop the oldest turns until the rest has at most N tokens, "+
		"or fits the window of MODEL")
	return f.Checked(o.parse)
}

// parse reads what was typed.
func (o *fitOption) parse() error {
	if size, known := window.OfModel(o.text); known {
		o.tokens, o.model = size, true
		return nil
	}
	n, err := cli.ParseTokens(o.text)
	switch {
	case err != nil:
		return fmt.Errorf("must be a number of tokens such as 200k, or a model with a known context window, got %q", o.text)
	case n < 1:
		return fmt.Errorf("must be at least 1, got %d", n)
	}
	o.tokens, o.model = n, false
	return nil
}

// isSet reports whether the flag was given.
func (o *fitOption) isSet() bool { return o.text != "" }

// limit is how many tokens a request may have whose answer may have answer tokens.
func (o *fitOption) limit(answer int64) (int, error) {
	if !o.model {
		return int(o.tokens), nil
	}
	if o.tokens <= answer {
		return 0, failure.Usage(rebuildHelp, "--max-tokens %d leaves no room for messages in the window of %s (%s tokens)",
			answer, o.text, ui.Thousands(o.tokens))
	}
	return int(o.tokens - answer), nil
}

// shrink does what --fit and --trim ask for. Results that will be cut count with what is left of them.
func (r *rebuilding) shrink() error {
	limit := guard.DefaultBudget
	if r.options.fit.isSet() {
		var err error
		if limit, err = r.options.fit.limit(r.request.maxTokens); err != nil {
			return err
		}
	}
	if r.options.trim {
		budget := limit
		if r.options.budget != nil {
			budget = int(*r.options.budget)
		}
		r.resultLimit = guard.ResultLimit(budget)
		r.context.LimitResults(r.resultLimit)
	}
	if !r.options.fit.isSet() {
		return nil
	}
	return r.dropTurns(limit)
}

// dropTurns drops the oldest turns until the request has at most limit tokens.
func (r *rebuilding) dropTurns(limit int) error {
	counter := tokens.CL100K
	limit -= counter.Count(r.request.prompt) + counter.Count(r.request.system) + counter.Count(string(r.request.tools))
	if limit < 1 {
		return failure.Usage(rebuildHelp, "--fit leaves no room for messages: prompt, system and tools alone take more")
	}
	fitting, fits, err := r.context.Fit(r.transcript.AgainFor(r.context), counter, limit)
	if err != nil {
		return r.transcript.Failed(err)
	}
	if !fits {
		return r.tooLarge(limit)
	}
	r.noteFitting(fitting, limit)
	return nil
}

// tooLarge is the failure of a session whose last turn has no room.
func (r *rebuilding) tooLarge(limit int) error {
	f := failure.New(failure.TooLarge, "the last turn alone takes more than %s of cl100k_base", ui.Count(limit, "token"))
	return f.At(r.transcript.Name)
}

// noteFitting says what was kept and what was dropped.
func (r *rebuilding) noteFitting(f rebuild.FitResult, limit int) {
	kept := fmt.Sprintf("Restored: %s, about %s", ui.Count(f.Turns-f.DroppedTurns, "previous turn"),
		ui.Count(f.Tokens-f.DroppedTokens, "token"))
	if f.DroppedTurns == 0 {
		r.app.Note("%s; nothing had to be dropped", kept)
		return
	}
	dropped := "the oldest turn"
	if f.DroppedTurns > 1 {
		dropped = "the oldest " + ui.Count(f.DroppedTurns, "turn")
	}
	r.app.Note("%s; dropped %s (%s, about %s) to fit %s", kept, dropped,
		ui.Count(f.DroppedItems, "message"), ui.Count(f.DroppedTokens, "token"), ui.Thousands(int64(limit)))
}
