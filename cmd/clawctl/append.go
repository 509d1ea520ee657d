package main

import (
	"context"
	"errors"
	"os"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"

	"github.com/urfave/cli/v2"
)

// appendFlag is --append of the commands that make records.
func appendFlag() cli.Flag {
	return &cli.BoolFlag{Name: "append", Usage: "add the record to the session in clawctl's store, which is the SOURCE; default: the store that clawctl env shows"}
}

// lockFlag is --lock-timeout of the commands that write the store.
func lockFlag() cli.Flag {
	return &cli.DurationFlag{Name: "lock-timeout", Value: store.DefaultLockTimeout, Usage: "wait so `LONG` for another process that writes the store"}
}

// mayAppend refuses --append for a session that does not lie in clawctl's store, before any work is done for it.
func mayAppend(ctx *cli.Context, s *source.Session) error {
	switch {
	case !ctx.Bool("append"):
		return nil
	case ctx.IsSet("leaf"):
		return usageError("clawctl help "+ctx.Command.Name, "--append adds behind the last entry, and goes with no --leaf")
	case ctx.Bool("plan"):
		return usageError("clawctl help "+ctx.Command.Name, "--append stores the record, and goes with no --plan")
	case s.InStore():
		return nil
	}
	return usageError("clawctl import "+shellQuote(s.Path), "--append writes into clawctl's store alone, and %s is not of it: import it, and name it there", s.Place())
}

// append adds a record to the session in clawctl's store that was read, unless somebody has added to it since.
func (t *transcript) append(record []byte, lockTimeout time.Duration) error {
	st, err := store.Open(t.ctx, t.session.Path, store.Options{LockTimeout: max(lockTimeout, time.Millisecond)})
	if err != nil {
		return targetError(t.app, t.session.Path, err)
	}
	line := (&jsonl.Parser{}).Parse(trimLineEnd(record), 1, 0)
	err = st.AppendAfter(t.ctx, t.session.Name(), t.size, line)
	living := ""
	if err == nil {
		living, err = livingSource(t.ctx, st, t.session.Name())
	}
	err = errors.Join(err, st.Close())
	switch {
	case errors.Is(err, store.ErrConflict):
		return &failure{exit: exitUsage, code: codeChanged, path: t.session.Place(), text: "somebody has added to the session since it was read; nothing was written", hint: t.commandLine()}
	case err != nil:
		return targetError(t.app, t.session.Path, err)
	}
	t.note("%s: %s %s appended", t.session.Place(), line.Type(), line.ID())
	if living != "" {
		t.note("%s is still there: when it goes on, the next import makes another generation of it, without the record", living)
	}
	return nil
}

// livingSource is the live file that a session was imported from, where that is still there.
func livingSource(ctx context.Context, st *store.SQLite, key string) (string, error) {
	receipts, err := st.Receipts(ctx)
	for _, r := range receipts {
		if r.SessionKey != key || r.Kind != string(source.Live) || r.Replaced || r.InDatabase {
			continue
		}
		if _, err := os.Stat(r.Path); err == nil {
			return r.Path, nil
		}
	}
	return "", err
}

func trimLineEnd(record []byte) []byte {
	for len(record) > 0 && record[len(record)-1] == '\n' {
		record = record[:len(record)-1]
	}
	return record
}
