package main

import (
	"errors"
	"iter"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
	"clawctl/pkg/validate"
	"clawctl/pkg/window/guard"
)

func newRebuildCommand() *cli.Command {
	return &cli.Command{
		Options: &rebuildOptions{As: rebuild.FormAnthropic},
		Formats: []string{"json", "ndjson"},
	}
}

// rebuildOptions are the flags of rebuild.
type rebuildOptions struct {
	As string `flag:"as"`
	reading.ProgramOption
	Leaf        string `flag:"leaf ID: end at this entry" default:"the session's last"`
	Ndjson      bool   `flag:"ndjson: one message per line instead of an array (same as --format ndjson)"`
	Fixes       string `flag:"fixes"`
	Strict      bool   `flag:"strict: make no fix: exit 1 and name the first that is needed"`
	FullHistory bool   `flag:"full-history: write all messages, even if a provider's checkpoint replaces them"`
	Request     bool   `flag:"request: print a whole request instead of its messages"`
	Model       string `flag:"model MODEL: the request's model" default:"the one that answered last"`
	MaxTokens   *int64 `flag:"max-tokens N: the request's max_tokens" least:"1" default:"4096"`
	System      string `flag:"system"`
	Tools       string `flag:"tools"`
	Prompt      string `flag:"prompt FILE: add a message of the user from FILE, - for stdin"`
	Fit         reading.FitOption
	Trim        bool   `flag:"trim: cut tool results that take more than 30% of the budget"`
	Budget      *int64 `flag:"budget N: the budget of --trim in tokens" least:"1" default:"that of --fit, or 180000"`
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *rebuildOptions) OwnFlags() []cli.Flag {
	forms := []string{rebuild.FormAnthropic, rebuild.FormOpenAI, rebuild.FormNative}
	return cli.FlagsOf(o,
		cli.ChoiceFlag(&o.As, "as", "FORM", forms, "form of the messages"),
		cli.RequiredTextFlag(&o.Fixes, "fixes", "FILE",
			"write the fixes to FILE as NDJSON; with -, print the fixes, and the "+
				"messages only with -o"),
		fileFlag(&o.System, "system", "read the request's system prompt from FILE"),
		fileFlag(&o.Tools, "tools", "read the request's tools from FILE, a JSON array"))
}

// fileFlag takes the path of a file, which stdin cannot replace.
func fileFlag(dst *string, name, usage string) cli.Flag {
	return cli.RequiredTextFlag(dst, name, "FILE", usage).Checked(func() error {
		if *dst == "-" {
			return errors.New(`must be a file, got "-"; only --prompt can be read from stdin`)
		}
		return nil
	})
}

// Run runs the command.
func (o *rebuildOptions) Run(a *cli.App, operands []string) error {
	defer reading.KeepSmall()()
	if err := o.check(a, operands); err != nil {
		return err
	}
	if err := o.Fit.Resolve(a.FindModel); err != nil {
		return err
	}
	request, prompt, err := o.readRequest(a)
	if err != nil {
		return err
	}
	search := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Stdin: true, ByDefault: true}
	session, err := reading.OneSession(a, operands, search)
	if err != nil {
		return err
	}
	t, err := reading.OpenHistory(a, session, o.ProgramOption)
	if err != nil {
		return err
	}
	r := &rebuildRun{App: a, transcript: t, rebuildOptions: o, request: request, prompt: prompt}
	if err := r.print(); err != nil {
		return err
	}
	return t.Damage
}

// check refuses flags that exclude or need each other.
func (o *rebuildOptions) check(a *cli.App, operands []string) error {
	name := a.FirstGiven("fixes", "strict", "trim", "request", "prompt") // which change messages
	if o.As == rebuild.FormNative && name != "" {
		return cli.Usage("--as native prints messages unchanged and cannot be combined with --%s", name)
	}
	if name := a.FirstGiven("model", "system", "tools"); !o.Request && name != "" {
		return failure.Usage(a.CommandLine("--request"), "--%s needs --request", name)
	}
	readsStdin := len(operands) == 0 && !o.Narrows() || len(operands) > 0 && operands[0] == "-"
	switch {
	case o.Budget != nil && !o.Trim:
		return failure.Usage(a.CommandLine("--trim"), "--budget needs --trim")
	case o.Ndjson && a.Format == "json":
		return cli.Usage("--ndjson and --format json cannot be combined")
	case o.Request && o.printsLines(a):
		return cli.Usage("--request prints one object and cannot be combined with --ndjson")
	case o.Prompt == "-" && readsStdin:
		return cli.Usage("stdin cannot be both the transcript and the prompt")
	}
	return nil
}

// printsLines reports whether messages are printed one per line.
func (o *rebuildOptions) printsLines(a *cli.App) bool { return o.Ndjson || a.Format == "ndjson" }

// A rebuildRun is one session whose messages are rebuilt.
type rebuildRun struct {
	*cli.App
	transcript *reading.Transcript
	*rebuildOptions
	request    *rebuild.Request
	prompt     string // a message of the user to add
	context    *rebuild.Context
	resumption rebuild.Resumption // the provider's checkpoint that the messages begin with, if any
	// resultLimit is how many tokens --trim leaves of a tool result, 0 without it.
	resultLimit int
}

// again reads what the messages are made of once more.
func (r *rebuildRun) again() iter.Seq2[*jsonl.Record, error] { return r.transcript.AgainFor(r.context) }

