package migrate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/source"
	"clawctl/pkg/store/dbfile"
)

// openClawDatabase makes an OpenClaw database for an agent of a state folder, with the given transcript events.
func openClawDatabase(t *testing.T, state, agent string, events ...string) string {
	t.Helper()
	path := filepath.Join(state, "agents", agent, "agent", "openclaw-agent.sqlite")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := dbfile.OpenOwn(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	const schema = `CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT)`
	if _, err := db.ExecContext(ctx, schema); err != nil {
		t.Fatal(err)
	}
	for i, event := range events {
		if _, err := db.ExecContext(ctx, "INSERT INTO transcript_events VALUES ('one', ?, ?)", i, event); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

const headerEvent = `{"type":"session","version":3,"id":"one"}`

func TestOpenTarget(t *testing.T) {
	state := t.TempDir()
	database := openClawDatabase(t, state, "main", headerEvent)
	b := newBench(t)
	b.write("one.jsonl", headerEvent+"\n")
	b.run(Options{})
	for _, want := range []struct {
		path  string
		kind  TargetKind
		words string
	}{
		{b.store, ClawctlStore, "clawctl store " + b.store},
		{database, OpenClawDatabase, "OpenClaw database " + database},
		{state, StateFolder, "OpenClaw databases below " + state},
	} {
		target, err := OpenTarget(t.Context(), want.path, "")
		if err != nil {
			t.Fatal(err)
		}
		if target.Kind != want.kind || target.Path != want.path || target.String() != want.words {
			t.Errorf("%s is a %v: %s", want.path, target.Kind, target)
		}
		if len(target.Sessions) != 1 {
			t.Errorf("%s has %d sessions", target, len(target.Sessions))
		}
		if rest := target.Without(target.Sessions); len(rest) != 0 {
			t.Errorf("%s is compared with itself", target)
		}
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenTargetErrors(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "text.jsonl")
	testkit.Write(t, text, headerEvent+"\n")
	empty := openClawDatabase(t, t.TempDir(), "main")
	broken := t.TempDir()
	testkit.Write(t, openClawDatabase(t, broken, "main"), "not a database")
	open := func(path string) error {
		t.Helper()
		target, err := OpenTarget(t.Context(), path, "")
		if err == nil {
			target.Close()
			t.Errorf("%s was opened", path)
		}
		return err
	}
	if err := open(filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := open(text); !errors.Is(err, ErrNotDatabase) {
		t.Error(err)
	}
	var none *NoSessionsError
	for _, path := range []string{folder, empty} {
		if err := open(path); !errors.As(err, &none) || none.Path != path || none.Problem != nil {
			t.Error(err)
		}
	}
	err := open(broken)
	if !errors.As(err, &none) || none.Problem == nil || none.Problem.Code != source.BadDatabase {
		t.Fatal(err)
	}
	if !errors.Is(err, dbfile.ErrForeign) && !errors.Is(err, dbfile.ErrCorrupt) {
		t.Errorf("the reason is lost: %v", errors.Unwrap(err))
	}
}

func TestChooseTarget(t *testing.T) {
	files, state := t.TempDir(), t.TempDir()
	database := openClawDatabase(t, state, "main", headerEvent)
	b := newBench(t)
	b.write("one.jsonl", headerEvent+"\n")
	b.run(Options{})
	missing := filepath.Join(files, "none.db")
	own := Location{ClawctlStore, b.store}
	for _, test := range []struct {
		store, source string
		want          TargetChoice
	}{
		{b.store, files, TargetChoice{Chosen: own}},
		{b.store, state, TargetChoice{own, Location{StateFolder, state}}},
		{b.store, database, TargetChoice{own, Location{OpenClawDatabase, database}}},
		{b.store, b.store, TargetChoice{Chosen: own}},
		{b.store, "-", TargetChoice{Chosen: own}},
		{missing, state, TargetChoice{Chosen: Location{StateFolder, state}}},
		{missing, database, TargetChoice{Chosen: Location{OpenClawDatabase, database}}},
		{missing, files, TargetChoice{Chosen: Location{StateFolder, files}}},
		{missing, "-", TargetChoice{}},
	} {
		got := ChooseTarget(t.Context(), test.store, test.source, "")
		if got != test.want {
			t.Errorf("%s, %s: chose %+v, want %+v", test.store, test.source, got, test.want)
		}
	}
}

// With ExpectedOnly, lines are not searched in sessions of other names. With EveryLine, all missing lines are listed.
func TestExpectedOnly(t *testing.T) {
	folder := t.TempDir()
	var many strings.Builder
	for i := range 2 * maxOnlyHere {
		fmt.Fprintf(&many, `{"type":"custom","customType":"x","id":"c%d","parentId":null}`+"\n", i)
	}
	writeFile(t, filepath.Join(folder, "kept.jsonl"), many.String())
	path := filepath.Join(t.TempDir(), "store.db")
	st := openStore(t, path)
	importAll(t, st, folder, Options{})
	renamed := t.TempDir()
	writeFile(t, filepath.Join(renamed, "other.jsonl"), many.String())
	place, err := source.Find(t.Context(), renamed, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	target, err := OpenTarget(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	for _, test := range []struct {
		opts            VerifyOptions
		missing, listed int
	}{
		{VerifyOptions{ContentOnly: true}, 0, 0},
		{VerifyOptions{ContentOnly: true, ExpectedOnly: true}, 2 * maxOnlyHere, maxOnlyHere},
		{VerifyOptions{ContentOnly: true, ExpectedOnly: true, EveryLine: true}, 2 * maxOnlyHere, 2 * maxOnlyHere},
	} {
		proofs, err := Verify(t.Context(), place.Sessions, target, test.opts)
		if err != nil || proofs[0].Missing != int64(test.missing) || len(proofs[0].OnlyHere) != test.listed {
			t.Errorf("%+v: %+v, %v", test.opts, proofs, err)
		}
	}
}
