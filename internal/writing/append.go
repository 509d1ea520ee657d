package writing

import (
	"context"
	"errors"
	"os"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/shell"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// AppendOptions are the flags of commands that can add a record to a session of clawctl's store.
type AppendOptions struct {
	Enabled bool // --append
	Lock    LockOption
}

// NewAppendOptions returns the defaults.
func NewAppendOptions() AppendOptions { return AppendOptions{Lock: NewLockOption()} }

// Flags describes them.
func (o *AppendOptions) Flags() []cli.Flag {
	return []cli.Flag{
		cli.SwitchFlag(&o.Enabled, "append", "add the record to the session in clawctl's store (see clawctl env)"),
		o.Lock.Flag(),
	}
}

// Search is how the session is looked for. One that is changed must be in the store, and named by its whole key or id.
func (o *AppendOptions) Search(narrow cli.SourceOptions) cli.Search {
	return cli.Search{SourceOptions: narrow, Defaults: cli.LiveOnly, Store: o.Enabled, Exact: o.Enabled}
}

// Allows refuses a session outside clawctl's store, before any work is done for it.
func (o *AppendOptions) Allows(s *source.Session) error {
	if !o.Enabled || s.InStore() {
		return nil
	}
	hint := "clawctl help import"
	if s.Path != cli.StdinName {
		hint = failure.Command("clawctl", "import", s.Path)
	}
	return failure.Usage(hint, "--append writes only to clawctl's store, and %s is not in it", s.Place())
}

// MustNameEntries refuses a session whose entries a record could not follow, because they have no ids.
func MustNameEntries(t *reading.Transcript) error {
	if t.Index.HasTree() && !t.Index.HasMadeUpIDs() {
		return nil
	}
	f := failure.New(failure.NoEntryIDs, "the entries have no ids").At(t.Name)
	switch {
	case t.Session.InStore():
		f.Hint = inheritCommand(t.Session.Path, t.Session.Key)
	case t.Kept == nil:
		convert := "clawctl cat -q --as openclaw " + failure.Quote(t.Session.Place()) + " > session.jsonl"
		f.Hint = shell.Current().Then(convert, t.App.CommandOn("session.jsonl"))
	}
	return f
}

// OnItsOwnLine returns a record for whoever appends it to the file that was read: a last line without an end gets one.
func OnItsOwnLine(t *reading.Transcript, record []byte) string {
	if t.Unended {
		return "\n" + string(record)
	}
	return string(record)
}

// AddToStore adds a record to the session in clawctl's store, unless the session has changed since it was read. doing
// says what the command does with the session, such as "compacted".
func AddToStore(t *reading.Transcript, record []byte, lock LockOption, doing string) error {
	st, err := OpenStore(t.App, t.Session.Path, lock)
	if err != nil {
		return err
	}
	line := (&jsonl.Parser{Verbatim: true}).Parse([]byte(strings.TrimRight(string(record), "\n")), 1, 0)
	err = st.AppendAfter(t.App.Ctx, t.Session.Name(), t.Size, line)
	origin := ""
	if err == nil {
		origin, err = LiveOrigin(t.App.Ctx, st, t.Session.Name())
	}
	err = errors.Join(err, st.Close())
	switch {
	case errors.Is(err, store.ErrConflict):
		return Changed(t, t.Session.Place(), doing)
	case err != nil:
		return StoreError(t.App, t.Session.Path, err)
	}
	t.App.Note("%s: appended %s %s", t.Session.Place(), line.Type(), line.ID())
	NoteOrigin(t.App, origin)
	return nil
}

// NoteOrigin warns that the file of a session may still grow.
func NoteOrigin(a *cli.App, origin string) {
	if origin != "" {
		a.Note("%s still exists; if it grows, the next import stores it as a new version without this record", origin)
	}
}

// Changed is the failure of a session that somebody wrote to while a command worked on it.
func Changed(t *reading.Transcript, place, doing string) error {
	return failure.New(failure.Changed, "the session changed while it was being %s; run the command again", doing).
		At(place).WithHint(t.App.CommandLine())
}

// LiveOrigin returns the live file that a session was imported from, "" if that is gone.
func LiveOrigin(ctx context.Context, st *store.SQLite, key string) (string, error) {
	receipts, err := st.ReceiptsOf(ctx, key)
	for _, r := range receipts {
		if r.Kind != string(source.Live) || r.Replaced || r.InDatabase {
			continue
		}
		if _, err := os.Stat(r.Path); err == nil {
			return r.Path, nil
		}
	}
	return "", err
}
