package main

import (
	"bufio"
	"errors"
	"slices"

	"clawctl/internal/failure"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
)

func newRebuildCommand() *command {
	o := &rebuildOptions{as: formAnthropic}
	return &command{
		name: "rebuild", group: "model", operands: "[SOURCE]",
		summary: "Rebuild the messages that the model would see next",
		about: "Follows one session to its last entry, cuts it at its last compaction or reset, and prints the messages as " +
			"a JSON array. Without SOURCE, --session, --agent or --kind, it reads the transcript from stdin or, on a " +
			"terminal, takes session.defaultKey of the configuration.\n\n" +
			"--as anthropic prints messages that the Messages API accepts. Every change that this needs is a fix with a " +
			"code, a line and an entry. --fixes lists the fixes, and --strict refuses to make any. Consecutive messages " +
			"of one role become one, as in the API itself. --as openai does the same for Chat Completions. --as native " +
			"prints what OpenClaw, pi or claw0, whichever wrote the transcript, would send to its own model. A transcript is " +
			"pi's if it has records that only pi writes, or is in pi's folder and has none that only OpenClaw writes. " +
			"--program overrides that.\n\n" +
			"--request prints a whole request that ends with the user. The prompt and the tools of pi's system messages " +
			"become those of the request, unless --system and --tools replace them. Otherwise, tools that were called are " +
			"declared by name alone.\n\n" +
			"--fit drops the oldest turns until the rest fits into a number of tokens, or into the context window of a model " +
			"minus --max-tokens. Tokens are counted with cl100k_base, which is an estimate for Claude. A tool call stays with " +
			"its result, and the summary of a compaction always stays.\n\n" +
			"--trim cuts tool results that take more than 30% of the budget, as clawctl guard does. The cut comes after a " +
			"line and is marked. The budget is that of --budget, otherwise of --fit, otherwise 180,000 tokens.",
		examples: []example{
			{"Print the last message", "clawctl rebuild SESSION.jsonl | jq '.[-1]'"},
			{"Make a whole request with a new question", "clawctl rebuild agent:main:main --request --model claude-opus-4-6 " +
				"--max-tokens 1024 --prompt question.txt > request.json"},
			{"Write the messages to a file and the fixes to stdout", "clawctl rebuild SESSION.jsonl --fixes - -o messages.json"},
			{"Print the first message as OpenClaw sends it", "clawctl rebuild SESSION.jsonl --as native --ndjson | head -1"},
			{"Keep at most 200,000 tokens", "clawctl rebuild SESSION.jsonl --fit 200k > messages.json"},
		},
		exits: []int{
			failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing,
			failure.ExitDatabase, failure.ExitLocked, failure.ExitInterrupted,
		},
		outcomes: map[int]string{
			failure.ExitFindings: "no messages to send, too large for --fit, or a fix that --strict refuses is needed",
		},
		flags:   o.flags(),
		formats: []string{"json", "ndjson"},
		run:     o.run,
	}
}

// rebuildHelp is the hint of wrong usage.
const rebuildHelp = "clawctl help rebuild"

// The values of --as.
const (
	formAnthropic = "anthropic"
	formOpenAI    = "openai"
	formNative    = "native"
)

// rebuildOptions are the flags of rebuild.
type rebuildOptions struct {
	sourceOptions
	programOption
	as, leaf, fixes       string
	ndjson, strict        bool
	request               bool
	model                 string
	system, tools, prompt string // files
	maxTokens, budget     *int64
	fit                   fitOption
	trim                  bool
}

