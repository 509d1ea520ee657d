package main

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
)

// defaultMaxTokens is the max_tokens of a request without --max-tokens.
const defaultMaxTokens = 4096

// A request is what goes around the messages.
type request struct {
	system, prompt string
	maxTokens      int64
	tools          json.RawMessage
}

// readRequest reads the files that the flags name.
func (o *rebuildOptions) readRequest(a *cli.App) (r *request, err error) {
	r = &request{maxTokens: defaultMaxTokens}
	if o.maxTokens != nil {
		r.maxTokens = *o.maxTokens
	}
	if r.system, err = cli.ReadFilledFile(a, "rebuild", "system", o.system); err != nil {
		return nil, err
	}
	if r.prompt, err = cli.ReadFilledFile(a, "rebuild", "prompt", o.prompt); err != nil {
		return nil, err
	}
	tools, err := cli.ReadFilledFile(a, "rebuild", "tools", o.tools)
	if err != nil || tools == "" {
		return r, err
	}
	var list []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(tools), &list); err != nil {
		hint := failure.Command("jq", ".", o.tools)
		return nil, failure.Usage(hint, "--tools must be a JSON array of tools, got %s", o.tools)
	}
	if len(list) > 0 {
		r.tools = json.RawMessage(strings.TrimSpace(tools))
	}
	return r, nil
}

// requestFrame is the request around its messages.
func (r *rebuilding) requestFrame(plan *rebuild.Conversation) (cli.Frame, error) {
	model := cmp.Or(r.options.model, r.context.Answering.ID)
	if model == "" {
		hint := r.app.CommandLine("--model", "claude-opus-4-6")
		return cli.Frame{}, failure.Usage(hint, "--request needs --model: the session names no model")
	}
	prompt, err := r.context.Prompt(r.transcript.AgainFor(r.context))
	if err != nil {
		return cli.Frame{}, r.transcript.Failed(err)
	}
	r.request.add(prompt, r.options.as)
	head := `{"model":` + jsonl.Quote(model) + `,"max_tokens":` + strconv.FormatInt(r.request.maxTokens, 10)
	first := ""
	if system := r.request.system; system != "" && r.options.as == formOpenAI {
		first = `{"role":"system","content":` + jsonl.Quote(system) + "},\n"
	} else if system != "" {
		head += `,"system":` + jsonl.Quote(system)
	}
	if tools := r.tools(plan); len(tools) > 0 {
		head += `,"tools":` + string(tools)
	}
	return cli.Frame{Before: head + `,"messages":[` + "\n" + first, Between: ",\n", After: "\n]}\n"}, nil
}

// notePrompt says that the messages alone are without the prompt and the tools of the session.
func (r *rebuilding) notePrompt() error {
	prompt, err := r.context.Prompt(r.transcript.AgainFor(r.context))
	if err != nil {
		return r.transcript.Failed(err)
	}
	var parts []string
	if prompt.Text() != "" {
		parts = append(parts, "the system prompt")
	}
	if tools := len(prompt.Tools(r.options.as)); tools > 0 {
		parts = append(parts, ui.Count(tools, "tool"))
	}
	if len(parts) == 0 {
		return nil
	}
	r.app.Note("%s: printed the messages without %s of the session", r.transcript.Name, strings.Join(parts, " and "))
	command := []string{"clawctl", "rebuild", "--as", r.options.as, "--request"}
	if r.transcript.Kept == nil {
		command = append(command, r.transcript.Session.Place())
	}
	r.app.Hint(failure.Command(command...))
	return nil
}

// add takes the prompt and the tools of the session for what the flags do not give.
func (r *request) add(prompt *rebuild.Prompt, form string) {
	r.system = cmp.Or(r.system, prompt.Text())
	if tools := prompt.Tools(form); r.tools == nil && len(tools) > 0 {
		r.tools = json.RawMessage("[" + strings.Join(tools, ",") + "]")
	}
}

// tools are those of --tools, or the names of those that were called: a request with tool calls must declare its tools.
func (r *rebuilding) tools(plan *rebuild.Conversation) json.RawMessage {
	if r.request.tools != nil || len(plan.Tools()) == 0 {
		return r.request.tools
	}
	r.app.Note("%s: without --tools, %s declared by name alone", r.transcript.Name, ui.Are(len(plan.Tools()), "tool"))
	var list []string
	for _, name := range plan.Tools() {
		list = append(list, rebuild.DeclareTool(r.options.as, name))
	}
	return json.RawMessage("[" + strings.Join(list, ",") + "]")
}
