package main

import (
	"errors"
	"fmt"
	"strings"

	"clawctl/internal/browsing"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/report/catalog"
	"clawctl/pkg/source"
)

func newBrowseCommand() *cli.Command {
	return &cli.Command{
		Options: &browseOptions{},
	}
}

// browseOptions are the flags of browse.
type browseOptions struct {
	Harness cli.HarnessOption
	cli.SourceOptions
}

// Run runs the command.
func (o *browseOptions) Run(a *cli.App, operands []string) error {
	if !a.Output.Term.Is || !ui.IsTerminal(a.Stdin) {
		return failure.Usage(failure.Command(append([]string{"clawctl", "sessions"}, operands...)...),
			"browse needs a terminal")
	}
	masks, err := cli.MasksReading(a)
	if err != nil {
		return err
	}
	defer reading.KeepSmall()() // a browser stays open
	items, err := o.items(a, operands)
	if err != nil {
		return err
	}
	command, err := browsing.Run(a, browsing.NewModel(items, a.Output.Term, masks))
	switch {
	case errors.Is(err, ui.ErrNoScreen):
		return failure.Usage("clawctl sessions", "browse needs a terminal")
	case err != nil:
		return a.Output.Failed(err)
	case command == "":
		return nil
	}
	return a.PrintStyled(ui.EscapeLine(command) + "\n")
}

// items lists the sessions as the command sessions does, with copies folded under their originals.
func (o *browseOptions) items(a *cli.App, operands []string) (items []*browsing.Item, err error) {
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.EveryKind, Harness: &o.Harness}
	m, err := cli.FindHosts(a, operands, s)
	if err != nil {
		return nil, err
	}
	list, err := reading.ListSessions(a, m, 0, false)
	if err != nil {
		return nil, err
	}
	list.Sort(catalog.Orders()[0])
	list.Fold()
	for _, row := range list.Rows {
		items = append(items, &browsing.Item{
			Session: row.Session, Name: row.Name, Title: row.Title, About: aboutRow(a, row), Actions: actionsOf(row),
		})
	}
	return items, nil
}

// aboutRow says what a session is: its agent and kind, how large it is, and when it was used.
func aboutRow(a *cli.App, row *catalog.Row) string {
	words := []string{row.Agent, string(row.Kind)}
	if row.Counts() {
		words = append(words, ui.Count(*row.Messages, "message"))
	}
	words = append(words, ui.Bytes(row.Bytes))
	if row.Last != nil {
		words = append(words, a.When(*row.Last))
	}
	if n := row.Copies(); n > 0 {
		words = append(words, fmt.Sprintf("+%d", n))
	}
	return strings.Join(words, " · ")
}

// actionsOf are the command lines that browse offers for a session.
func actionsOf(row *catalog.Row) []browsing.Action {
	name := row.Name
	list := []browsing.Action{
		{Name: "read it as a page",
			Command: failure.Command("clawctl", "show", name, "--format", "html", "-o", "session.html")},
		{Name: "continue elsewhere", Command: failure.Command("clawctl", "handoff", name)},
		{Name: "share it without secrets", Command: failure.Command("clawctl", "redact", name, "-o", "redacted.jsonl")},
		{Name: "pack it", Command: failure.Command("clawctl", "export", "--as", "bundle", name, "-o", "session.tar.zst")},
	}
	if row.Kind != source.Live {
		list = append(list, browsing.Action{Name: "restore it", Command: failure.Command("clawctl", "restore", name)})
	}
	if row.Resume != "" {
		list = append(list, browsing.Action{Name: "resume it in its own program", Command: row.Resume})
	}
	return list
}
