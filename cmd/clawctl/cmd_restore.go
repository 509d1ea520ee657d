package main

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/reading"
	"clawctl/internal/shell"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/session"
)

func newRestoreCommand() *cli.Command {
	return &cli.Command{
		Options:     &restoreOptions{KeeperOptions: writing.NewKeeperOptions()},
		Formats:     cli.ReportFormats,
		Plain:       "the key",
		OpensOutput: true,
	}
}

// restoreOptions are the flags of restore.
type restoreOptions struct {
	List  bool   `flag:"list: list the trash"`
	AsNew string `flag:"as-new KEY: restore it as a new session with this key and new ids"`
	writing.KeeperOptions
}

// Run runs the command.
func (o *restoreOptions) Run(a *cli.App, operands []string) error {
	switch {
	case o.List && (len(operands) > 0 || o.AsNew != ""):
		return cli.Usage("--list takes no argument and no --as-new")
	case o.List:
		return o.printTrash(a)
	case len(operands) != 1:
		return cli.Usage("restore takes one KEY or ARCHIVE, got %d arguments", len(operands))
	}
	missing := writing.MayBeMissing
	if o.ReadOnly = !a.Output.Options.IsStdout(); !o.ReadOnly && o.isElsewhere(a, operands[0]) {
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
	var done *session.Restoration
	folder := "" // that the session is written to; "" for the store
	if a.Output.Options.IsStdout() {
		done, err = k.Keeper.Restore(a.Ctx, origin, o.AsNew)
	} else {
		folder = a.Output.Options.Path
		done, err = k.Keeper.WriteFolder(a.Ctx, &k.Keeper.Store.View, origin, o.AsNew, folder)
	}
	if err != nil {
		return o.failed(k, origin, err)
	}
	return o.report(k, done, folder)
}

// isElsewhere reports whether a name is that of a session outside the store, which may not exist then.
func (o *restoreOptions) isElsewhere(a *cli.App, name string) bool {
	if cli.IsPath(name) {
		return true
	}
	place, err := a.StorePath(o.Store)
	if err != nil || openfile.IsThere(place.Value) {
		return false
	}
	_, err = cli.Find(a, name, anywhere)
	return err == nil
}

// anywhere is how restore looks for a session outside the store.
var anywhere = cli.Search{Defaults: cli.EveryKind, Fast: true, Exact: true}

// find returns what is restored: something in the store, or a transcript elsewhere. The store comes first, unless the
// name is a path.
func (o *restoreOptions) find(k *writing.StoreAccess, name string) (*session.Origin, error) {
	if !cli.IsPath(name) {
		origin, err := o.findStored(k, name)
		if origin != nil || err != nil {
			return origin, err
		}
	}
	if path, session, _, err := source.SplitPlace(name); err == nil && session == "" && bundle.Is(path) {
		return nil, failure.Usage(failure.Command("clawctl", "export", name, "-o", "state/"),
			"a bundle is unpacked, not restored; to restore one session of it, name it as %s#SESSION", name)
	}
	m, err := cli.Find(k.App, name, anywhere)
	switch {
	case err != nil && !cli.IsPath(name):
		return nil, o.unknown(k, name, err)
	case err != nil:
		return nil, err
	case len(m.Sessions) > 1:
		return nil, reading.TooManySessions(k.CommandOn, m)
	}
	s := m.Sessions[0]
	isStored := s.InStore() && openfile.IsSame(s.Path, k.Path)
	switch {
	case isStored && s.Key == name: // of an earlier generation, which has a name of its own
		return nil, o.unknown(k, name, nil)
	case isStored:
		return o.findStored(k, s.Name())
	}
	return &session.Origin{Archive: s}, cli.SpoolStreams(k.App, m.Sessions)
}

// findStored returns a session of the trash, or an earlier generation; nil if the store has none.
func (o *restoreOptions) findStored(k *writing.StoreAccess, name string) (*session.Origin, error) {
	key := name
	origin, err := session.Find(k.Ctx, &k.Keeper.Store.View, name)
	if origin == nil && err == nil {
		if key, err = k.Resolve(name); err != nil {
			return nil, err
		}
		origin, err = session.Find(k.Ctx, &k.Keeper.Store.View, key)
	}
	switch {
	case err != nil:
		return nil, writing.StoreError(k.App, k.Path, err)
	case origin == nil:
		return nil, nil
	case origin.Generation != nil && origin.Generation.Generation == "" && o.AsNew == "" &&
		k.Output.Options.IsStdout() && !origin.IsArchived(k.Ctx, &k.Keeper.Store.View):
		return nil, failure.New(failure.Exists, "%s is live already", key).At(k.Path).
			WithHint(failure.Command("clawctl", "show", k.Path+"#"+key))
	}
	return origin, nil
}

// unknown is the failure of a name that leads nowhere.
func (o *restoreOptions) unknown(k *writing.StoreAccess, name string, err error) error {
	var f *failure.Error
	if errors.As(err, &f) && f.Code != failure.NotFound {
		return err
	}
	hint := "clawctl restore --list"
	if last := session.LastGeneration(k.Ctx, &k.Keeper.Store.View, name); last != "" {
		hint = failure.Command("clawctl", "restore", last)
	}
	return failure.New(failure.NotFound, "not in the trash of %s, not a generation there, and not a session elsewhere",
		k.Path).At(name).WithHint(hint)
}

// failed gives an error of restoring its code and hint.
func (o *restoreOptions) failed(k *writing.StoreAccess, origin *session.Origin, err error) error {
	if errors.Is(err, session.ErrNotEmpty) {
		return failure.New(failure.Exists, "%v", err).At(k.Output.Options.Path).
			WithHint(k.CommandLine("-o", k.Output.Options.Path+"-2"))
	}
	if errors.Is(err, session.ErrTaken) {
		key, _, _ := strings.Cut(cmp.Or(o.AsNew, origin.Key()), "@")
		return failure.From(k.Path, err).WithHint(k.CommandLine("--as-new", key+"-2"))
	}
	if origin.Archive != nil && !errors.Is(err, session.ErrBadKey) {
		return cli.InputError(origin.Archive.Place(), err)
	}
	return k.Failed(origin.Key(), err)
}

func (o *restoreOptions) report(k *writing.StoreAccess, done *session.Restoration, folder string) error {
	a := k.App
	a.Output.Options.Path = "" // the session went to the folder, the report goes to stdout
	if err := a.Output.Open(); err != nil {
		return err
	}
	if a.WantsJSON() {
		return a.PrintJSON(done.Row(folder, k.Path, o.DryRun))
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
	if folder == "" && !o.DryRun {
		a.Note("It is in clawctl's store only. OpenClaw gets it from a folder:")
		words := []string{"clawctl", "restore", done.Key, "-o", "revived"}
		if o.Store != "" {
			words = append(words, "--store", o.Store)
		}
		a.Hint(failure.Command(words...))
	}
	if folder != "" && !o.DryRun {
		a.Hint(shell.Current().With("OPENCLAW_STATE_DIR", folder,
			"openclaw doctor --session-sqlite import --session-sqlite-all-agents"))
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
		ui.Words("name"),
		ui.Middle("key", 0),
		ui.Words("deleted", 1),
		ui.Numbers("records", 2),
		ui.Numbers("size", 4),
		ui.End("reason", 0, 3),
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
