package main

import (
	"path/filepath"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/store/session"
)

func newNewCommand() *cli.Command {
	return &cli.Command{
		Options: &newOptions{KeeperOptions: writing.NewKeeperOptions()},
		Formats: []string{"json"},
		Plain:   "the id",
	}
}

// newOptions are the flags of new.
type newOptions struct {
	Title  string `flag:"title TITLE: what the session is about"`
	Model  string `flag:"model MODEL: the model that will answer, such as anthropic/claude-sonnet-4-5"`
	Cwd    string `flag:"cwd FOLDER: the folder that the session works in" default:"this one"`
	Rename string `flag:"rename OLD: give the session OLD the KEY, instead of beginning one"`
	writing.KeeperOptions
}

// Run runs the command.
func (o *newOptions) Run(a *cli.App, operands []string) error {
	if len(operands) != 1 {
		return cli.Usage("new takes one KEY, got %d arguments", len(operands))
	}
	if err := a.Alone("rename", "title", "model", "cwd"); err != nil {
		return err
	}
	missing := writing.MayCreate
	if o.Rename != "" {
		missing = writing.MustExist
	}
	k, err := o.Open(a, missing)
	if err != nil {
		return err
	}
	defer k.Close()
	if o.Rename != "" {
		if o.Rename, err = k.Resolve(o.Rename); err != nil {
			return err
		}
		return o.renameSession(k, operands[0])
	}
	return o.begin(k, operands[0])
}

// begin begins a session.
func (o *newOptions) begin(k *writing.StoreAccess, key string) error {
	folder := writing.WorkingFolder()
	if o.Cwd != "" {
		folder = cli.ExpandHome(o.Cwd)
		if absolute, err := filepath.Abs(folder); err == nil {
			folder = absolute
		}
	}
	begun, err := k.Keeper.Begin(k.Ctx, key, session.Options{Title: o.Title, Model: o.Model, CWD: folder})
	if err != nil {
		return k.Failed(key, err)
	}
	if k.JSON {
		return k.PrintJSON(begun.Row(k.Path, o.DryRun))
	}
	if begun.Previous != "" {
		k.Note("%s: the session before %s %s", key, o.Would("is now", "become"), begun.Previous)
	}
	return k.Print(begun.ID + "\n")
}

// renameSession gives a session another key.
func (o *newOptions) renameSession(k *writing.StoreAccess, key string) error {
	n, err := k.Keeper.Rename(k.Ctx, o.Rename, key)
	if err != nil {
		f := k.Failed(o.Rename, err)
		if taken, ok := f.(*failure.Error); ok && taken.Code == failure.Exists {
			taken.Hint = failure.Command("clawctl", "show", k.Path+"#"+key)
		}
		return f
	}
	if k.JSON {
		return k.PrintJSON(session.NewRenamedRow(o.Rename, key, n, o.DryRun))
	}
	k.Note("%s: %s %s with %s", o.Rename, o.Would("renamed to", "be renamed to"), key, ui.Count(n, "generation"))
	return nil
}
