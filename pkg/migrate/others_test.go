package migrate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
)

// Import works with a store that other programs have changed with SQL, with or without foreign keys.
func TestImportIntoChangedStore(t *testing.T) {
	const removed = "DELETE FROM sessions WHERE key = 'agent:main:main'"
	for name, test := range map[string]struct {
		first   string // text of the session that is registered as main
		changes string
		then    func(b *bench)
	}{
		"a name that is free again": {transcript(idB, 1), removed, takeOver},
		"a name with rows": {transcript(idB, 1),
			removed + "; DELETE FROM transcripts WHERE session_key = 'agent:main:main'", takeOver},
		"a name with damage": {transcript(idB, 1) + "{broken\n" + transcript(idB, 1),
			"DELETE FROM messages; DELETE FROM transcripts; DELETE FROM sessions", func(b *bench) {
				b.write(idB+".jsonl", transcript(idB, 1, 2, 3, 4, 5))
			}},
		"a session of another program": {"", `INSERT INTO sessions VALUES ('agent:main:main', 1, 1, '{}'); INSERT INTO ` +
			`messages VALUES ('x', 'agent:main:main', NULL, 'custom', 1, '{"type":"custom"}')`, func(b *bench) {
			b.write(idB+".jsonl", transcript(idB, 1, 2))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.register("main", idB)
			if test.first != "" {
				b.write(idB+".jsonl", test.first)
			}
			b.write(idA+".jsonl", transcript(idA, 1, 2))
			b.run(Options{})
			b.change(test.changes)
			test.then(b)
			for name, o := range b.run(Options{}) {
				if o.Err != nil {
					t.Errorf("%s: %v", name, o.Err)
				}
			}
			b.exact()
			if name == "a session of another program" && !strings.Contains(strings.Join(b.keys(), " "), "agent:main:main@") {
				t.Errorf("the other program's session is gone: %q", b.keys())
			}
		})
	}
}

// takeOver gives the key of a removed session to another one.
func takeOver(b *bench) {
	b.remove(idB + ".jsonl")
	b.register("main", idA)
}

// keys returns the keys of the sessions in the store.
func (b *bench) keys() (keys []string) {
	b.Helper()
	r, err := store.OpenReader(context.Background(), b.store)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	infos, err := r.List(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	for _, info := range infos {
		keys = append(keys, info.Key)
	}
	return keys
}

// Another program removes the session of an unchanged file while an import registers it under a new key.
func TestSessionRemovedDuringImport(t *testing.T) {
	b := newBench(t)
	b.register("zzz", idB)
	b.write(idA+".jsonl", transcript(idA, 1))
	b.write(idB+".jsonl", transcript(idB, 1))
	b.run(Options{})
	b.write("sessions.json", `{"agent:main:zzz":{"sessionId":"`+idB+`","displayName":"new"}}`)
	removed := false
	b.run(Options{Progress: func(int64) {
		if removed {
			return
		}
		removed = true
		b.change("PRAGMA foreign_keys = 1; DELETE FROM sessions WHERE key = 'agent:main:zzz'")
	}})
	b.run(Options{})
	b.exact()
}

// The digest of a changed session that continues after its source does not match the source's.
func TestDigestOfLongerSession(t *testing.T) {
	b := newBench(t)
	b.register("main", idA)
	b.write(idA+".jsonl", transcript(idA, 1, 2))
	b.run(Options{})
	st := openStore(t, b.store)
	if err := st.Append(context.Background(), "agent:main:main",
		(&jsonl.Parser{}).Parse([]byte(`{"type":"custom","id":"zz"}`), 1, 0)); err != nil {
		t.Fatal(err)
	}
	b.change("UPDATE transcripts SET sha256 = ''; UPDATE receipts SET mtime = 0")
	b.run(Options{})
	b.truthful()
}

// One batch stores a session without a final line end and continues it from another source.
func TestTailWithinOneBatch(t *testing.T) {
	whole := transcript(idA, 1, 2, 3)
	for _, part := range []string{whole[:len(whole)-1], whole[:len(whole)-20]} {
		b := newBench(t)
		more := filepath.Join(t.TempDir(), "more")
		b.register("main", idA)
		b.write(idA+".jsonl", part)
		if err := os.CopyFS(more, os.DirFS(b.home)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(more, "agents", "main", "sessions", idA+".jsonl"),
			[]byte(transcript(idA, 1, 2, 3, 4)), 0o600); err != nil {
			t.Fatal(err)
		}
		for name, o := range b.run(Options{}, b.home, more) {
			if o.Err != nil {
				t.Errorf("%s: %s %v", name, o.Verdict, o.Err)
			}
		}
		b.truthful()
		if keys := b.keys(); len(keys) != 1 {
			t.Errorf("%q", keys)
		}
	}
}

// A commit at the end of a source without a final line end leaves nothing out.
func TestTailAtCommit(t *testing.T) {
	for _, n := range []int{0, 1, 2, pageLines - 2, pageLines - 1, pageLines, pageLines + 1,
		2*pageLines - 1, 2 * pageLines, 2*pageLines + 1} {
		numbers := make([]int, n)
		text := strings.TrimSuffix(transcript(idA, numbers...), "\n")
		b := newBench(t)
		b.write(idA+".jsonl", text)
		if o := b.run(Options{CommitBytes: 1})[idA+".jsonl"]; o.Err != nil || o.Bytes != int64(len(text)) {
			t.Fatalf("%d lines: %+v", n+1, o)
		}
	}
}

// In strict mode, damage after the first commit of a session is found before any of it is stored.
func TestStrictStoresNothing(t *testing.T) {
	b := newBench(t)
	b.write(idA+".jsonl", strings.Repeat(transcript(idA, 1, 2, 3), 100)+"{broken\n")
	if o := b.run(Options{Strict: true, CommitBytes: 1000})[idA+".jsonl"]; o.Verdict != Refused ||
		o.Damage == nil && o.Err == nil {
		t.Errorf("%+v", o)
	}
	if keys := b.keys(); len(keys) > 0 {
		t.Errorf("refused but stored: %q", keys)
	}
}

// If the store is a link, its log is beside the target of the link.
func TestStoreIsLink(t *testing.T) {
	b := newBench(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(b.store, link); err != nil {
		t.Skip("no links here:", err)
	}
	b.store = link
	b.write(idA+".jsonl", transcript(idA, 1))
	b.run(Options{})
	b.exact()
}
