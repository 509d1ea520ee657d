package main

import (
	"cmp"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/store/session"
)

func newAppendCommand() *cli.Command {
	return &cli.Command{
		Options: &addOptions{KeeperOptions: writing.NewKeeperOptions()},
		Formats: []string{"json"},
		Plain:   "the ids",
	}
}

// addOptions are the flags of append.
type addOptions struct {
	Role    session.Role `flag:"role"`
	Input   session.Form `flag:"input"`
	Call    string       `flag:"call ID: the tool call that a result answers" default:"the only open one"`
	Error   bool         `flag:"error: the tool failed"`
	Replace bool         `flag:"replace: put U+FFFD in place of invalid UTF-8 instead of refusing it"`
	writing.KeeperOptions

	replaced int // how often
}

// OwnFlags makes the flags.
func (o *addOptions) OwnFlags() []cli.Flag {
	return cli.FlagsOf(o,
		cli.ChoiceFlag(&o.Role, "role", "ROLE", session.Roles, "who says the TEXT"),
		cli.ChoiceFlag(&o.Input, "input", "FORM", session.Forms, "read JSON in this form from stdin"))
}

// Run runs the command.
func (o *addOptions) Run(a *cli.App, operands []string) error {
	switch {
	case o.Role == "" && o.Input == "":
		return cli.Usage("append needs --role or --input")
	case o.Role != "" && o.Input != "":
		return cli.Conflict("--role", "--input")
	case o.Role != session.Tool && o.Call != "":
		return cli.Usage("--call needs --role tool")
	case o.Role != session.Tool && o.Error:
		return cli.Usage("--error needs --role tool")
	}
	key, text, err := o.arguments(a, operands)
	if err != nil {
		return err
	}
	drafts, err := o.drafts(a, text)
	if err != nil {
		return err
	}
	k, err := o.Open(a, writing.MayCreate)
	if err != nil {
		return err
	}
	defer k.Close()
	if key, err = k.ResolveExisting(key); err != nil {
		return err
	}
	done, err := k.Keeper.Append(a.Ctx, key, session.Options{CWD: writing.WorkingFolder()}, drafts)
	if err != nil {
		return k.Failed(key, err)
	}
	return o.report(k, done)
}

// arguments returns the key, and the text that --role takes.
func (o *addOptions) arguments(a *cli.App, operands []string) (key, text string, err error) {
	least := 0
	if o.Role != "" {
		least = 1
	}
	switch {
	case len(operands) < least:
		return "", "", cli.Usage("--role needs a TEXT, or - to read it from stdin")
	case len(operands) > least+1 && o.Role != "":
		return "", "", cli.Usage("append takes [KEY] TEXT, got %d arguments; quote the text", len(operands))
	case len(operands) > least+1:
		return "", "", cli.Usage("append takes one KEY, got %d arguments", len(operands))
	}
	if o.Role != "" {
		text = operands[len(operands)-1]
	}
	if len(operands) > least {
		return operands[0], text, nil
	}
	key, err = writing.DefaultKey(a)
	return key, text, err
}

// drafts returns what is appended: a text, or what is on stdin.
func (o *addOptions) drafts(a *cli.App, text string) ([]session.Draft, error) {
	said := session.Text{Role: o.Role, Call: o.Call, IsError: o.Error}
	if o.Role != "" && text != "-" {
		valid, err := o.validText(a, "TEXT", []byte(text))
		return []session.Draft{said.Draft(string(valid))}, err
	}
	if ui.IsTerminal(a.Stdin) {
		return nil, cli.Usage("stdin is a terminal; pipe something into it")
	}
	input, err := session.ReadInput(a.Stdin)
	if err != nil {
		return nil, inputError(err)
	}
	input, err = o.validText(a, cli.StdinName, input)
	switch {
	case err != nil:
		return nil, err
	case o.Role != "":
		return []session.Draft{said.Draft(string(input))}, nil
	}
	drafts, err := o.Input.Drafts(input)
	if err != nil {
		return nil, inputError(err)
	}
	return drafts, nil
}

// inputError is the failure of what is on stdin.
func inputError(err error) error {
	return cmp.Or(failure.From(cli.StdinName, err), cli.InputError(cli.StdinName, err))
}

// validText returns an input that is UTF-8. An input that is not is refused, unless its invalid bytes are replaced.
func (o *addOptions) validText(a *cli.App, place string, input []byte) ([]byte, error) {
	at := jsontext.FirstBadUTF8(input)
	if at < 0 {
		return input, nil
	}
	if !o.Replace {
		hint := "clawctl help append" // a terminal cannot show the same command
		if place == cli.StdinName {
			hint = a.CommandLine("--replace")
		}
		return nil, failure.New(jsonl.BadUTF8, "refused: invalid UTF-8 at byte %d", at).
			At(place).WithExit(failure.ExitFindings).WithHint(hint)
	}
	var valid []byte
	valid, o.replaced = session.ReplaceInvalid(input)
	a.Note("%s: put U+FFFD in place of invalid UTF-8 %s", place, ui.Count(o.replaced, "time"))
	return valid, nil
}

// report prints the ids of the new records.
func (o *addOptions) report(k *writing.StoreAccess, done *session.Addition) error {
	if k.JSON {
		return k.PrintJSON(done.Row(k.Path, o.DryRun, o.replaced))
	}
	if o.DryRun {
		k.Note("%s: would append %s", done.Key, ui.Count(len(done.Entries), "record"))
	}
	if done.Created {
		k.Note("%s: %s session %s", done.Key, o.Would("began", "begin"), done.ID)
	}
	if origin, err := writing.LiveOrigin(k.Ctx, k.Keeper.Store, done.Key); err == nil {
		writing.NoteOrigin(k.App, origin)
	}
	if len(done.Open) > 0 {
		var names []string
		for _, c := range done.Open {
			names = append(names, c.Name+" "+c.ID)
		}
		k.Note("%s: %s without a result: %s", done.Key, ui.Count(len(names), "tool call"), strings.Join(names, ", "))
	}
	var ids strings.Builder
	for _, e := range done.Entries {
		if e.Type != jsonl.TypeSession {
			ids.WriteString(e.ID + "\n")
		}
	}
	return k.Print(ids.String())
}
