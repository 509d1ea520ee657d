package main

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/session"
	"clawctl/pkg/store"
)

func newRestoreCommand() *cli.Command {
	o := &restoreOptions{KeeperOptions: writing.NewKeeperOptions()}
	c := &cli.Command{
		Name: "restore", Group: "store", Operands: "[KEY|ARCHIVE]",
		Summary: "Bring back a deleted session, an earlier generation, or an archive",
		About: "Makes a session live again in clawctl's store. A KEY is that of a session in the trash, or KEY@GENERATION. " +
			"trash:3 is an item of the trash, unless a session has that key. An ARCHIVE is a transcript anywhere, such as a " +
			".reset, .deleted or .bak file or a checkpoint, compressed or not. Its text is stored byte for byte, and the file " +
			"stays as it is.\n\n" +
			"If a live session has the key, nothing is changed. --as-new makes a copy with another key and new ids " +
			"instead, and leaves the original where it is.\n\n" +
			"With -o FOLDER the store is not changed. The session is written to a new folder as JSONL, with a " +
			"sessions.json that registers it, which OpenClaw's doctor imports.\n\n" +
			"clawctl undo reverts a change to a file. restore revives a session.",
		Examples: []cli.Example{
			{"What is in the trash?", "clawctl restore --list"},
			{"Bring a deleted session back", "clawctl restore me"},
			{"Revive a conversation that OpenClaw has reset",
				"clawctl restore ~/.openclaw/agents/main/sessions/*.jsonl.reset.2026-05-04T14-58-56.795Z --as-new garden"},
			{"Give it back to OpenClaw", "clawctl restore me@reset.2026-05-04T14-58-56.795Z -o revived"},
		},
		Exits:       append(slices.Clone(writing.KeeperExits), failure.ExitDamaged),
		Flags:       o.flags(),
		Formats:     cli.ReportFormats,
		Plain:       "the key",
		OpensOutput: true,
	}
	c.Run = func(a *cli.App, operands []string) error { return o.run(a, c, operands) }
	return c
}

// restoreOptions are the flags of restore.
type restoreOptions struct {
	writing.KeeperOptions
	list  bool
	asNew string
}

func (o *restoreOptions) flags() []cli.Flag {
	flags := []cli.Flag{
		cli.SwitchFlag(&o.list, "list", "list the trash"),
		cli.RequiredTextFlag(&o.asNew, "as-new", "KEY", "restore it as a new session with this key and new ids"),
	}
	return slices.Concat(flags, o.KeeperOptions.Flags())
}

func (o *restoreOptions) run(a *cli.App, c *cli.Command, operands []string) error {
	switch {
	case o.list && (len(operands) > 0 || o.asNew != ""):
		return c.Usage("--list takes no argument and no --as-new")
	case o.list:
		return o.printTrash(a)
	case len(operands) != 1:
		return c.Usage("restore takes one KEY or ARCHIVE, got %d arguments", len(operands))
	}
	missing := writing.MayBeMissing
	if o.ReadOnly = !a.Output.Options.IsStdout(); !o.ReadOnly && cli.IsPath(operands[0]) {
		missing = writing.MayCreate
	}
	k, err := o.Open(a, missing)
	if err != nil {
		return err
	}
	defer k.Close()
	origin, err := o.find(k, operands[0])
	if err != nil {
		return err
	}
	var done *session.Restored
	folder := "" // that the session is written to; "" for the store
	if a.Output.Options.IsStdout() {
		done, err = k.Restore(a.Ctx, origin, o.asNew)
	} else {
		folder = a.Output.Options.Path
		done, err = k.WriteFolder(a.Ctx, &k.Store.View, origin, o.asNew, folder)
	}
	if err != nil {
		return o.failed(k, origin, err)
	}
	return o.report(k, done, folder)
}

// find returns what is restored: something in the store, or a file. Names are never looked up elsewhere.
func (o *restoreOptions) find(k *writing.Keeping, name string) (*session.Origin, error) {
	if !cli.IsPath(name) {
		return o.findStored(k, name)
	}
	m, err := cli.Find(k.App, name, cli.Search{Defaults: cli.EveryKind, Fast: true, Exact: true})
	switch {
	case err != nil:
		return nil, err
	case len(m.Sessions) > 1:
		return nil, reading.TooManySessions(k.App.CommandOn, m)
	}
	return &session.Origin{Archive: m.Sessions[0]}, cli.SpoolStreams(k.App, m.Sessions)
}

