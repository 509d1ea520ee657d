package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"

	"github.com/urfave/cli/v2"
)

func rebuildCommand() *command {
	return &command{
		name: "rebuild", group: "look", args: "[SOURCE]", summary: "the messages that the model would see next, ready for an API",
		about: "Follows one session to its leaf, cuts it at its last compaction or reset, and prints the messages as a JSON array.\n\n" +
			"--as anthropic, the default, is an array that the Messages API accepts: every change that is needed for it is a fix with a code, " +
			"a line and an entry; --fixes lists them, --strict refuses to make any. Messages of one role that follow each other become one, as the API does it itself. " +
			"--as openai is the same for chat completions. --as native is what the program that wrote the transcript hands its own model, byte for byte where it can be: OpenClaw's messages, or claw0's.\n\n" +
			"--request wraps the messages into a whole request that ends with the user. Without --tools, tools that were called are declared by their names alone.\n\n" +
			"--fit drops the oldest turns until the rest fits: a number of tokens, or the name of a model whose window less --max-tokens is taken. " +
			"Tokens are counted with cl100k_base, an estimate for Claude. A call stays with its result, the summary of a compaction always stays.\n\n" +
			"--trim cuts tool results that take more than 30 % of the budget, as clawctl guard does: behind a line, with a marker. The budget is --budget, else that of --fit, else 180,000 tokens.",
		examples: []string{
			"clawctl rebuild SESSION.jsonl | jq '.[-1]'",
			"clawctl rebuild ~/.openclaw#agent:main:main --request --model claude-opus-4-6 --max-tokens 1024 --prompt question.txt > request.json",
			"clawctl rebuild SESSION.jsonl --fixes - -o messages.json",
			"clawctl rebuild SESSION.jsonl --as native --ndjson | head -1",
		},
		exits: []int{exitOK, exitFindings, exitUsage, exitDamaged, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append([]cli.Flag{
			&cli.StringFlag{Name: "as", Value: "anthropic", Usage: "for whom: `FORM` is anthropic, openai or native"},
			&cli.StringFlag{Name: "leaf", Usage: "end at the entry with this `ID` instead of the session's leaf"},
			&cli.BoolFlag{Name: "ndjson", Usage: "one message a line instead of an array, like --format ndjson"},
			&cli.StringFlag{Name: "fixes", Usage: "write the fixes to `FILE` as NDJSON; - is stdout, and then messages are written only with -o"},
			&cli.BoolFlag{Name: "strict", Usage: "make no fix: exit 1 and name the first that is needed"},
			&cli.BoolFlag{Name: "request", Usage: "a whole request instead of its messages"},
			&cli.StringFlag{Name: "model", Usage: "the request's `MODEL`; default the one that answered last"},
			&cli.IntFlag{Name: "max-tokens", Usage: "the request's max_tokens, a number `N`", Value: 4096},
			&cli.StringFlag{Name: "system", Usage: "the request's system prompt, from `FILE`"},
			&cli.StringFlag{Name: "tools", Usage: "the request's tools, a JSON array in `FILE`"},
			&cli.StringFlag{Name: "prompt", Usage: "what the user says next, from `FILE` or - for stdin"},
			&cli.StringFlag{Name: "fit", Usage: "drop the oldest turns until the rest has at most `N` tokens, or fits a MODEL"},
			&cli.BoolFlag{Name: "trim", Usage: "cut tool results that take more than 30 % of the budget"},
			&cli.IntFlag{Name: "budget", Usage: "what --trim goes by, `N` tokens"},
		}, sourceFlags()...),
		formats: []string{"json", "ndjson"},
		run:     runRebuild,
	}
}

// A rebuildRun is one run of rebuild.
type rebuildRun struct {
	*transcript
	ctx     *cli.Context
	as      string
	lines   bool // one message a line
	request *request
	// resultLimit is how many tokens --trim leaves of a tool result, 0 without it.
	resultLimit int
}

// A request is what goes around the messages.
type request struct {
	model, system, prompt string
	maxTokens             int
	tools                 json.RawMessage
}

func runRebuild(a *app, ctx *cli.Context) error {
	defer keepSmall()()
	r := &rebuildRun{ctx: ctx, as: ctx.String("as"), lines: ctx.Bool("ndjson") || a.format == "ndjson"}
	if !slices.Contains([]string{"anthropic", "openai", "native"}, r.as) {
		return usageError("clawctl help rebuild", "--as is anthropic, openai or native, not %q", r.as)
	}
	if r.as == "native" && (ctx.IsSet("fixes") || ctx.Bool("strict") || ctx.Bool("trim")) {
		return usageError("clawctl help rebuild", "native messages are never mended; --fixes, --strict and --trim are for --as anthropic or openai")
	}
	if ctx.IsSet("budget") && !ctx.Bool("trim") {
		return usageError(a.commandLine("--trim"), "--budget belongs to --trim")
	}
	var err error
	if r.request, err = a.readRequest(ctx, r.as, r.lines); err != nil {
		return err
	}
	session, err := a.oneSession(ctx, true)
	if err != nil {
		return err
	}
	if r.transcript, err = a.openTranscript(session); err != nil {
		return err
	}
	context, err := r.index.Context(ctx.String("leaf"))
	if err != nil {
		return r.contextError(err)
	}
	if ctx.Bool("trim") {
		if r.resultLimit, err = r.resultLimitOf(ctx); err != nil {
			return err
		}
		context.LimitResults(r.resultLimit)
	}
	if ctx.IsSet("fit") {
		if err := r.fit(context); err != nil {
			return err
		}
	}
	if r.as == "native" {
		err = r.write(r.frame(), func(emit func([]byte) error) error { return context.Native(r.again(), emit) })
	} else {
		err = r.plan(context)
	}
	if err != nil {
		return err
	}
	return r.damage
}

// readRequest reads the flags and files of --request.
func (a *app) readRequest(ctx *cli.Context, as string, lines bool) (*request, error) {
	if !ctx.Bool("request") {
		for _, name := range []string{"model", "system", "tools"} {
			if ctx.IsSet(name) {
				return nil, usageError(a.commandLine("--request"), "--%s belongs to --request", name)
			}
		}
	}
	if ctx.Bool("request") && (as == "native" || lines) {
		return nil, usageError("clawctl help rebuild", "a request is one object, for anthropic or openai")
	}
	if ctx.IsSet("prompt") && as == "native" {
		return nil, usageError("clawctl help rebuild", "native messages are the transcript's own; --prompt adds one for --as anthropic or openai")
	}
	r := &request{model: ctx.String("model"), maxTokens: ctx.Int("max-tokens")}
	if r.maxTokens < 1 {
		return nil, usageError("clawctl help rebuild", "--max-tokens is at least 1, not %d", r.maxTokens)
	}
	for _, name := range []string{"system", "tools"} {
		if ctx.String(name) == "-" {
			return nil, usageError("clawctl help rebuild", "--%s takes a file; only --prompt can be stdin", name)
		}
	}
	if ctx.String("prompt") == "-" && slices.Contains([]string{"", "-"}, ctx.Args().First()) {
		return nil, usageError("clawctl help rebuild", "stdin cannot be both the transcript and the prompt")
	}
	var err error
	if r.system, err = a.readText(ctx, "system"); err != nil {
		return nil, err
	}
	if r.prompt, err = a.readText(ctx, "prompt"); err != nil {
		return nil, err
	}
	tools, err := a.readText(ctx, "tools")
	if err != nil {
		return nil, err
	}
	if tools = strings.TrimSpace(tools); tools != "" {
		var list []map[string]json.RawMessage
		if err := json.Unmarshal([]byte(tools), &list); err != nil {
			return nil, usageError("jq . "+shellQuote(ctx.String("tools")), "%s is not a JSON array of tools", ctx.String("tools"))
		}
		if len(list) > 0 {
			r.tools = json.RawMessage(tools)
		}
	}
	return r, nil
}

// readText reads the file that a flag names; - is stdin.
func (a *app) readText(ctx *cli.Context, flag string) (string, error) {
	text, err := a.readFlag(ctx, flag)
	if err == nil && ctx.IsSet(flag) && strings.TrimSpace(text) == "" {
		return "", usageError("clawctl help "+ctx.Command.Name, "--%s: %s is empty", flag, ctx.String(flag))
	}
	return text, err
}

// readFlag is readText for a file that may be empty.
func (a *app) readFlag(ctx *cli.Context, flag string) (string, error) {
	path := ctx.String(flag)
	if !ctx.IsSet(flag) {
		return "", nil
	}
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(a.stdin)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return "", inputError(path, err)
	}
	return strings.TrimRight(strings.ToValidUTF8(string(data), "\ufffd"), "\r\n"), nil
}

