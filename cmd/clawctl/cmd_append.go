package main

import (
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/store/session"
)

func newAppendCommand() *cli.Command {
	o := &addOptions{KeeperOptions: writing.NewKeeperOptions()}
	c := &cli.Command{
		Operands: "[KEY] [TEXT]",
		About: "Adds records at the end of a session in clawctl's store and prints their ids. When it returns, they are on " +
			"the disk. The session is created if there is none. Without KEY, session.defaultKey of the configuration names " +
			"it.\n\n" +
			"With --role, the arguments are [KEY] TEXT, and - reads the text from stdin. A tool result answers the " +
			"call of --call, or the only open one.\n\n" +
			"With --input, stdin has JSON: anthropic and openai are a whole response of the Messages API or of Chat " +
			"Completions, with its tool calls and token counts. message is one or more messages, in the form of OpenClaw or " +
			"of either API. record is one or more records. What they lack is filled in: ids, parents and times. A " +
			"record that names a parent begins a branch there.\n\n" +
			"The records are checked with the rules of clawctl validate, in the order of the session. An error is refused " +
			"with its code, and then nothing is written. A user message may follow another one, or an unanswered tool call. " +
			"All records of one command are added together, or none. Several processes may append to one session.\n\n" +
			"Text that is not UTF-8 is refused (CL003). --replace puts U+FFFD in place of each invalid sequence, and says how " +
			"often.",
		Examples: []cli.Example{
			{"Say something", "clawctl append me --role user 'What should I sow in May?'"},
			{"Ask the model, and keep its answer", "clawctl rebuild me --request --model claude-sonnet-4-5 | clawctl guard " +
				"| curl -sS https://api.anthropic.com/v1/messages -H \"x-api-key: $ANTHROPIC_API_KEY\" -H 'anthropic-version: " +
				"2023-06-01' -H 'content-type: application/json' -d @- | clawctl append me --input anthropic"},
			{"Answer a tool call", "uptime | clawctl append me --role tool --call toolu_01 -"},
			{"Copy a transcript", "clawctl cat SESSION.jsonl | clawctl append copy --input record"},
		},
		Exits:    writing.KeeperExits,
		Outcomes: map[int]string{failure.ExitFindings: "refused: the records do not fit, or are not messages"},
		Flags:    o.flags,
		Formats:  []string{"json"},
		Plain:    "the ids",
	}
	c.Run = func(a *cli.App, operands []string) error { return o.run(a, c, operands) }
	return c
}

// addOptions are the flags of append.
type addOptions struct {
	writing.KeeperOptions
	text    session.Text // --role and what belongs to it
	input   session.Form
	replace bool

	replaced int // how often
}

func (o *addOptions) flags() []cli.Flag {
	flags := []cli.Flag{
		cli.ChoiceFlag(&o.text.Role, "role", "ROLE", session.Roles, "who says the TEXT"),
		cli.ChoiceFlag(&o.input, "input", "FORM", session.Forms, "read JSON in this form from stdin"),
		cli.RequiredTextFlag(&o.text.Call, "call", "ID", "the tool call that a result answers").
			WithDefault("the only open one"),
		cli.SwitchFlag(&o.text.IsError, "error", "the tool failed"),
		cli.SwitchFlag(&o.replace, "replace", "put U+FFFD in place of invalid UTF-8 instead of refusing it"),
	}
	return slices.Concat(flags, o.KeeperOptions.Flags())
}