func (o *rebuildOptions) flags() []flag {
	forms := []string{formAnthropic, formOpenAI, formNative}
	flags := []flag{
		choiceFlag(&o.as, "as", "FORM", forms, "form of the messages"),
		o.programOption.flag(),
		requiredTextFlag(&o.leaf, "leaf", "ID", "end at this entry").withDefault("the session's last"),
		switchFlag(&o.ndjson, "ndjson", "one message per line instead of an array (same as --format ndjson)"),
		requiredTextFlag(&o.fixes, "fixes", "FILE", "write the fixes to FILE as NDJSON; with -, print the fixes, and the "+
			"messages only with -o"),
		switchFlag(&o.strict, "strict", "make no fix: exit 1 and name the first that is needed"),
		switchFlag(&o.request, "request", "print a whole request instead of its messages"),
		requiredTextFlag(&o.model, "model", "MODEL", "the request's model").withDefault("the one that answered last"),
		tokensFlag(&o.maxTokens, "max-tokens", 1, "the request's max_tokens").withDefault("4096"),
		fileFlag(&o.system, "system", "read the request's system prompt from FILE"),
		fileFlag(&o.tools, "tools", "read the request's tools from FILE, a JSON array"),
		requiredTextFlag(&o.prompt, "prompt", "FILE", "add a message of the user from FILE, - for stdin"),
		o.fit.flag(),
		switchFlag(&o.trim, "trim", "cut tool results that take more than 30% of the budget"),
		tokensFlag(&o.budget, "budget", 1, "the budget of --trim in tokens").withDefault("that of --fit, or 180000"),
	}
	return slices.Concat(flags, o.sourceOptions.flags())
}

// fileFlag takes the path of a file, which stdin cannot replace.
func fileFlag(dst *string, name, usage string) flag {
	return requiredTextFlag(dst, name, "FILE", usage).checked(func() error {
		if *dst == "-" {
			return errors.New(`must be a file, got "-"; only --prompt can be read from stdin`)
		}
		return nil
	})
}

func (o *rebuildOptions) run(a *app, operands []string) error {
	defer keepSmall()()
	if err := o.check(a, operands); err != nil {
		return err
	}
	request, err := o.readRequest(a)
	if err != nil {
		return err
	}
	session, err := oneSession(a, "rebuild", operands, o.search())
	if err != nil {
		return err
	}
	t, err := openHistory(a, session, o.programOption)
	if err != nil {
		return err
	}
	r := &rebuilding{transcript: t, options: o, request: request}
	if err := r.print(); err != nil {
		return err
	}
	return t.damage
}

func (o *rebuildOptions) search() search {
	return search{sourceOptions: o.sourceOptions, defaults: live, stdin: true, byDefault: true}
}

// check refuses flags that exclude or need each other.
func (o *rebuildOptions) check(a *app, operands []string) error {
	if name := o.notNative(); o.as == formNative && name != "" {
		return failure.Usage(rebuildHelp, "--as native prints messages unchanged and cannot be combined with --%s", name)
	}
	if name := o.needsRequest(); !o.request && name != "" {
		return failure.Usage(a.commandLine("--request"), "--%s needs --request", name)
	}
	readsStdin := len(operands) == 0 && !o.narrows() || len(operands) > 0 && operands[0] == "-"
	switch {
	case o.budget != nil && !o.trim:
		return failure.Usage(a.commandLine("--trim"), "--budget needs --trim")
	case o.ndjson && a.format == "json":
		return failure.Usage(rebuildHelp, "--ndjson and --format json cannot be combined")
	case o.request && o.printsLines(a):
		return failure.Usage(rebuildHelp, "--request prints one object and cannot be combined with --ndjson")
	case o.prompt == "-" && readsStdin:
		return failure.Usage(rebuildHelp, "stdin cannot be both the transcript and the prompt")
	}
	return nil
}

// notNative is the first flag that changes messages, which --as native never does.
func (o *rebuildOptions) notNative() string {
	return firstGiven([]givenFlag{
		{"fixes", o.fixes != ""}, {"strict", o.strict}, {"trim", o.trim}, {"request", o.request}, {"prompt", o.prompt != ""},
	})
}

// needsRequest is the first flag that only a request has a place for.
func (o *rebuildOptions) needsRequest() string {
	return firstGiven([]givenFlag{{"model", o.model != ""}, {"system", o.system != ""}, {"tools", o.tools != ""}})
}

// printsLines reports whether messages are printed one per line.
func (o *rebuildOptions) printsLines(a *app) bool { return o.ndjson || a.format == "ndjson" }

