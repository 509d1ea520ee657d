package main

import (
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/export/handoff"
	"clawctl/pkg/source"
)

func newHandoffCommand() *cli.Command {
	o := &handoffOptions{CounterOption: reading.CounterOption{Encoding: reading.Encodings[0]}}
	c := &cli.Command{
		Operands: "[SESSION]",
		About: "Prints a prompt with which another program, or another model, can continue a session. It has the first and " +
			"the latest request, the summary of the last compaction, decisions, unfinished tasks, tool calls without a " +
			"result, the files that were changed, read and named in shell commands, and the last turns word " +
			"for word. Each part names its entry or line. No model is asked: the same session gives the same prompt.\n\n" +
			"A SESSION is a file, PLACE#SESSION, the name of a session, or - for stdin (see clawctl help sources).\n\n" +
			"The prompt has at most --fit tokens. Every section first gets a share of them, the last turns get the rest, and " +
			"its last line names what is left out. A part is cut only if it does not fit as a whole. Results of " +
			"tools and arguments of calls are cut to 1,000 characters.\n\n" +
			"Text of the transcript is quoted line by line, and the prompt calls it data, because results of tools may " +
			"contain instructions. What looks like a key or a password is masked, unless --raw.\n\n" +
			"To continue in the program that wrote the session, run the command that clawctl show prints above it, " +
			"which is also the field resume of clawctl sessions --json.",
		Examples: []cli.Example{
			{"Continue the last session in Claude Code", `claude "$(clawctl handoff --session @last)"`},
			{"Write a longer prompt to a file", "clawctl handoff agent:main:main --fit 20k -o prompt.md"},
			{"List the files that were changed", "clawctl handoff SESSION.jsonl --json | " +
				"jq -r '.parts[] | select(.kind == \"changed_file\").text'"},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing, failure.ExitDatabase,
			failure.ExitLocked, failure.ExitInterrupted,
		},
		Flags:   o.flags,
		Formats: []string{"markdown", "json"},
	}
	c.Run = func(a *cli.App, operands []string) error { return o.run(a, c, operands) }
	return c
}

// handoffLimit is how many tokens a prompt has without --fit.
const handoffLimit = 4000

// handoffOptions are the flags of handoff.
type handoffOptions struct {
	cli.SourceOptions
	reading.ProgramOption
	reading.CounterOption
	fit    *int64
	raw    bool
	values cli.ValuesOption

	harness cli.HarnessOption
}

func (o *handoffOptions) flags() []cli.Flag {
	flags := []cli.Flag{
		cli.TokensFlag(&o.fit, "fit", 1, "how many tokens the prompt may have").WithDefault("4000"),
		o.CounterOption.Flag("how to count tokens"),
		o.CounterOption.ModelFlag(),
		cli.SwitchFlag(&o.raw, "raw", "do not mask keys and passwords"),
		o.values.Flag(),
		o.harness.Flag(),
		o.ProgramOption.Flag(),
	}
	return slices.Concat(flags, o.SourceOptions.Flags())
}

func (o *handoffOptions) run(a *cli.App, c *cli.Command, operands []string) error {
	defer reading.KeepSmall()()
	rules, err := o.values.Rules(a, c.Name, o.raw)
	if err != nil {
		return err
	}
	search := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Stdin: true, ByDefault: true}
	session, err := reading.OneSession(a, c.Name, operands, search)
	if err != nil {
		return err
	}
	if err := cli.JoinHarness(a, []*source.Session{session}, o.harness); err != nil {
		return err
	}
	cli.NoteUnread(a, []*source.Session{session})
	t, err := reading.OpenHistory(a, session, o.ProgramOption)
	if err != nil {
		return err
	}
	masker := &redact.Masker{Raw: o.raw, Rules: rules}
	prompt, err := o.prompt(t, masker)
	if err != nil {
		return t.Failed(err)
	}
	if err := printHandoff(a, prompt); err != nil {
		return err
	}
	if masker.Count > 0 {
		a.Note("masked %s; --raw shows what looks like a key or a password", ui.Count(masker.Count, "secret"))
	}
	return t.Damage
}

// prompt makes the prompt of a session.
func (o *handoffOptions) prompt(t *reading.Transcript, masker *redact.Masker) (*handoff.Prompt, error) {
	context, err := t.ContextAt("")
	if err != nil {
		return nil, err
	}
	material, err := handoff.Collect(handoff.Source{
		Name: nameOfSource(t), ID: t.Session.ID, Program: t.Index.Program, Context: context, Records: t.Again(),
		Masker: masker,
	})
	if err != nil {
		return nil, err
	}
	limit := handoffLimit
	if o.fit != nil {
		limit = int(*o.fit)
	}
	prompt, err := material.Fit(limit, o.Counter())
	if err != nil {
		return prompt, err
	}
	prompt.Encoding = o.Encoding
	return prompt, nil
}

// nameOfSource is what other commands call a session, "" if they cannot read it.
func nameOfSource(t *reading.Transcript) string {
	switch {
	case t.Kept != nil:
		return ""
	case t.Session.Listed:
		return t.Session.Name()
	}
	return t.Session.Place()
}

func printHandoff(a *cli.App, p *handoff.Prompt) error {
	if a.WantsJSON() {
		return a.Print(cli.JSONLine(p))
	}
	return a.Print(p.Text)
}
