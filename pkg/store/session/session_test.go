package session

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// A bench is a store to test with.
type bench struct {
	*Keeper
	t    *testing.T
	path string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, path: filepath.Join(t.TempDir(), "s.db")}
	st, err := store.Open(context.Background(), b.path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	b.Keeper = &Keeper{Store: st, Now: time.Now, Random: rand.Reader}
	return b
}

func (b *bench) say(key, role, text, call string) (*Addition, error) {
	return b.Append(context.Background(), key, Options{}, []Draft{func(c *jsonl.Composer) ([]string, error) {
		return []string{`{"type":"message","message":` + c.FromText(role, text, call, false) + "}"}, nil
	}})
}

// put appends records, and fails the test if they are refused.
func (b *bench) put(key string, lines ...string) *Addition {
	b.t.Helper()
	done, err := b.add(key, lines...)
	if err != nil {
		b.t.Fatal(err)
	}
	return done
}

func (b *bench) add(key string, lines ...string) (*Addition, error) {
	var drafts []Draft
	for _, line := range lines {
		drafts = append(drafts, func(*jsonl.Composer) ([]string, error) { return []string{line}, nil })
	}
	return b.Append(context.Background(), key, Options{}, drafts)
}

// text returns the text of a session.
func (b *bench) text(key string) string {
	b.t.Helper()
	t, err := b.Store.Transcript(context.Background(), key)
	if err != nil || t == nil {
		b.t.Fatalf("%s: %v", key, err)
	}
	in, err := b.Store.Text(context.Background(), t, store.Whole)
	if err != nil {
		b.t.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// audit checks that nothing in the store is damaged.
func (b *bench) audit() {
	b.t.Helper()
	r, err := store.OpenReader(context.Background(), b.path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer r.Close()
	faults, err := store.NewAuditor(context.Background(), r).Audit()
	if err != nil || len(faults) > 0 {
		b.t.Errorf("%v %v", faults, err)
	}
}

const (
	callRecord = `{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"%s","name":"ls",` +
		`"arguments":{}}],"stopReason":"toolUse","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,` +
		`"totalTokens":2},"provider":"anthropic","model":"m"}}`
	resultRecord = `{"type":"message","message":{"role":"toolResult","toolCallId":"%s","toolName":"ls","content":[` +
		`{"type":"text","text":"x"}],"isError":false}}`
	userRecord = `{"type":"message","message":{"role":"user","content":"hello"}}`
)

// Records follow each other, and a session is created by its first one.
func TestAppendChains(t *testing.T) {
	b := newBench(t)
	first := b.put("k", userRecord)
	if !first.Created || len(first.Entries) != 2 || first.Entries[0].Type != jsonl.TypeSession {
		t.Errorf("%+v", first)
	}
	second := b.put("k", userRecord, userRecord)
	if second.Created || second.ID != first.ID || second.Entries[0].Parent != first.Entries[1].ID ||
		second.Entries[1].Parent != second.Entries[0].ID {
		t.Errorf("%+v", second)
	}
	b.audit()
}

// always reads zeros.
type always struct{}

func (always) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// If a millisecond has no id left, the next one has.
func TestAppendWithoutFreeIDs(t *testing.T) {
	b := newBench(t)
	b.Random = always{}
	done := b.put("k", userRecord, userRecord, userRecord)
	ids := map[string]bool{}
	for _, e := range done.Entries {
		ids[e.ID] = true
	}
	if len(ids) != 4 {
		t.Errorf("%+v", done.Entries)
	}
	b.audit()
}

// What validate calls an error is refused with its code, and nothing is written. Other records are accepted.
func TestRefusals(t *testing.T) {
	call, result := fmt.Sprintf(callRecord, "c1"), fmt.Sprintf(resultRecord, "c1")
	for _, test := range []struct {
		name    string
		before  []string
		line    string
		refused failure.Code
	}{
		{"a result without a call", []string{userRecord}, result, "CL302"},
		{"a second result", []string{userRecord, call, result}, result, "CL303"},
		{"a result of an open call", []string{userRecord, call}, result, ""},
		{"a late result", []string{userRecord, call, userRecord}, result, ""},
		{"a late result of an earlier answer",
			[]string{userRecord, call, userRecord, fmt.Sprintf(callRecord, "c2")}, result, ""},
		{"a user after an open call", []string{userRecord, call}, userRecord, ""},
		{"a user after a user", []string{userRecord}, userRecord, ""},
		{"no role", []string{userRecord}, `{"type":"message","message":{"content":"x"}}`, "CL012"},
		{"no content", []string{userRecord}, `{"type":"message","message":{"role":"user"}}`, "CL013"},
		{"no type", []string{userRecord}, `{"message":{"role":"user","content":"x"}}`, "CL011"},
		{"not JSON", []string{userRecord}, `{"type":`, "CL002"},
		{"a second header", []string{userRecord},
			`{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":""}`, "CL103"},
		{"an unknown parent", []string{userRecord},
			`{"type":"message","parentId":"nobody","message":{"role":"user","content":"x"}}`, "CL201"},
		{"a compaction that keeps nothing known", []string{userRecord},
			`{"type":"compaction","summary":"s","firstKeptEntryId":"nobody","tokensBefore":1}`, "CL207"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			b.put("k", test.before...)
			before := b.text("k")
			lines := []string{userRecord, test.line}
			if test.refused == "" {
				lines = lines[1:]
			}
			_, err := b.add("k", lines...)
			var refusal *Refusal
			switch {
			case test.refused == "" && err != nil:
				t.Error(err)
			case test.refused != "" && (!errors.As(err, &refusal) || refusal.Code != test.refused || refusal.Record != 2):
				t.Errorf("got %v, want %s", err, test.refused)
			case test.refused != "" && b.text("k") != before:
				t.Error("something was written")
			}
			b.audit()
		})
	}
}

// A record that names a parent begins a branch, and the next one follows it.
func TestBranch(t *testing.T) {
	b := newBench(t)
	first := b.put("k", userRecord).Entries[1].ID
	b.put("k", fmt.Sprintf(callRecord, "c1"))
	branch := b.put("k", `{"type":"message","parentId":"`+first+`","message":{"role":"user","content":"other"}}`)
	if branch.Entries[0].Parent != first || len(branch.Open) != 0 {
		t.Errorf("%+v", branch)
	}
	if next := b.put("k", userRecord); next.Entries[0].Parent != branch.Entries[0].ID {
		t.Errorf("%+v", next)
	}
	var refusal *Refusal
	if _, err := b.add("k", fmt.Sprintf(resultRecord, "c1")); !errors.As(err, &refusal) {
		t.Errorf("the call is on another branch: %v", err)
	}
}

// The head that the store keeps is the one that the text of the session gives.
func TestHeadMatchesText(t *testing.T) {
	b := newBench(t)
	lines := []string{
		userRecord, fmt.Sprintf(callRecord, "c1"), fmt.Sprintf(resultRecord, "c1"), fmt.Sprintf(callRecord, "c2"),
		userRecord, fmt.Sprintf(callRecord, "c3"), fmt.Sprintf(resultRecord, "c2"), fmt.Sprintf(resultRecord, "c3"),
		`{"type":"custom","customType":"x"}`, `{"type":"session_info","name":"n"}`, userRecord,
	}
	for i, line := range lines {
		b.put("k", line)
		kept := b.head("k")
		if _, err := b.Store.Receipts(context.Background()); err != nil {
			t.Fatal(err)
		}
		again, err := check(strings.NewReader(""), 0, []byte(b.text("k")), "")
		if err != nil {
			t.Fatal(err)
		}
		again.Program, kept.Program, kept.Last = "", "", store.LastRow{}
		if kept.state() != again.state() {
			t.Errorf("after record %d: %s, want %s", i+1, kept.state(), again.state())
		}
	}
}

// Nothing is appended to a session to which another program has added a row. What happens to other sessions does not
// matter.
func TestOtherRows(t *testing.T) {
	const row = `INSERT INTO messages VALUES ('zz', 'k', NULL, 'custom', 1, '{"type":"custom","id":"zz"}')`
	for _, change := range []string{
		row, "DELETE FROM messages WHERE rowid = (SELECT max(rowid) FROM messages)",
		"INSERT INTO messages SELECT * FROM messages WHERE session_key = 'k'",
		"DELETE FROM messages WHERE session_key = 'other'; " + row + "; VACUUM",
		"INSERT INTO framing(session_key, line, before, after) VALUES ('k', 4, x'20', x'0a')",
		"INSERT INTO quarantine(session_key, line, code, bytes) VALUES ('k', 4, 'CL001', CAST('x' || char(10) AS BLOB))",
	} {
		b := newBench(t)
		b.put("k", userRecord)
		b.put("other", userRecord)
		b.put("k", userRecord)
		b.sql(change)
		before := b.text("k")
		var others *store.OtherRowsError
		if _, err := b.add("k", userRecord); !errors.As(err, &others) || b.text("k") != before {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// head returns the stored head of a session.
func (b *bench) head(key string) *head {
	b.t.Helper()
	batch, err := b.Store.Begin(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	defer batch.Rollback()
	t, err := batch.Transcript(key)
	if err != nil {
		b.t.Fatal(err)
	}
	h, err := readHead(batch, t, func() (io.ReadCloser, error) {
		b.t.Error("the head was not stored")
		return io.NopCloser(strings.NewReader("")), nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return h
}

// A head does not grow with the session.
func TestHeadIsSmall(t *testing.T) {
	b := newBench(t)
	b.put("k", userRecord)
	small := len(b.head("k").state())
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprintf(callRecord, fmt.Sprint("c", i)), fmt.Sprintf(resultRecord, fmt.Sprint("c", i)))
	}
	b.put("k", append(many, userRecord)...)
	if large := len(b.head("k").state()); large > small+200 {
		t.Errorf("%d bytes after 1,000 records, %d after one", large, small)
	}
}

// A new generation keeps the old one, which can be restored when its key is free.
func TestGenerations(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	b.put("k", userRecord)
	text := b.text("k")
	begun, err := b.Begin(ctx, "k", Options{Title: "T", Model: "openai/gpt-5"})
	if err != nil || !strings.HasPrefix(begun.Previous, "k@reset.") || b.text(begun.Previous) != text {
		t.Fatal(begun, err)
	}
	if now := b.text("k"); !strings.Contains(now, `"modelId":"gpt-5"`) || !strings.Contains(now, `"name":"T"`) {
		t.Error(now)
	}
	if _, err := b.say(begun.Previous, "user", "x", ""); !errors.Is(err, ErrGeneration) {
		t.Error(err)
	}
	origin, err := Find(ctx, &b.Store.View, begun.Previous)
	if err != nil || origin == nil {
		t.Fatal(origin, err)
	}
	if _, err := b.Restore(ctx, origin, ""); !errors.Is(err, ErrTaken) {
		t.Error(err)
	}
	if _, err := b.Delete(ctx, Removal{Keys: []string{"k"}}); err != nil {
		t.Fatal(err)
	}
	if done, err := b.Restore(ctx, origin, ""); err != nil || done.Key != "k" || b.text("k") != text {
		t.Error(done, err)
	}
	if n, err := b.Rename(ctx, "k", "other"); err != nil || n != 1 || b.text("other") != text {
		t.Error(n, err)
	}
	b.put("other", userRecord)
	b.audit()
}

// A deleted session is nowhere but in the trash, and comes back byte for byte.
func TestTrash(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	b.put("k", userRecord, fmt.Sprintf(callRecord, "c1"))
	b.put("other", userRecord)
	text := b.text("k")
	if _, err := b.Delete(ctx, Removal{Keys: []string{"k", "nobody"}}); !errors.Is(err, store.ErrNoSession) {
		t.Error(err)
	}
	if b.text("k") != text {
		t.Error("a failed deletion changed something")
	}
	gone, err := b.Delete(ctx, Removal{Keys: []string{"k"}, Reason: "why"})
	if err != nil || len(gone) != 1 || gone[0].Records != 3 {
		t.Fatal(gone, err)
	}
	list, err := b.Store.List(ctx)
	if err != nil || len(list) != 1 || list[0].Key != "other" {
		t.Error(list, err)
	}
	b.audit()
	items, err := b.Store.Trash(ctx)
	if err != nil || len(items) != 1 || items[0].Reason != "why" || items[0].Key != "k" {
		t.Fatal(items, err)
	}
	if _, err := b.Restore(ctx, &Origin{Trashed: items[0]}, ""); err != nil || b.text("k") != text {
		t.Fatal(err)
	}
	if items, _ := b.Store.Trash(ctx); len(items) != 0 {
		t.Error("still in the trash")
	}
	b.put("k", fmt.Sprintf(resultRecord, "c1"))
	b.audit()
}

// What is purged is no longer in the file of the store.
func TestPurge(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	const secret = "a-sentence-that-must-not-stay"
	if _, err := b.say("k", "user", secret, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Delete(ctx, Removal{Keys: []string{"k"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Delete(ctx, Removal{Keys: []string{"k"}, Purge: true}); err != nil {
		t.Fatal(err)
	}
	if err := b.Store.Checkpoint(ctx, true); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(readFile(t, b.path), []byte(secret)) {
		t.Error("the text is still in the file")
	}
	b.audit()
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	text := testkit.Read(t, path)
	return text
}

// A copy with new ids says the same, and shares no id with its original.
func TestAsNew(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	b.put("k", userRecord)
	first := b.put("k", fmt.Sprintf(callRecord, "c1"))
	b.put("k", fmt.Sprintf(resultRecord, "c1"), `{"type":"compaction","summary":"s","tokensBefore":1,"firstKeptEntryId":"`+
		first.Entries[0].ID+`"}`, `{"type":"label","targetId":"`+first.Entries[0].ID+`","label":"here"}`)
	origin, err := Find(ctx, &b.Store.View, "k")
	if err != nil {
		t.Fatal(err)
	}
	done, err := b.Restore(ctx, origin, "copy")
	if err != nil || done.ID == origin.ID() || done.Records != 6 {
		t.Fatal(done, err)
	}
	for _, id := range idsOf(b.text("k")) {
		if strings.Contains(b.text("copy"), id) {
			t.Errorf("%s is in both", id)
		}
	}
	if _, err := check(strings.NewReader(""), 0, []byte(b.text("copy")), ""); err != nil {
		t.Error(err)
	}
	if _, err := b.Restore(ctx, origin, "copy"); !errors.Is(err, ErrTaken) {
		t.Error(err)
	}
	b.put("copy", userRecord)
	b.audit()
}

func idsOf(text string) (ids []string) {
	for line := range strings.Lines(text) {
		ids = append(ids, (&jsonl.Parser{}).Parse([]byte(strings.TrimSpace(line)), 1, 0).ID())
	}
	return ids
}

// A dry run changes nothing.
func TestDryRun(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	b.put("k", userRecord)
	text := b.text("k")
	b.DryRun = true
	if _, err := b.say("k", "user", "x", ""); err != nil {
		t.Error(err)
	}
	if _, err := b.Begin(ctx, "k", Options{}); err != nil {
		t.Error(err)
	}
	if _, err := b.Delete(ctx, Removal{Keys: []string{"k"}, Purge: true}); err != nil {
		t.Error(err)
	}
	if list, err := b.Store.List(ctx); err != nil || len(list) != 1 || b.text("k") != text {
		t.Error(list, err)
	}
}

// A key means itself, even if it looks like the name of an item of the trash. The name counts if nothing has it as its
// key.
func TestTrashNames(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	move := func(key string) string {
		t.Helper()
		done, err := b.Delete(ctx, Removal{Keys: []string{key}})
		if err != nil || len(done) != 1 {
			t.Fatal(done, err)
		}
		return store.TrashName(done[0].TrashID)
	}
	b.put("k", userRecord)
	name := move("k")
	b.put(name, userRecord)
	other := move(name) // its key is the name of the first one
	b.put(name, userRecord)
	purge := Removal{Keys: []string{name}, Purge: true}
	for _, step := range []struct{ restored, purged string }{
		{other, name}, // purges the live session
		{other, name}, // purges the item with that key
		{name, "k"},   // purges the item with that number
	} {
		origin, err := Find(ctx, &b.Store.View, name)
		if err != nil || origin.Trashed == nil || origin.Trashed.Name() != step.restored {
			t.Fatal(step, origin, err)
		}
		done, err := b.Delete(ctx, purge)
		if err != nil || len(done) != 1 || done[0].Key != step.purged {
			t.Fatal(step, done, err)
		}
	}
	if origin, err := Find(ctx, &b.Store.View, name); err != nil || origin != nil {
		t.Error(origin, err)
	}
}

// A live session is found before an item of the trash whose name is its key.
func TestLiveKeyLikeTrashName(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	b.put("k", userRecord)
	done, err := b.Delete(ctx, Removal{Keys: []string{"k"}})
	if err != nil {
		t.Fatal(err)
	}
	name := store.TrashName(done[0].TrashID)
	b.put(name, userRecord)
	if origin, err := Find(ctx, &b.Store.View, name); err != nil || origin.Generation == nil {
		t.Error(origin, err)
	}
	if done, err := b.Delete(ctx, Removal{Keys: []string{name}}); err != nil || done[0].Key != name {
		t.Error(done, err)
	}
}

// Keys that could not be named again are refused.
func TestKeys(t *testing.T) {
	b := newBench(t)
	for _, key := range []string{"", " k", "a\nb", "@last", "--x", strings.Repeat("k", 501), "\xff"} {
		if _, err := b.add(key, userRecord); !errors.Is(err, ErrBadKey) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// Appends of other writers make a stored head void.
func TestOtherWriters(t *testing.T) {
	b := newBench(t)
	first := b.put("k", userRecord)
	record := (&jsonl.Parser{}).Parse([]byte(`{"type":"custom","customType":"x","id":"mine","parentId":"`+
		first.Entries[1].ID+`","timestamp":"2026-01-01T00:00:00.000Z"}`), 1, 0)
	if err := b.Store.Append(context.Background(), "k", record); err != nil {
		t.Fatal(err)
	}
	if next := b.put("k", userRecord); next.Entries[0].Parent != "mine" {
		t.Errorf("%+v", next)
	}
}

// An import leaves a session of the store its key, and stores another one with the key as a generation.
func TestImportLeavesOwnSessions(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	b.put("agent:main:main", userRecord)
	text := b.text("agent:main:main")
	folder := filepath.Join(t.TempDir(), "agents", "main", "sessions")
	writeFile(t, filepath.Join(folder, "sessions.json"), `{"agent:main:main":{"sessionId":"other"}}`)
	lines := `{"type":"session","version":3,"id":"other","timestamp":"2026-01-01T00:00:00.000Z","cwd":""}` + "\n"
	for round := range 2 {
		lines += fmt.Sprintf(`{"type":"message","id":"%d","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":`+
			`{"role":"user","content":"x"}}`, round) + "\n"
		path := filepath.Join(folder, "other.jsonl")
		writeFile(t, path, lines)
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
		place, err := source.Find(ctx, folder, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := migrate.Import(ctx, b.Store, place.Sessions, migrate.Options{Clock: time.Now}); err != nil {
			t.Fatal(err)
		}
		place.Close()
		list, err := b.Store.List(ctx)
		if err != nil || len(list) != 2 || b.text("agent:main:main") != text || b.text(list[1].Key) != lines {
			t.Fatal(list, err)
		}
	}
	b.put("agent:main:main", userRecord)
	b.audit()
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, path, text)
}

// A folder for OpenClaw has the transcript and its registration. Names cannot leave it.
func TestFolder(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	b.put("agent:../../x:y", `{"type":"session","version":3,"id":"../../escape","timestamp":"2026-01-01T00:00:00.000Z",`+
		`"cwd":""}`, userRecord)
	origin, err := Find(ctx, &b.Store.View, "agent:../../x:y")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "deep", "out")
	done, err := b.WriteFolder(ctx, &b.Store.View, origin, "", folder)
	if err != nil || done.Records != 2 {
		t.Fatal(done, err)
	}
	var files []string
	_ = filepath.WalkDir(filepath.Dir(folder), func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			below, _ := filepath.Rel(folder, path)
			files = append(files, filepath.ToSlash(below))
		}
		return err
	})
	if len(files) != 2 || !strings.HasSuffix(files[0], ".._.._escape.jsonl") || !filepath.IsLocal(files[0]) {
		t.Error(files)
	}
	if _, err := b.WriteFolder(ctx, &b.Store.View, origin, "", folder); !errors.Is(err, ErrNotEmpty) {
		t.Error(err)
	}
}

// The short transcript of a head decides as the whole session does, whatever came before.
func TestShortTranscriptDecides(t *testing.T) {
	b := newBench(t)
	dice := mathrand.New(mathrand.NewPCG(3, 4))
	refused := 0
	for round := range 40 {
		key := fmt.Sprint("k", round)
		b.put(key, userRecord)
		for range 12 {
			line := randomRecord(dice)
			_, whole := check(strings.NewReader(b.text(key)), int64(strings.Count(b.text(key), "\n")), b.complete(key, line), "")
			_, err := b.add(key, line)
			if (err == nil) != (whole == nil) {
				t.Fatalf("%s: got %v, want %v\n%s", line, err, whole, b.text(key))
			}
			if err != nil {
				refused++
			}
		}
	}
	if refused < 50 {
		t.Error("only", refused, "records were refused")
	}
	b.audit()
}

// randomRecord returns a message: a question, an answer with calls, or a result.
func randomRecord(dice *mathrand.Rand) string {
	id := fmt.Sprint("c", dice.IntN(4))
	switch dice.IntN(6) {
	case 0:
		return userRecord
	case 1, 2:
		call := fmt.Sprintf(callRecord, id)
		if dice.IntN(4) == 0 {
			call = strings.Replace(call, `"stopReason":"toolUse"`, `"stopReason":"aborted"`, 1)
		}
		return call
	}
	return fmt.Sprintf(resultRecord, id)
}

// complete returns a record with an id and a parent, as a line.
func (b *bench) complete(key, line string) []byte {
	rec := (&jsonl.Parser{}).Parse([]byte(line), 1, 0)
	return append(rec.Completed("new", jsonl.Quote(b.head(key).Leaf), "2026-01-01T00:00:00.000Z"), '\n')
}
