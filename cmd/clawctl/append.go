package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// appendOptions are the flags of commands that can add a record to a session of clawctl's store.
type appendOptions struct {
	enabled bool // --append
	lock    lockOption
}

func newAppendOptions() appendOptions { return appendOptions{lock: newLockOption()} }

func (o *appendOptions) flags() []flag {
	return []flag{
		switchFlag(&o.enabled, "append", "add the record to the session in clawctl's store (see clawctl env)"),
		o.lock.flag(),
	}
}

// search is how the session is looked for. One that is changed must be in the store, and named by its whole key or id.
func (o *appendOptions) search(narrow sourceOptions) search {
	return search{sourceOptions: narrow, defaults: live, store: o.enabled, exact: o.enabled}
}

// allows refuses a session outside clawctl's store, before any work is done for it.
func (o *appendOptions) allows(s *source.Session) error {
	if !o.enabled || s.InStore() {
		return nil
	}
	hint := "clawctl help import"
	if s.Path != stdinName {
		hint = failure.Command("clawctl", "import", s.Path)
	}
	return failure.Usage(hint, "--append writes only to clawctl's store, and %s is not in it", s.Place())
}

// mustNameEntries refuses a session whose entries a record could not follow, because they have no ids.
func (t *transcript) mustNameEntries(command string) error {
	if t.index.HasTree() && !t.index.HasMadeUpIDs() {
		return nil
	}
	f := failure.New(failure.NoEntryIDs, "the entries have no ids").At(t.name)
	if t.kept == nil {
		f.Hint = "clawctl cat -q --as openclaw " + failure.Quote(t.session.Place()) +
			" > session.jsonl && clawctl " + command + " session.jsonl"
	}
	return f
}

// onItsOwnLine returns a record for whoever appends it to the file that was read: a last line without an end gets one.
func (t *transcript) onItsOwnLine(record []byte) string {
	if t.unended {
		return "\n" + string(record)
	}
	return string(record)
}

// store adds a record to the session in clawctl's store, unless the session has changed since it was read. doing says
// what the command does with the session, such as "compacted".
func (t *transcript) store(record []byte, lock lockOption, doing string) error {
	st, err := openStore(t.app, t.session.Path, lock)
	if err != nil {
		return err
	}
	line := (&jsonl.Parser{Verbatim: true}).Parse([]byte(strings.TrimRight(string(record), "\n")), 1, 0)
	err = st.AppendAfter(t.ctx, t.session.Name(), t.size, line)
	origin := ""
	if err == nil {
		origin, err = liveOrigin(t.ctx, st, t.session.Name())
	}
	err = errors.Join(err, st.Close())
	switch {
	case errors.Is(err, store.ErrConflict):
		return t.changed(t.session.Place(), doing)
	case err != nil:
		return storeError(t.app, t.session.Path, err)
	}
	t.note("%s: appended %s %s", t.session.Place(), line.Type(), line.ID())
	noteOrigin(t.app, origin)
	return nil
}

// noteOrigin warns that the file of a session may still grow.
func noteOrigin(a *app, origin string) {
	if origin != "" {
		a.note("%s still exists; if it grows, the next import stores it as a new version without this record", origin)
	}
}

// changed is the failure of a session that somebody wrote to while a command worked on it.
func (t *transcript) changed(place, doing string) error {
	return failure.New(failure.Changed, "the session changed while it was being %s; run the command again", doing).
		At(place).WithHint(t.commandLine())
}

// liveOrigin returns the live file that a session was imported from, "" if that is gone.
func liveOrigin(ctx context.Context, st *store.SQLite, key string) (string, error) {
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
