package main

import (
	"context"
	"errors"
	"io"
	"os"

	"clawctl/pkg/guard"

	"github.com/urfave/cli/v2"
)

func guardCommand() *command {
	return &command{
		name: "guard", group: "shrink", args: "[FILE]", summary: "a request that fits its model, made of one that may not",
		about: "Reads a request on stdin, or from FILE: a JSON object with messages, system and tools for the Messages API or chat completions, or an array of messages alone. Answers with one that takes at most --budget tokens, in claw0's three stages: " +
			"as it is, byte for byte; else with tool results that take more than 30 % of the budget cut behind a line, with a marker; " +
			"else with the older half of the conversation told as a summary, which the assistant acknowledges. A call stays with its result. What does not fit then is exit 1, and nothing is printed.\n\n" +
			"The summary is that of --summary, the output of the --summarizer command, which gets the conversation as text on its stdin, or with --offline an extract that says that it is one. " +
			"System prompt, tools and messages are counted with cl100k_base, an estimate for Claude; what the model answers is not part of the budget.",
		examples: []string{
			"clawctl rebuild SESSION.jsonl --request | clawctl guard --offline > request.json",
			"clawctl guard request.json --budget 100000 --summarizer 'llm -m small'",
			"clawctl guard --budget 180000 --summary summary.txt < request.json",
		},
		exits: []int{exitOK, exitFindings, exitUsage, exitNothing, exitInterrupted},
		flags: []cli.Flag{
			&cli.IntFlag{Name: "budget", Value: guard.DefaultBudget, Usage: "what the request may take, `N` tokens; claw0's own is 180000"},
			&cli.StringFlag{Name: "summary", Usage: "the summary of the older half, from `FILE`"},
			&cli.StringFlag{Name: "summarizer", Usage: "make it with the shell `COMMAND`: text on its stdin, the summary on its stdout"},
			&cli.BoolFlag{Name: "offline", Usage: "take an extract of the conversation in its place"},
			&cli.DurationFlag{Name: "timeout", Value: summarizerTimeout, Usage: "how long the summarizer may take, a `TIME` such as 90s"},
			&cli.StringFlag{Name: "encoding", Value: "cl100k_base", Usage: "count with `NAME`: cl100k_base, o200k_base or heuristic"},
		},
		run: runGuard,
	}
}

func runGuard(a *app, ctx *cli.Context) error {
	g, err := a.newGuard(ctx)
	if err != nil {
		return err
	}
	name, body, err := a.readBody(ctx)
	if err != nil {
		return err
	}
	done, err := g.Fit(a.ctx, body)
	if err != nil {
		return a.guardError(name, err)
	}
	if done.Cut > 0 {
		a.note("%s: %s cut", name, counted(done.Cut, "tool result"))
	}
	if done.Summarized > 0 {
		a.note("%s: %s told as a summary", name, counted(done.Summarized, "message"))
	}
	if done.Before != done.After {
		a.note("%s: %s tokens instead of %s, for a budget of %s", name, group(int64(done.After)), group(int64(done.Before)), group(int64(g.Budget)))
	}
	return a.print(string(done.Body))
}

// guardPrompt goes before the conversation.
const guardPrompt = "Summarize the following conversation: concise, factual, with the decisions, open questions and names that matter later. " +
	"Answer with the summary alone.\n\n"

// newGuard reads the flags.
func (a *app) newGuard(ctx *cli.Context) (*guard.Shrinker, error) {
	counter, err := counterNamed(ctx)
	if err != nil {
		return nil, err
	}
	g := &guard.Shrinker{Counter: counter, Budget: ctx.Int("budget"), Offline: ctx.Bool("offline")}
	if g.Budget < 1 {
		return nil, usageError("clawctl help guard", "--budget is at least 1, not %d", g.Budget)
	}
	if ctx.Duration("timeout") <= 0 {
		return nil, usageError("clawctl help guard", "--timeout is more than 0, not %s", ctx.Duration("timeout"))
	}
	named := 0
	for _, flag := range []string{"summary", "summarizer"} {
		if ctx.IsSet(flag) {
			named++
		}
	}
	if named > 1 {
		return nil, usageError("clawctl help guard", "a summary comes from --summary or from --summarizer, not from both")
	}
	switch {
	case ctx.IsSet("summarizer") && ctx.String("summarizer") == "":
		return nil, usageError("clawctl help guard", "--summarizer is empty")
	case ctx.IsSet("summarizer"):
		run := a.summarizer(ctx.String("summarizer"), ctx.Duration("timeout"))
		g.Summarize = func(ctx context.Context, text string) (string, error) {
			return run(ctx, func(w io.Writer) error {
				_, err := io.WriteString(w, guardPrompt+text+"\n")
				return err
			})
		}
	case ctx.String("summary") == "-":
		return nil, usageError("clawctl help guard", "--summary takes a file; stdin is the request")
	case ctx.IsSet("summary"):
		summary, err := a.readText(ctx, "summary")
		if err != nil {
			return nil, err
		}
		g.Summarize = func(context.Context, string) (string, error) { return summary, nil }
	}
	return g, nil
}

// readBody reads the request.
func (a *app) readBody(ctx *cli.Context) (name string, body []byte, err error) {
	switch path := ctx.Args().First(); {
	case ctx.NArg() > 1:
		return "", nil, usageError("clawctl help guard", "guard takes one request, not %d arguments", ctx.NArg())
	case path == "" && isTerminal(a.stdin):
		return "", nil, usageError("clawctl help guard", "no request given, and stdin is a terminal")
	case path == "" || path == "-":
		name = stdinName
		body, err = io.ReadAll(a.stdin)
	default:
		name = path
		body, err = os.ReadFile(path)
	}
	if err != nil {
		err = inputError(name, err)
	}
	return name, body, err
}

// guardError gives what keeps a request from fitting its code and hint.
func (a *app) guardError(name string, err error) error {
	var large *guard.TooLargeError
	f := &failure{exit: exitFindings, code: codeTooLarge, path: name, text: err.Error()}
	switch {
	case a.ctx.Err() != nil:
		return errInterrupted
	case errors.Is(err, guard.ErrNoRequest):
		f.exit, f.code, f.hint = exitUsage, codeNoRequest, "clawctl help guard"
	case errors.Is(err, guard.ErrSummaryNeeded):
		f.hint = a.commandLine("--offline")
	case errors.As(err, &large) && !errors.Is(err, guard.ErrTooLarge):
		f.code = codeSummarizer
		if errors.Is(err, guard.ErrShortSummary) {
			f.code = codeBadSummary
		}
	}
	return f
}