// print prints the messages that the flags ask for.
func (r *rebuildRun) print() error {
	var err error
	if r.context, err = r.transcript.ContextAt(r.Leaf); err != nil {
		return err
	}
	if !r.FullHistory && r.As != rebuild.FormNative {
		// the messages begin with the provider's checkpoint, if their form has a place for it
		checkpoint, ok := r.context.Resume(r.As, r.Model)
		switch {
		case ok:
			r.resumption = checkpoint
		case checkpoint.Line > 0:
			r.Note("%s: %s", r.transcript.Name, checkpoint.UnsentWords())
		}
	}
	if err := r.shrink(); err != nil {
		return err
	}
	if r.As == rebuild.FormNative {
		return r.transcript.PrintFramed(r.frame(), func(emit func([]byte) error) error {
			return r.context.Native(r.again(), emit)
		})
	}
	return r.printPlan()
}

// shrink does what --fit and --trim ask for. Results that will be cut count with what is left of them.
func (r *rebuildRun) shrink() error {
	limit, err := r.Fit.Limit(guard.DefaultBudget, r.request.MaxTokens)
	if err != nil {
		return err
	}
	if r.Trim {
		budget := limit
		if r.Budget != nil {
			budget = int(*r.Budget)
		}
		r.resultLimit = guard.ResultLimit(budget)
		r.context.LimitResults(r.resultLimit)
	}
	if !r.Fit.IsSet() {
		return nil
	}
	return r.dropTurns(limit)
}

// dropTurns drops the oldest turns until the request has at most limit tokens.
func (r *rebuildRun) dropTurns(limit int) error {
	counter := tokens.CL100K
	limit -= counter.Count(r.prompt) + r.request.Tokens(counter)
	if limit < 1 {
		return cli.Usage("--fit leaves no room for messages: prompt, system and tools alone take more")
	}
	result, fits, err := r.context.Fit(r.again(), counter, limit)
	switch {
	case err != nil:
		return r.transcript.Failed(err)
	case !fits:
		return failure.New(failure.TooLarge, "the last turn alone takes more than %s of cl100k_base",
			ui.Count(limit, "token")).At(r.transcript.Name)
	}
	r.Note("%s", result.Words(limit))
	return nil
}

// printPlan prints the conversation as an API accepts it.
func (r *rebuildRun) printPlan() error {
	plan := r.context.Conversation(rebuild.LimitsOf(r.As))
	if plan.Len() == 0 && r.prompt == "" {
		return failure.New(failure.NoMessages, "").At(r.transcript.Name).WithHint(r.hint("--as", "native"))
	}
	added := (r.rebuildOptions.Request || r.prompt != "") && plan.EndWithUser(r.prompt)
	if r.resultLimit > 0 {
		if err := plan.Trim(r.again(), tokens.CL100K, r.resultLimit); err != nil {
			return r.transcript.Failed(err)
		}
	}
	if r.Strict {
		if err := reading.RefuseFixes(r.transcript, plan, r.Leaf, r.hint("--fixes", "-")); err != nil {
			return err
		}
	}
	if path := r.Fixes; path != "" && path != "-" {
		if path == r.Output.Options.Path || openfile.IsSame(path, r.transcript.Session.Path) {
			return cli.Usage("--fixes must not replace the messages or the transcript, got %s", path)
		}
		if err := cli.MayCreate(path, r.Output.Options.Force, r.CommandLine("--force")); err != nil {
			return err
		}
	}
	if err := r.printMessages(plan); err != nil {
		return err
	}
	if words := r.resumption.Words(); words != "" {
		r.Note("%s: %s; --full-history writes them", r.transcript.Name, words)
	}
	if added {
		r.Note("%s: added the user's message %q, because the last one is an answer; --prompt adds another instead",
			r.transcript.Name, rebuild.ClosingLine)
	}
	return r.writeFixes(plan.Fixes)
}

// hint is the command for the session with other flags, "" if the session came through a pipe.
func (r *rebuildRun) hint(flags ...string) string {
	if r.transcript.Kept != nil {
		return ""
	}
	return failure.Command(slices.Concat([]string{"clawctl", "rebuild"}, flags, []string{r.transcript.Session.Place()})...)
}

// printMessages prints the messages of a plan, or the request around them.
func (r *rebuildRun) printMessages(plan *rebuild.Conversation) error {
	if r.Fixes == "-" && r.Output.Options.IsStdout() {
		return nil
	}
	messages := func(emit func([]byte) error) error { return plan.Write(r.As, r.again(), emit) }
	if r.rebuildOptions.Request {
		frame, err := r.requestFrame(plan)
		if err != nil {
			return err
		}
		return r.transcript.PrintFramed(frame, messages)
	}
	if err := r.transcript.PrintFramed(r.frame(), messages); err != nil {
		return err
	}
	return r.notePrompt()
}

// frame is the one that the flags ask for.
func (r *rebuildRun) frame() cli.Frame {
	if r.printsLines(r.App) {
		return cli.LinesFrame
	}
	return cli.ArrayFrame
}

// writeFixes writes the fixes to where --fixes says, or sums them up in a remark.
func (r *rebuildRun) writeFixes(fixes []rebuild.Fix) error {
	var b strings.Builder
	counts := map[failure.Code]int{}
	for _, f := range fixes {
		b.WriteString(cli.JSONLine(f.Report(r.transcript.Name)))
		counts[f.Code]++
	}
	switch path := r.Fixes; {
	case path == "" && len(fixes) > 0:
		r.Note("%s: made %s so that the API accepts it: %s; --fixes - lists them",
			r.transcript.Name, ui.Count(len(fixes), "fix"), validate.TallyCodes(counts))
	case path == "-":
		if err := r.Output.PrintToStdout(b.String()); err != nil {
			return err
		}
	case path != "":
		if err := atomicfile.WriteFile(path, []byte(b.String()), atomicfile.Options{}); err != nil {
			return cli.OutputError(path, err)
		}
	}
	return nil
}
