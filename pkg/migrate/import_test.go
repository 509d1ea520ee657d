package migrate

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// A bench is a store and a folder to import into it.
type bench struct {
	*testing.T
	home  string // a state folder
	store string
	now   time.Time
}

func newBench(t *testing.T) *bench {
	return &bench{T: t, home: filepath.Join(t.TempDir(), "home"), store: filepath.Join(t.TempDir(), "s.db"),
		now: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
}

// sessions returns the sessions folder of agent main.
func (b *bench) sessions() string { return filepath.Join(b.home, "agents", "main", "sessions") }

// write writes a file to the sessions folder, with a later time than the previous one.
func (b *bench) write(name, text string) {
	b.Helper()
	path := filepath.Join(b.sessions(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	b.now = b.now.Add(time.Hour)
	if err := os.Chtimes(path, b.now, b.now); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) remove(name string) {
	b.Helper()
	if err := os.Remove(filepath.Join(b.sessions(), name)); err != nil {
		b.Fatal(err)
	}
}

// register writes a sessions.json with alternating keys and ids.
func (b *bench) register(pairs ...string) {
	b.Helper()
	index := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		index["agent:main:"+pairs[i]] = map[string]any{"sessionId": pairs[i+1]}
	}
	text, err := json.Marshal(index)
	if err != nil {
		b.Fatal(err)
	}
	b.write("sessions.json", string(text))
}

// run imports, and returns the outcomes by file name.
func (b *bench) run(opts Options, places ...string) map[string]Outcome {
	b.Helper()
	st, err := store.Open(context.Background(), b.store, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	return b.outcomes(opts, places, func(sessions []*source.Session, opts Options) error {
		return Import(context.Background(), st, sessions, opts)
	})
}

// rehearse returns what run would do.
func (b *bench) rehearse() map[string]Outcome {
	b.Helper()
	var view *store.View
	if _, err := os.Stat(b.store); err == nil {
		r, err := store.OpenReader(context.Background(), b.store)
		if err != nil {
			b.Fatal(err)
		}
		defer r.Close()
		view = &r.View
	}
	return b.outcomes(Options{}, nil, func(sessions []*source.Session, opts Options) error {
		return rehearse(context.Background(), view, sessions, opts)
	})
}

// outcomes collects the outcomes for the sessions of places, or of the home.
func (b *bench) outcomes(opts Options, places []string, do func([]*source.Session, Options) error) map[string]Outcome {
	b.Helper()
	if len(places) == 0 {
		places = []string{b.home}
	}
	var sessions []*source.Session
	for _, path := range places {
		place, err := source.Find(context.Background(), path, source.Options{Fast: true})
		if err != nil {
			b.Fatal(err)
		}
		defer place.Close()
		sessions = append(sessions, place.Sessions...)
	}
	outcomes := map[string]Outcome{}
	opts.Clock = func() time.Time { return b.now }
	opts.Done = func(o Outcome) { outcomes[filepath.Base(o.Session.Path)] = o }
	if err := do(sessions, opts); err != nil {
		b.Fatal(err)
	}
	return outcomes
}

// want imports and compares the outcomes, each as "file verdict key".
func (b *bench) want(want ...string) {
	b.Helper()
	var got []string
	for name, o := range b.run(Options{}) {
		if o.Err != nil {
			b.Errorf("%s: %v", name, o.Err)
		}
		got = append(got, fmt.Sprintf("%s %s %s", name, o.Verdict, strings.TrimPrefix(o.Key, "agent:main:")))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		b.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	b.exact()
}

// change runs SQL on the store directly.
func (b *bench) change(statement string) {
	b.Helper()
	db, err := sql.Open("sqlite", b.store+"?_pragma=busy_timeout(5000)")
	if err == nil {
		_, err = db.Exec(statement)
		db.Close()
	}
	if err != nil {
		b.Fatal(statement, err)
	}
}

// exported returns the files of an export by path.
func (b *bench) exported() map[string]string {
	b.Helper()
	r, err := store.OpenReader(context.Background(), b.store)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	items, err := storeItems(context.Background(), &r.View, func(string) bool { return true })
	if err != nil {
		b.Fatal(err)
	}
	texts := map[string]string{}
	for i := range items {
		var text strings.Builder
		if _, err := items[i].WriteTo(context.Background(), &text); err != nil {
			b.Fatalf("%s: %v", items[i].Path, err)
		}
		if items[i].MissingBytes != 0 {
			b.Errorf("%s has MissingBytes %d", items[i].Path, items[i].MissingBytes)
		}
		texts[items[i].Path] = text.String()
	}
	return texts
}

// inExport is the folder of the sessions in an export.
const inExport = "home/agents/main/sessions/"

// exact checks that export restores every file byte for byte, and that verify agrees.
func (b *bench) exact() {
	b.Helper()
	back := b.exported()
	entries, err := os.ReadDir(b.sessions())
	if err != nil {
		b.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() == "sessions.json" {
			continue
		}
		original, err := os.ReadFile(filepath.Join(b.sessions(), entry.Name()))
		if err != nil {
			b.Fatal(err)
		}
		text, there := back[inExport+entry.Name()]
		if !there || text != string(original) {
			b.Errorf("%s was exported as %q (%v)", entry.Name(), text, there)
		}
	}
	for _, p := range b.verify() {
		if !p.Complete() {
			b.Errorf("verify: %s %s %v %v", p.Session.Place(), p.Relation, p.OnlyHere, p.Err)
		}
	}
	b.related()
}

// related checks that every row belongs to a session, as the schema requires.
func (b *bench) related() {
	b.Helper()
	db, err := sql.Open("sqlite", b.store+"?_pragma=busy_timeout(5000)")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var table, parent string
	switch err := db.QueryRow(`SELECT "table", parent FROM pragma_foreign_key_check`).Scan(&table, &parent); {
	case err == nil:
		b.Errorf("a row of %s has no row of %s", table, parent)
	case !errors.Is(err, sql.ErrNoRows):
		b.Fatal(err)
	}
}

// verify compares the folder with the store.
func (b *bench) verify() []Proof {
	b.Helper()
	ctx := context.Background()
	target, err := OpenTarget(ctx, b.store, "")
	if err != nil {
		b.Fatal(err)
	}
	defer target.Close()
	files, err := source.Find(ctx, b.home, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer files.Close()
	proofs, err := Verify(ctx, files.Sessions, target, VerifyOptions{Jobs: 2})
	if err != nil {
		b.Fatal(err)
	}
	return proofs
}

// The ids of the sessions, and their lines.
const (
	idA = "aaaaaaaa-0000-4000-8000-00000000000a"
	idB = "bbbbbbbb-0000-4000-8000-00000000000b"
)

func transcript(id string, n ...int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":"%s","timestamp":"2026-01-01T00:00:00.000Z"}`+"\n", id)
	for _, i := range n {
		fmt.Fprintf(&b, `{"type":"message","id":"m%d","parentId":null,"timestamp":"2026-01-01T00:00:00.%03dZ",`+
			`"message":{"role":"user","content":"%d"}}`+"\n", i, i, i)
	}
	return b.String()
}

func TestUnchangedAndGrown(t *testing.T) {
	b := newBench(t)
	b.write(idA+".jsonl", transcript(idA, 1, 2))
	b.register("main", idA)
	b.want(idA + ".jsonl new main")
	b.want(idA + ".jsonl unchanged main")
	b.write(idA+".jsonl", transcript(idA, 1, 2, 3))
	b.want(idA + ".jsonl grown main")
	b.write(idA+".jsonl", transcript(idA, 1, 2, 3)) // touched
	b.want(idA + ".jsonl copy main")
	b.want(idA + ".jsonl unchanged main")
}

// After a session is reset or deleted, its transcript keeps its rows under the archive's name. The key is free for the
// next session.
func TestReset(t *testing.T) {
	b := newBench(t)
	b.write(idA+".jsonl", transcript(idA, 1, 2))
	b.register("main", idA)
	b.want(idA + ".jsonl new main")
	const reset = ".jsonl.reset.2026-05-04T14-58-56.795Z"
	b.remove(idA + ".jsonl")
	b.write(idA+reset, transcript(idA, 1, 2, 3))
	b.write(idB+".jsonl", transcript(idB, 4))
	b.register("main", idB)
	b.want(idA+reset+" grown main@reset.2026-05-04T14-58-56.795Z", idB+".jsonl generation main")
	b.want(idA+reset+" unchanged main@reset.2026-05-04T14-58-56.795Z", idB+".jsonl unchanged main")
}

func TestResetOfKnownFamily(t *testing.T) {
	b := newBench(t)
	b.write(idA+".jsonl", transcript(idA, 1, 2))
	b.register("main", idA)
	b.want(idA + ".jsonl new main")
	const reset = ".jsonl.reset.2026-05-04T14-58-56.795Z"
	b.remove(idA + ".jsonl")
	b.write(idA+reset, transcript(idA, 1, 2))
	b.write(idB+".jsonl", transcript(idB, 4))
	b.write("sessions.json", `{"agent:main:main":{"sessionId":"`+idB+`","usageFamilySessionIds":["`+idA+`"]}}`)
	b.want(idA+reset+" copy main@reset.2026-05-04T14-58-56.795Z", idB+".jsonl generation main")
	b.want(idA+reset+" unchanged main@reset.2026-05-04T14-58-56.795Z", idB+".jsonl unchanged main")
}

// A file with different text becomes another generation. The old one stays.
func TestRewrittenFile(t *testing.T) {
	b := newBench(t)
	b.register("main", idA)
	b.write(idA+".jsonl", transcript(idA, 1, 2, 3))
	b.want(idA + ".jsonl new main")
	b.write(idA+".jsonl", transcript(idA, 1, 9))
	b.want(idA + ".jsonl generation main")
	b.write(idA+".jsonl", transcript(idA, 1)) // truncated: both generations contain all of it
	outcome := b.run(Options{})[idA+".jsonl"]
	if outcome.Verdict != Copy || outcome.Key != "agent:main:main" {
		t.Errorf("%+v", outcome)
	}
	b.write(idA+".jsonl", transcript(idA, 1, 7, 8))
	b.want(idA + ".jsonl generation main")
	generations := 0
	ctx := context.Background()
	r, err := store.OpenReader(ctx, b.store)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list, err := r.Transcripts(ctx)
	for _, tr := range list {
		generations++
		if tr.Kind != "live" && tr.Kind != "archive" {
			t.Errorf("%+v", tr)
		}
	}
	if err != nil || generations != 3 {
		t.Error(generations, err)
	}
}

// A checkpoint is a prefix of its session, whichever is imported first. A backup that differs is another generation.
func TestCopies(t *testing.T) {
	const checkpoint = ".checkpoint.579372de-7836-4f3f-ae5e-612549d55682.jsonl"
	b := newBench(t)
	b.register("main", idA)
	b.write(idA+checkpoint, transcript(idA, 1))
	b.want(idA + checkpoint + " new main@checkpoint.579372de-7836-4f3f-ae5e-612549d55682")
	b.write(idA+".jsonl", transcript(idA, 1, 2))
	b.want(idA+checkpoint+" unchanged main", idA+".jsonl grown main")
	b.write(idA+".jsonl.bak-1-2", transcript(idA, 1, 5))
	b.write(idA+".jsonl.bak-1-3", transcript(idA, 1, 2, 3)) // longer than the live file, but not its continuation
	b.want(idA+checkpoint+" unchanged main", idA+".jsonl unchanged main", idA+".jsonl.bak-1-2 generation main@bak-1-2",
		idA+".jsonl.bak-1-3 generation main@bak-1-3")
	b.write(idA+".jsonl", transcript(idA, 1, 2, 3, 4))
	b.want(idA+checkpoint+" unchanged main", idA+".jsonl grown main", idA+".jsonl.bak-1-2 unchanged main@bak-1-2",
		idA+".jsonl.bak-1-3 unchanged main@bak-1-3")
}

// An unregistered transcript gets its key when sessions.json names it.
func TestRegistrationAfterImport(t *testing.T) {
	b := newBench(t)
	b.write(idA+".jsonl", transcript(idA, 1))
	b.want(idA + ".jsonl new recovered:" + idA)
	b.register("main", idA)
	b.want(idA + ".jsonl unchanged main")
	b.want(idA + ".jsonl unchanged main")
}

// If two machines have the same keys, the newer sessions keep them, and both continue to grow separately.
func TestTwoRoots(t *testing.T) {
	b, other := newBench(t), newBench(t)
	b.write(idA+".jsonl", transcript(idA, 1))
	b.register("main", idA)
	other.now = b.now.Add(24 * time.Hour)
	other.write(idB+".jsonl", transcript(idB, 2))
	other.register("main", idB)
	both := []string{b.home, other.home}
	first := b.run(Options{}, both...)
	if first[idA+".jsonl"].Verdict != New || first[idB+".jsonl"].Verdict != Generation ||
		first[idB+".jsonl"].Key != "agent:main:main" {
		t.Errorf("%+v", first)
	}
	for range 2 {
		for name, o := range b.run(Options{}, both...) {
			if o.Verdict != Unchanged {
				t.Errorf("%s: %+v", name, o)
			}
		}
	}
	b.exact()
}

func TestRehearsal(t *testing.T) {
	b := newBench(t)
	b.register("main", idA)
	live, checkpoint := idA+".jsonl", idA+".checkpoint.579372de-7836-4f3f-ae5e-612549d55682.jsonl"
	b.write(live, transcript(idA, 1, 2)+"damaged\n")
	b.write(checkpoint, transcript(idA, 1))
	for range 2 {
		got := b.rehearse()
		if o := got[live]; o.Verdict != New || o.Records != 3 || o.Damaged != 1 {
			t.Errorf("%+v", o)
		}
		if o := got[checkpoint]; o.Verdict != Copy {
			t.Errorf("%+v", o)
		}
	}
	if _, err := os.Stat(b.store); err == nil {
		t.Error("the rehearsal created a store")
	}
	b.run(Options{})
	b.write(live, transcript(idA, 1, 2)+"damaged\n{}\nmore damage\n")
	b.write(checkpoint, transcript(idA, 3))
	before := testkit.Read(t, b.store)
	rehearsed := b.rehearse()
	if after, err := os.ReadFile(b.store); err != nil || !bytes.Equal(before, after) {
		t.Error("the store has changed", err)
	}
	for name, o := range b.run(Options{}) {
		if r := rehearsed[name]; r.Verdict != o.Verdict || r.Key != o.Key || r.Records != o.Records ||
			r.Bytes != o.Bytes || r.Damaged != o.Damaged {
			t.Errorf("%s: rehearsed %+v, done %+v", name, r, o)
		}
		if at := strings.Index(transcript(idA, 1, 2)+"damaged\n{}\nmore damage\n", "more"); name == live &&
			(o.Damage.Line != 6 || o.Damage.Offset != int64(at)) {
			t.Errorf("%+v, want line 6, byte %d", o.Damage, at)
		}
	}
}

func TestStrictAndSince(t *testing.T) {
	b := newBench(t)
	b.write(idA+".jsonl", transcript(idA, 1)+"damaged\n")
	b.write(idB+".jsonl", transcript(idB, 1))
	got := b.run(Options{Strict: true})
	if got[idA+".jsonl"].Verdict != Refused || got[idA+".jsonl"].Err == nil || got[idB+".jsonl"].Verdict != New {
		t.Errorf("%+v", got)
	}
	got = b.run(Options{Since: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)})
	if got[idA+".jsonl"].Verdict != Older || got[idB+".jsonl"].Verdict != Unchanged {
		t.Errorf("%+v", got)
	}
	got = b.run(Options{Until: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
	if got[idA+".jsonl"].Verdict != Newer || got[idB+".jsonl"].Verdict != Unchanged {
		t.Errorf("%+v", got)
	}
	if got = b.run(Options{Since: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}); got[idA+".jsonl"].Verdict != New {
		t.Errorf("%+v", got)
	}
	b.exact()
}

// A session larger than a commit is stored in portions, each with its own receipt.
func TestPortions(t *testing.T) {
	b := newBench(t)
	many := make([]int, 3000)
	for i := range many {
		many[i] = i
	}
	b.register("main", idA)
	b.write(idA+".jsonl", transcript(idA, many...))
	b.write(idB+".jsonl", transcript(idB, many[:1000]...))
	got := b.run(Options{CommitBytes: 64 << 10})
	if o := got[idA+".jsonl"]; o.Verdict != New || o.Records != 3001 || o.Err != nil {
		t.Errorf("%+v", o)
	}
	b.exact()
	b.write(idA+".jsonl", transcript(idA, append(many, many...)...))
	if o := b.run(Options{CommitBytes: 64 << 10})[idA+".jsonl"]; o.Verdict != Grown || o.Records != 3000 {
		t.Errorf("%+v", o)
	}
	b.exact()
}

// Sessions that an interrupted import stored but did not compare are compared by the next import.
func TestPendingComparisons(t *testing.T) {
	b := newBench(t)
	b.write(idA+".jsonl", transcript(idA, 1, 2))
	b.write(idB+".jsonl", transcript(idB, 1, 2))
	b.run(Options{})
	uncompared := func() int64 { return query(t, b.store, "SELECT count(*) FROM uncompared") }
	if n := uncompared(); n != 0 {
		t.Fatalf("%d sessions are left uncompared", n)
	}
	b.change("INSERT INTO uncompared SELECT key FROM sessions")
	b.change("UPDATE messages SET data = replace(data, 'user', 'uses') WHERE rowid = 2")
	for name, o := range b.run(Options{}) {
		if o.Err != nil || o.Verdict == Refused {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if n := uncompared(); n != 0 {
		t.Errorf("%d sessions are left uncompared", n)
	}
	b.exact() // the damaged session was stored again
}

// If another program changes a session in the store, the next import stores its source again, whether the source has
// grown or not.
func TestSessionChangedWithSQL(t *testing.T) {
	for _, change := range []string{
		"DELETE FROM messages WHERE rowid = 2",
		"UPDATE messages SET data = replace(data, 'user', 'uses') WHERE rowid = 3",
		"DELETE FROM sessions", // without foreign keys the other rows stay
	} {
		for _, now := range []string{transcript(idA, 1, 2), transcript(idA, 1, 2, 3)} {
			if strings.HasPrefix(change, "UPDATE") && now != transcript(idA, 1, 2) {
				// verify finds a row that was changed in place. An import does not read all rows for a few new lines.
				continue
			}
			b := newBench(t)
			b.register("main", idA)
			b.write(idA+".jsonl", transcript(idA, 1, 2))
			b.run(Options{})
			b.change(change)
			b.write(idA+".jsonl", now)
			if o := b.run(Options{})[idA+".jsonl"]; o.Err != nil || o.Key != "agent:main:main" {
				t.Errorf("%s: %+v", change, o)
			}
			b.exact()
		}
	}
}

// Export restores everything that was ever stored, whatever happened to the file.
func TestTruncatedFile(t *testing.T) {
	whole, part, other := transcript(idA, 1, 2, 3), transcript(idA, 1), transcript(idA, 1, 4)
	b := newBench(t)
	b.register("main", idA)
	b.write(idA+".jsonl", whole)
	b.run(Options{})
	for _, cut := range []string{part, part[:len(part)-5], other, part, whole, part, whole, part, other, part} {
		b.write(idA+".jsonl", cut)
		b.run(Options{})
		b.run(Options{})
		var gone []string
		back := slices.Collect(maps.Values(b.exported()))
		for _, want := range []string{whole, cut} {
			if !slices.Contains(back, want) {
				gone = append(gone, want)
			}
		}
		if len(gone) > 0 || b.exported()[inExport+idA+".jsonl"] != cut {
			t.Fatalf("after %d bytes: %d texts are missing from %q", len(cut), len(gone), b.exported())
		}
	}
	if n := len(b.exported()); n > 5 { // both texts, a part of each, and the part without its line end
		t.Errorf("%d files: %q", n, b.exported())
	}
}

// A prefix of a session whose file is gone is not an archive of it.
func TestPrefixOfMissingFile(t *testing.T) {
	b := newBench(t)
	b.register("main", idA)
	checkpoint := idA + ".checkpoint.579372de-7836-4f3f-ae5e-612549d55682.jsonl"
	b.write(idA+".jsonl", transcript(idA, 1, 2))
	b.write(checkpoint, transcript(idA, 1))
	b.run(Options{})
	b.remove(idA + ".jsonl")
	b.write(checkpoint, transcript(idA, 1))
	b.run(Options{})
	b.write(idA+".jsonl.bak-77-1a2b", transcript(idA, 1))
	for range 2 {
		if o := b.run(Options{})[checkpoint]; o.Key != "agent:main:main" {
			t.Errorf("%+v", o)
		}
		if got := b.exported(); got[inExport+idA+".jsonl"] != transcript(idA, 1, 2) ||
			got[inExport+checkpoint] != transcript(idA, 1) {
			t.Errorf("%q", got)
		}
	}
}

func TestLineTooLong(t *testing.T) {
	b := newBench(t)
	b.write(idA+".jsonl", transcript(idA, 1))
	file, err := os.OpenFile(filepath.Join(b.sessions(), idA+".jsonl"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	end, err := file.Seek(jsonl.DefaultMaxLine+1, io.SeekEnd) // a hole: the line takes no space
	if err == nil {
		_, err = file.WriteAt([]byte("\n{}\n"), end)
	}
	if err != nil {
		t.Fatal(err)
	}
	if o := b.run(Options{})[idA+".jsonl"]; o.Damaged != 1 || o.Damage.Code != jsonl.TooLong || o.Lines != 3 {
		t.Errorf("import: %+v", o)
	}
	if p := b.verify()[0]; p.Complete() || p.Lines != 4 || p.Missing != 1 || !slices.Equal(p.OnlyHere, []int64{3}) {
		t.Errorf("verify: %+v", p)
	}
}

// Files in a folder with # in its name are imported, and an empty file stays empty.
func TestOddFolders(t *testing.T) {
	b := newBench(t)
	b.home = filepath.Join(b.home, "a#b", "home")
	b.register("main", idA)
	b.write(idA+".jsonl", transcript(idA, 1))
	b.write(idA+".jsonl.reset.2026-05-04T14-58-56.795Z", transcript(idA, 1))
	b.write(idB+".jsonl", "")
	for range 3 {
		b.run(Options{})
		b.exact()
	}
	b.write(idB+".jsonl", "") // with a newer time, to be read again
	b.run(Options{})
	b.write(idB+".jsonl", transcript(idB, 1))
	if o := b.run(Options{})[idB+".jsonl"]; o.Verdict != Grown {
		t.Errorf("%+v", o)
	}
	b.exact()
}

// Export restores the current bytes of a compressed file.
func TestCompressedFileChanges(t *testing.T) {
	b := newBench(t)
	name := idA + ".jsonl.gz"
	for _, level := range []int{gzip.NoCompression, gzip.BestCompression, gzip.BestSpeed} {
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, level)
		if err != nil {
			t.Fatal(err)
		}
		text := transcript(idA, make([]int, 20000)...) // more than one part if it is not compressed
		if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		b.write(name, packed.String())
		b.run(Options{})
		b.exact()
	}
	b.write(name, transcript(idA, 1)) // and no longer compressed
	b.run(Options{})
	b.exact()
}

// Records that other programs append to a session are exported with it, after its own. If the source grows, it is
// stored again.
func TestRecordsAddedWithSQL(t *testing.T) {
	b := newBench(t)
	b.register("main", idA)
	b.write(idA+".jsonl", transcript(idA, 1, 2))
	b.run(Options{})
	b.change("INSERT INTO messages SELECT 'x', session_key, NULL, 'custom', 1, '{}' FROM messages WHERE rowid = 1")
	r, err := store.OpenReader(context.Background(), b.store)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	items, err := storeItems(context.Background(), &r.View, func(string) bool { return true })
	if err != nil || len(items) != 1 {
		t.Fatal(items, err)
	}
	var text strings.Builder
	if _, err := items[0].WriteTo(context.Background(), &text); err != nil ||
		text.String() != transcript(idA, 1, 2)+"{}\n" {
		t.Errorf("%q %v", text.String(), err)
	}
	b.write(idA+".jsonl", transcript(idA, 1, 2, 3))
	if o := b.run(Options{})[idA+".jsonl"]; o.Verdict != Generation || o.Err != nil {
		t.Errorf("%+v", o)
	}
	b.exact()
}