// contextError explains why there is no context.
func (r *rebuildRun) contextError(err error) error {
	f := &failure{exit: exitNothing, code: codeNothing, path: r.name, text: err.Error()}
	if leaf := r.ctx.String("leaf"); errors.Is(err, rebuild.ErrNoEntry) {
		f.text = "no entry " + leaf
		if r.kept == nil {
			f.hint = "clawctl cat -q " + shellQuote(r.session.Place()) + " | jq -r '.id // empty'"
		}
	}
	return f
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "x") {
		noun += "e"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// plan writes the conversation for an API.
func (r *rebuildRun) plan(context *rebuild.Context) error {
	plan := context.Conversation(rebuild.LimitsOf(r.as))
	if plan.Len() == 0 && r.request.prompt == "" {
		return &failure{exit: exitFindings, code: codeNoMessages, path: r.name, text: "nothing of the session can be sent: it has no messages", hint: r.nativeHint()}
	}
	if r.ctx.Bool("request") || r.request.prompt != "" {
		plan.EndWithUser(r.request.prompt)
	}
	if r.resultLimit > 0 {
		if err := plan.Trim(r.again(), tokens.CL100K, r.resultLimit); err != nil {
			return r.messageError(err)
		}
	}
	if r.ctx.Bool("strict") && len(plan.Fixes) > 0 {
		return r.refuse(plan.Fixes[0])
	}
	if err := r.mayWriteFixes(); err != nil {
		return err
	}
	if err := r.writeMessages(plan, context); err != nil {
		return err
	}
	return r.writeFixes(plan.Fixes)
}

// mayWriteFixes refuses a file of --fixes that something else needs.
func (r *rebuildRun) mayWriteFixes() error {
	path := r.ctx.String("fixes")
	if path == "" || path == "-" {
		return nil
	}
	if path == r.ctx.String("output") || isSameFile(path, r.session.Path) {
		return usageError("clawctl help rebuild", "--fixes would replace the messages or the transcript: %s", path)
	}
	return mayCreate(path, r.ctx.Bool("force"), r.commandLine("--force"))
}

// writeMessages writes the messages of a plan, or the request around them.
func (r *rebuildRun) writeMessages(plan *rebuild.Conversation, context *rebuild.Context) error {
	if r.ctx.String("fixes") == "-" && slices.Contains([]string{"", "-"}, r.ctx.String("output")) {
		return nil
	}
	messages := func(emit func([]byte) error) error { return plan.Anthropic(r.again(), emit) }
	if r.as == "openai" {
		messages = func(emit func([]byte) error) error { return plan.OpenAI(r.again(), emit) }
	}
	if !r.ctx.Bool("request") {
		return r.write(r.frame(), messages)
	}
	r.request.model = cmp.Or(r.request.model, context.Answering.ID)
	if r.request.model == "" {
		return usageError(r.commandLine("--model", "claude-opus-4-6"), "the session names no model")
	}
	return r.write(r.requestFrame(plan), messages)
}

// nativeHint is the command that shows what there is.
func (r *rebuildRun) nativeHint() string {
	if r.kept != nil {
		return ""
	}
	return "clawctl rebuild --as native " + shellQuote(r.session.Place())
}

// refuse is the error of --strict.
func (r *rebuildRun) refuse(fix rebuild.Fix) error {
	f := &failure{exit: exitFindings, code: string(fix.Code), path: r.name, line: fix.Line, text: fix.Code.Problem()}
	if fix.Entry != "" {
		f.text += " (entry " + fix.Entry + ")"
	}
	if r.kept == nil {
		f.hint = "clawctl rebuild --fixes - " + shellQuote(r.session.Place())
	}
	return f
}

// fixReport is the JSON form of a fix.
type fixReport struct {
	SchemaVersion int    `json:"schema_version"`
	Code          string `json:"code"`
	Path          string `json:"path"`
	Line          int64  `json:"line,omitempty"`
	Offset        int64  `json:"offset"`
	EntryID       string `json:"entry_id,omitempty"`
	Message       string `json:"message"`
}

// writeFixes writes the fixes where --fixes says, and a remark otherwise.
func (r *rebuildRun) writeFixes(fixes []rebuild.Fix) error {
	path := r.ctx.String("fixes")
	if path == "" {
		if len(fixes) > 0 {
			r.note("%s: %s made so that the API accepts it: %s; --fixes - lists them", r.name, counted(len(fixes), "fix"), tallyCodes(fixCodes(fixes)))
		}
		return nil
	}
	var b strings.Builder
	for _, f := range fixes {
		b.WriteString(jsonLine(fixReport{1, string(f.Code), r.name, f.Line, f.Offset, f.Entry, f.Code.Words()}))
	}
	if path == "-" {
		out := io.Writer(r.output)
		if r.ctx.String("output") != "" {
			out = r.stdout
		}
		if _, err := io.WriteString(out, b.String()); err != nil {
			return r.writeError(err)
		}
		return nil
	}
	if err := writeWhole(path, b.String()); err != nil {
		return outputError(path, err)
	}
	return nil
}

// fixCodes counts fixes by code.
func fixCodes(fixes []rebuild.Fix) map[string]int {
	codes := map[string]int{}
	for _, f := range fixes {
		codes[string(f.Code)]++
	}
	return codes
}

// A frame is what stands around messages.
type frame struct{ before, between, after, empty string }

var (
	arrayFrame = frame{"[\n", ",\n", "\n]\n", "[]\n"}
	linesFrame = frame{"", "\n", "\n", ""}
)

// write prints messages as they come.
func (r *rebuildRun) write(around frame, messages func(emit func([]byte) error) error) error {
	out := bufio.NewWriter(r.output)
	written := 0
	err := messages(func(message []byte) error {
		if written++; written == 1 {
			out.WriteString(around.before)
		} else {
			out.WriteString(around.between)
		}
		if _, err := out.Write(message); err != nil {
			return &writeFailure{err}
		}
		return nil
	})
	if err != nil {
		return r.messageError(err)
	}
	if written > 0 {
		out.WriteString(around.after)
	} else {
		out.WriteString(around.empty)
	}
	if err := out.Flush(); err != nil {
		return r.writeError(err)
	}
	return nil
}

// frame is what the flags ask for.
func (r *rebuildRun) frame() frame {
	if r.lines {
		return linesFrame
	}
	return arrayFrame
}

// messageError reports what ended the messages early.
func (r *rebuildRun) messageError(err error) error {
	var refused *rebuild.RefusalError
	if errors.As(err, &refused) {
		return &failure{exit: exitFindings, code: string(rebuild.RefusedDate), path: r.name, line: refused.Line, text: refused.Error(), hint: "clawctl explain " + string(rebuild.RefusedDate)}
	}
	if errors.Is(err, rebuild.ErrChanged) {
		return &failure{exit: exitUsage, code: codeChanged, path: r.name, text: err.Error(), hint: r.commandLine()}
	}
	return r.failed(err)
}

// requestFrame is the request around its messages.
func (r *rebuildRun) requestFrame(plan *rebuild.Conversation) frame {
	head := `{"model":` + jsonText(r.request.model) + `,"max_tokens":` + strconv.Itoa(r.request.maxTokens)
	first := ""
	if system := r.request.system; system != "" && r.as == "openai" {
		first = `{"role":"system","content":` + jsonText(system) + "},\n"
	} else if system != "" {
		head += `,"system":` + jsonText(system)
	}
	if tools := r.tools(plan); len(tools) > 0 {
		head += `,"tools":` + string(tools)
	}
	return frame{before: head + `,"messages":[` + "\n" + first, between: ",\n", after: "\n]}\n"}
}

// tools are those of --tools, else the names of those that were called: a request with calls must declare its tools.
func (r *rebuildRun) tools(plan *rebuild.Conversation) json.RawMessage {
	if r.request.tools != nil || len(plan.Tools()) == 0 {
		return r.request.tools
	}
	r.note("%s: no --tools: %s declared by name alone", r.name, counted(len(plan.Tools()), "tool"))
	var list []string
	for _, name := range plan.Tools() {
		if r.as == "openai" {
			list = append(list, `{"type":"function","function":{"name":`+jsonText(name)+`,"parameters":{"type":"object"}}}`)
		} else {
			list = append(list, `{"name":`+jsonText(name)+`,"input_schema":{"type":"object"}}`)
		}
	}
	return json.RawMessage("[" + strings.Join(list, ",") + "]")
}

// jsonText is a string as JSON.
func jsonText(s string) string { return strings.TrimSuffix(jsonLine(s), "\n") }
