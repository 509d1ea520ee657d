package main

import (
	"cmp"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/rebuild"
)

// readRequest reads the files that the flags name: what goes around the messages, and the message to add to them.
func (o *rebuildOptions) readRequest(a *cli.App) (r *rebuild.Request, prompt string, err error) {
	r = &rebuild.Request{Form: o.As, MaxTokens: rebuild.DefaultMaxTokens}
	if o.MaxTokens != nil {
		r.MaxTokens = *o.MaxTokens
	}
	if r.System, err = cli.ReadFilledFile(a, "system", o.System); err != nil {
		return nil, "", err
	}
	if prompt, err = cli.ReadMessageFile(a, "prompt", o.Prompt); err != nil {
		return nil, "", err
	}
	if err := a.RefuseEmpty("prompt", o.Prompt, prompt); err != nil {
		return nil, "", err
	}
	tools, err := cli.ReadFilledFile(a, "tools", o.Tools)
	if err != nil || tools == "" {
		return r, prompt, err
	}
	if r.Tools, err = rebuild.ParseTools(tools); err != nil {
		hint := failure.Command("jq", ".", o.Tools)
		return nil, "", failure.Usage(hint, "--tools must be a JSON array of tools, got %s", o.Tools)
	}
	return r, prompt, nil
}

// requestFrame is the request around its messages.
func (r *rebuildRun) requestFrame(plan *rebuild.Conversation) (cli.Frame, error) {
	if r.request.Model = cmp.Or(r.Model, r.context.Answering.ID); r.request.Model == "" {
		hint := r.CommandLine("--model", "claude-opus-4-6")
		return cli.Frame{}, failure.Usage(hint, "--request needs --model: the session names no model")
	}
	if !r.request.SuitsModel(r.context) {
		r.Note("%s: %s is not a model of Anthropic, and the request is for Anthropic's API", r.transcript.Name,
			r.request.Model)
		r.Hint(r.CommandLine("--as", rebuild.FormOpenAI))
	}
	prompt, err := r.context.Prompt(r.again())
	if err != nil {
		return cli.Frame{}, r.transcript.Failed(err)
	}
	r.request.Complete(prompt)
	if n := r.request.DeclareCalled(plan); n > 0 {
		r.Note("%s: without --tools, %s declared by name alone", r.transcript.Name, ui.Are(n, "tool"))
	}
	before, after := r.request.Text()
	return cli.Frame{Before: before, Between: ",\n", After: after}, nil
}

// notePrompt says that the messages alone are without the prompt and the tools of the session.
func (r *rebuildRun) notePrompt() error {
	prompt, err := r.context.Prompt(r.again())
	if err != nil {
		return r.transcript.Failed(err)
	}
	if words := prompt.Words(r.As); words != "" {
		r.Note("%s: printed the messages without %s of the session", r.transcript.Name, words)
		r.Hint(cmp.Or(r.hint("--as", r.As, "--request"),
			failure.Command("clawctl", "rebuild", "--as", r.As, "--request")))
	}
	return nil
}