func (o *addOptions) run(a *cli.App, c *cli.Command, operands []string) error {
	if err := o.check(c); err != nil {
		return err
	}
	key, text, err := o.arguments(a, c, operands)
	if err != nil {
		return err
	}
	drafts, err := o.drafts(a, c, text)
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

// check refuses flags that exclude or need each other.
func (o *addOptions) check(c *cli.Command) error {
	switch {
	case o.text.Role == "" && o.input == "":
		return c.Usage("append needs --role or --input")
	case o.text.Role != "" && o.input != "":
		return c.Conflict("--role", "--input")
	case o.text.Role != session.Tool && o.text.Call != "":
		return c.Usage("--call needs --role tool")
	case o.text.Role != session.Tool && o.text.IsError:
		return c.Usage("--error needs --role tool")
	}
	return nil
}

// arguments returns the key, and the text that --role takes.
func (o *addOptions) arguments(a *cli.App, c *cli.Command, operands []string) (key, text string, err error) {
	least := 0
	if o.text.Role != "" {
		least = 1
	}
	switch {
	case len(operands) < least:
		return "", "", c.Usage("--role needs a TEXT, or - to read it from stdin")
	case len(operands) > least+1 && o.text.Role != "":
		return "", "", c.Usage("append takes [KEY] TEXT, got %d arguments; quote the text", len(operands))
	case len(operands) > least+1:
		return "", "", c.Usage("append takes one KEY, got %d arguments", len(operands))
	}
	if o.text.Role != "" {
		text = operands[len(operands)-1]
	}
	if len(operands) > least {
		return operands[0], text, nil
	}
	key, err = writing.DefaultKey(a, c)
	return key, text, err
}

// drafts returns what is appended: a text, or what is on stdin.
func (o *addOptions) drafts(a *cli.App, c *cli.Command, text string) ([]session.Draft, error) {
	if o.text.Role != "" && text != "-" {
		valid, err := o.validText(a, "TEXT", []byte(text))
		return []session.Draft{o.text.Draft(string(valid))}, err
	}
	if ui.IsTerminal(a.Stdin) {
		return nil, c.Usage("stdin is a terminal; pipe something into it")
	}
	input, err := session.ReadInput(a.Stdin)
	if err != nil {
		return nil, inputError(err)
	}
	input, err = o.validText(a, cli.StdinName, input)
	switch {
	case err != nil:
		return nil, err
	case o.text.Role != "":
		return []session.Draft{o.text.Draft(string(input))}, nil
	}
	drafts, err := o.input.Drafts(input)
	if err != nil {
		return nil, inputError(err)
	}
	return drafts, nil
}

// inputError is the failure of what is on stdin.
func inputError(err error) error {
	if f := failure.From(cli.StdinName, err); f != nil {
		return f
	}
	return cli.InputError(cli.StdinName, err)
}

// validText returns an input that is UTF-8. An input that is not is refused, unless its invalid bytes are replaced.
func (o *addOptions) validText(a *cli.App, place string, input []byte) ([]byte, error) {
	at := jsonl.FirstBadUTF8(input)
	if at < 0 {
		return input, nil
	}
	if !o.replace {
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
	if k.App.JSON {
		return k.App.Print(cli.JSONLine(done.Row(k.Path, o.DryRun, o.replaced)))
	}
	if o.DryRun {
		k.App.Note("%s: would append %s", done.Key, ui.Count(len(done.Entries), "record"))
	}
	if done.Created {
		k.App.Note("%s: %s session %s", done.Key, o.Would("began", "begin"), done.ID)
	}
	if origin, err := writing.LiveOrigin(k.App.Ctx, k.Keeper.Store, done.Key); err == nil {
		writing.NoteOrigin(k.App, origin)
	}
	if len(done.Open) > 0 {
		k.App.Note("%s: %s without a result: %s", done.Key, ui.Count(len(done.Open), "tool call"), callNames(done.Open))
	}
	var ids strings.Builder
	for _, e := range done.Entries {
		if e.Type != jsonl.TypeSession {
			ids.WriteString(e.ID + "\n")
		}
	}
	return k.App.Print(ids.String())
}

// callNames lists tool calls.
func callNames(calls []rebuild.Call) string {
	var names []string
	for _, c := range calls {
		names = append(names, c.Name+" "+c.ID)
	}
	return strings.Join(names, ", ")
}
