package main

import (
	"fmt"
	"strconv"

	"clawctl/pkg/guard"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"

	"github.com/urfave/cli/v2"
)

// fitLimit is what --fit asks for.
func (r *rebuildRun) fitLimit() (int, error) {
	text := r.ctx.String("fit")
	limit, err := strconv.Atoi(text)
	if err != nil {
		size, known := window.OfModel(text)
		if !known {
			return 0, usageError("clawctl help rebuild", "--fit is a number of tokens or a model whose window is known, not %q", text)
		}
		limit = int(size) - r.request.maxTokens
	}
	if limit < 1 {
		return 0, usageError("clawctl help rebuild", "--fit leaves no room for messages: %d tokens", limit)
	}
	return limit, nil
}

// resultLimitOf is how much --trim leaves of a tool result.
func (r *rebuildRun) resultLimitOf(ctx *cli.Context) (int, error) {
	switch {
	case ctx.IsSet("budget") && ctx.Int("budget") < 1:
		return 0, usageError("clawctl help rebuild", "--budget is at least 1, not %d", ctx.Int("budget"))
	case ctx.IsSet("budget"):
		return guard.ResultLimit(ctx.Int("budget")), nil
	case ctx.IsSet("fit"):
		limit, err := r.fitLimit()
		return guard.ResultLimit(limit), err
	}
	return guard.ResultLimit(guard.DefaultBudget), nil
}

// fit drops the oldest turns.
func (r *rebuildRun) fit(context *rebuild.Context) error {
	limit, err := r.fitLimit()
	if err != nil {
		return err
	}
	counter := tokens.CL100K
	limit -= counter.Count(r.request.prompt) + counter.Count(r.request.system) + counter.Count(string(r.request.tools))
	if limit < 1 {
		return usageError("clawctl help rebuild", "prompt, system and tools alone take more than --fit allows")
	}
	fitting, fits, err := context.Fit(r.again(), counter, limit)
	if err != nil {
		return r.failed(err)
	}
	if !fits {
		return &failure{exit: exitFindings, code: codeTooLarge, path: r.name,
			text: fmt.Sprintf("the last turn alone takes more than %d tokens of cl100k_base", limit)}
	}
	kept := fitting.Turns - fitting.DroppedTurns
	if fitting.DroppedTurns == 0 {
		r.note("Restored: %s, about %d tokens; nothing dropped", counted(kept, "previous turn"), fitting.Tokens)
		return nil
	}
	r.note("Restored: %s, about %d tokens; dropped to fit %d: the oldest %s (%s, about %d tokens)",
		counted(kept, "previous turn"), fitting.Tokens-fitting.DroppedTokens, limit,
		counted(fitting.DroppedTurns, "turn"), counted(fitting.DroppedItems, "message"), fitting.DroppedTokens)
	return nil
}
