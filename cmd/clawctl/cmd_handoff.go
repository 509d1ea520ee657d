package main

import (
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/export/handoff"
	"clawctl/pkg/source"
)

func newHandoffCommand() *cli.Command {
	return &cli.Command{
		Options: &handoffOptions{CounterOption: reading.CounterOption{Encoding: reading.Encodings[0]}},
		Formats: []string{"markdown", "json"},
	}
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

// OwnFlags makes the flags.
func (o *handoffOptions) OwnFlags() []cli.Flag {
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

// Run runs the command.
func (o *handoffOptions) Run(a *cli.App, operands []string) error {
	defer reading.KeepSmall()()
	rules, err := o.values.Rules(a, o.raw)
	if err != nil {
		return err
	}
	search := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Stdin: true, ByDefault: true}
	session, err := reading.OneSession(a, operands, search)
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
	if a.WantsJSON() {
		err = a.PrintJSON(prompt)
	} else {
		err = a.Print(prompt.Text)
	}
	if err != nil {
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
	name := t.Session.Place()
	switch {
	case t.Kept != nil:
		name = "" // other commands cannot read it
	case t.Session.Listed:
		name = t.Session.Name()
	}
	material, err := handoff.Collect(handoff.Source{
		Name: name, ID: t.Session.ID, Program: t.Index.Program, Context: context, Records: t.Again(),
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