// A rebuilding is one session whose messages are rebuilt.
type rebuilding struct {
	*transcript
	options *rebuildOptions
	request *request
	context *rebuild.Context
	// resultLimit is how many tokens --trim leaves of a tool result, 0 without it.
	resultLimit int
}

// print prints the messages that the flags ask for.
func (r *rebuilding) print() (err error) {
	if r.context, err = r.contextAt(r.options.leaf); err != nil {
		return err
	}
	if err := r.shrink(); err != nil {
		return err
	}
	if r.options.as == formNative {
		return r.write(r.frame(), func(emit func([]byte) error) error {
			return r.context.Native(r.againFor(r.context), emit)
		})
	}
	return r.printPlan()
}

// printPlan prints the conversation as an API accepts it.
func (r *rebuilding) printPlan() error {
	plan := r.context.Conversation(rebuild.LimitsOf(r.options.as))
	if plan.Len() == 0 && r.request.prompt == "" {
		return r.noMessages()
	}
	if r.options.request || r.request.prompt != "" {
		plan.EndWithUser(r.request.prompt)
	}
	if r.resultLimit > 0 {
		if err := plan.Trim(r.againFor(r.context), tokens.CL100K, r.resultLimit); err != nil {
			return r.messageError(err)
		}
	}
	if r.options.strict && len(plan.Fixes) > 0 {
		return r.refuse(plan.Fixes[0])
	}
	if err := r.mayWriteFixes(); err != nil {
		return err
	}
	if err := r.printMessages(plan); err != nil {
		return err
	}
	return r.writeFixes(plan.Fixes)
}

// noMessages is the failure of a session that an API would refuse because it is empty.
func (r *rebuilding) noMessages() error {
	f := failure.New(failure.NoMessages, "").At(r.name)
	if r.kept == nil {
		f.Hint = failure.Command("clawctl", "rebuild", "--as", "native", r.session.Place())
	}
	return f
}

// printMessages prints the messages of a plan, or the request around them.
func (r *rebuilding) printMessages(plan *rebuild.Conversation) error {
	if r.options.fixes == "-" && r.output.options.isStdout() {
		return nil
	}
	messages := func(emit func([]byte) error) error { return plan.Anthropic(r.againFor(r.context), emit) }
	if r.options.as == formOpenAI {
		messages = func(emit func([]byte) error) error { return plan.OpenAI(r.againFor(r.context), emit) }
	}
	if !r.options.request {
		if err := r.write(r.frame(), messages); err != nil {
			return err
		}
		return r.notePrompt()
	}
	frame, err := r.requestFrame(plan)
	if err != nil {
		return err
	}
	return r.write(frame, messages)
}

// frame is the one that the flags ask for.
func (r *rebuilding) frame() frame {
	if r.options.printsLines(r.app) {
		return linesFrame
	}
	return arrayFrame
}

// write prints messages as they come.
func (r *rebuilding) write(around frame, messages func(emit func([]byte) error) error) error {
	out := bufio.NewWriter(r.output)
	before, after := around.before, around.empty
	err := messages(func(message []byte) error {
		if r.output.term.Is {
			r.progress.End() // messages scroll by in pieces, which progress would overwrite
		}
		out.WriteString(before)
		if _, err := out.Write(message); err != nil {
			return &writeFailure{err}
		}
		before, after = around.between, around.after
		return nil
	})
	if err != nil {
		return r.messageError(err)
	}
	out.WriteString(after)
	if err := out.Flush(); err != nil {
		return writeError(r.app, err)
	}
	return nil
}

// messageError reports what ended the messages early.
func (r *rebuilding) messageError(err error) error {
	var refused *rebuild.RefusalError
	if errors.As(err, &refused) {
		code := failure.Code(refused.Code)
		f := failure.New(code, "%v", refused).At(r.name).WithExit(failure.ExitFindings)
		f.Line, f.Hint = refused.Line, "clawctl explain "+string(code)
		return f
	}
	if errors.Is(err, rebuild.ErrChanged) {
		return failure.New(failure.Changed, "").At(r.name).WithHint(r.commandLine())
	}
	return r.failed(err)
}