// findStored returns a session of the trash, or an earlier generation.
func (o *restoreOptions) findStored(k *writing.Keeping, name string) (*session.Origin, error) {
	origin, err := session.Find(k.App.Ctx, &k.Store.View, name)
	switch {
	case err != nil:
		return nil, writing.StoreError(k.App, k.Path, err)
	case origin == nil:
		return nil, failure.New(failure.NotFound, "not in the trash of %s, not a generation there, and not a file", k.Path).
			At(name).WithHint(hintFor(k, name))
	case origin.Generation != nil && origin.Generation.Generation == "" && o.asNew == "" &&
		k.App.Output.Options.IsStdout():
		return nil, failure.New(failure.Exists, "%s is live already", name).At(k.Path).
			WithHint(failure.Command("clawctl", "show", k.Path+"#"+name))
	}
	return origin, nil
}

// hintFor is the command that restores the last generation of a key, or else lists the trash.
func hintFor(k *writing.Keeping, key string) string {
	if name := session.LastGeneration(k.App.Ctx, &k.Store.View, key); name != "" {
		return failure.Command("clawctl", "restore", name)
	}
	return "clawctl restore --list"
}

// failed gives an error of restoring its code and hint.
func (o *restoreOptions) failed(k *writing.Keeping, origin *session.Origin, err error) error {
	if errors.Is(err, session.ErrNotEmpty) {
		return failure.New(failure.Exists, "%v", err).At(k.App.Output.Options.Path).
			WithHint(k.App.CommandLine("-o", k.App.Output.Options.Path+"-2"))
	}
	if errors.Is(err, session.ErrTaken) {
		key, _, _ := strings.Cut(cmp.Or(o.asNew, origin.Key()), "@")
		return failure.From(k.Path, err).WithHint(k.App.CommandLine("--as-new", key+"-2"))
	}
	if origin.Archive != nil && !errors.Is(err, session.ErrBadKey) {
		return cli.InputError(origin.Archive.Place(), err)
	}
	return k.Failed(origin.Key(), err)
}

// report says what was restored.
func (o *restoreOptions) report(k *writing.Keeping, done *session.Restored, folder string) error {
	a := k.App
	a.Output.Options.Path = "" // the session went to the folder, the report goes to stdout
	if err := a.Output.Open(); err != nil {
		return err
	}
	if a.WantsJSON() {
		return a.Print(cli.JSONLine(done.Row(folder, o.DryRun)))
	}
	place := k.Path
	if folder != "" {
		place = folder
	}
	what := ""
	if done.Records > 0 {
		what = " (" + ui.Count(done.Records, "record") + ", " + ui.Bytes(done.Bytes) + ")"
	}
	a.Note("%s: %s to %s%s", done.Key, o.Would("restored", "be restored"), place, what)
	if done.Left > 0 {
		a.Note("%s: left out %s", done.Key, ui.Count(done.Left, "damaged line"))
	}
	if folder != "" && !o.DryRun {
		a.Hint("OPENCLAW_STATE_DIR=" + failure.Quote(folder) +
			" openclaw doctor --session-sqlite import --session-sqlite-all-agents")
	}
	return a.Print(done.Key + "\n")
}

// printTrash lists the trash.
func (o *restoreOptions) printTrash(a *cli.App) error {
	place, err := a.StorePath(o.Store)
	if err != nil {
		return err
	}
	r, err := store.OpenReader(a.Ctx, place.Value)
	if err != nil {
		return writing.StoreError(a, place.Value, err)
	}
	defer r.Close()
	items, err := r.Trash(a.Ctx)
	if err != nil {
		return writing.StoreError(a, place.Value, err)
	}
	if err := a.Output.Open(); err != nil {
		return err
	}
	list := cli.NewReport(
		ui.Column{Name: "name"},
		ui.Column{Name: "key", Cut: ui.InMiddle},
		ui.Column{Name: "deleted", Rank: 1},
		ui.Column{Name: "records", Right: true, Rank: 2},
		ui.Column{Name: "size", Right: true, Rank: 4},
		ui.Column{Name: "reason", Cut: ui.AtEnd, Rank: 3},
	)
	for _, item := range items {
		row := session.NewTrashedRow(item)
		list.Add(row, row.Name, row.Key, a.When(item.Deleted), strconv.FormatInt(row.Records, 10), ui.Bytes(row.Bytes),
			cmp.Or(row.Reason, "-"))
	}
	if len(items) == 0 && !a.WantsJSON() {
		a.Note("The trash of %s is empty.", place.Value)
		return nil
	}
	return a.PrintReport(list)
}
