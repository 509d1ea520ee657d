package migrate

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

func auditStore(t *testing.T, path string) []store.Problem {
	t.Helper()
	r, err := store.OpenReader(context.Background(), path)
	if err != nil {
		return []store.Problem{{Kind: store.Damaged, Text: err.Error()}}
	}
	defer r.Close()
	faults, err := store.NewAuditor(context.Background(), r).Audit()
	if err != nil {
		faults = append(faults, store.Problem{Kind: store.Damaged, Text: err.Error()})
	}
	return faults
}

// fullStore returns a store that has rows in every table.
func fullStore(t *testing.T) *bench {
	b := newBench(t)
	st := openStore(t, b.store)
	importAll(t, st, "../../testdata/home", Options{})
	importAll(t, st, "../../testdata/transcripts", Options{})
	b.write(idA+".jsonl", "\ufeff"+transcript(idA, 1, 2)+"\n\n{\"type\":\r\n"+`{"type":"custom","id":"end"}`)
	importAll(t, st, b.home, Options{})
	deleteSessions(t, st, "agent:main:main", "agent:research:cron:daily-digest@reset.2026-05-20T04-30-00.000Z")
	importAll(t, st, "../../testdata/home", Options{})
	archiveEnds(t, st, b.store)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	b.change("INSERT INTO uncompared SELECT key FROM sessions LIMIT 3")
	return b
}

// deleteSessions moves sessions to the trash, and stores a head of another one.
func deleteSessions(t *testing.T, st *store.SQLite, keys ...string) {
	t.Helper()
	b, err := st.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if _, err := b.Trash(key, time.Now(), "why"); err != nil {
			t.Fatal(err)
		}
	}
	list, err := b.View().Transcripts(context.Background())
	if err == nil {
		err = b.PutHead(list[0], "{}")
	}
	if err == nil {
		err = b.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// archiveEnds moves the first and the last session that can be moved to an archive each. Rows of other programs may
// follow the first one, because SQL finds it first.
func archiveEnds(t *testing.T, st *store.SQLite, path string) {
	t.Helper()
	ctx := context.Background()
	err := st.Write(ctx, func(b *store.Batch) error {
		list, err := b.View().Transcripts(ctx)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(one *store.Transcript) bool {
			whole, err := b.IsWhole(one)
			return err != nil || !whole || one.Sum == "" || one.Bytes == 0
		})
		if len(list) < 2 {
			return errors.New("no sessions can be moved")
		}
		return errors.Join(archiveOne(t, b, list[0], path+".first"+bundle.Suffix),
			archiveOne(t, b, list[len(list)-1], path+".last"+bundle.Suffix))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// archiveOne moves a session to an archive of its own.
func archiveOne(t *testing.T, b *store.Batch, one *store.Transcript, path string) error {
	t.Helper()
	at, size := writeArchive(t, b.View(), one, path)
	archive, err := b.AddArchive(path, size, time.Now())
	if err != nil {
		return err
	}
	return b.MoveToArchive(one, archive, "one.jsonl", at)
}

// writeArchive writes an archive with the text of a session, and returns the place of the text and the size.
func writeArchive(t *testing.T, v *store.View, one *store.Transcript, path string) (bundle.Position, int64) {
	t.Helper()
	ctx := context.Background()
	text, err := v.Text(ctx, one, store.Whole)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	data, err := io.ReadAll(text)
	if err != nil {
		t.Fatal(err)
	}
	write := func(_ context.Context, w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
	sources := []bundle.Source{{Path: "one.jsonl", Kind: bundle.Transcript, WriteTo: write}}
	manifest, err := bundle.Measure(ctx, sources, false)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	places, err := bundle.Write(ctx, &packed, manifest, sources)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, path, packed.Bytes())
	return places[0], int64(packed.Len())
}

// A deleted session comes back with its receipts and compressed bytes, and an export has every file as it was.
func TestUntrash(t *testing.T) {
	ctx := context.Background()
	b := newBench(t)
	st := openStore(t, b.store)
	importAll(t, st, "../../testdata/home", Options{})
	before, err := st.Receipts(ctx)
	if err != nil {
		t.Fatal(err)
	}
	deleteSessions(t, st, "agent:main:main", "agent:research:cron:daily-digest@reset.2026-05-20T04-30-00.000Z")
	if left, _ := st.Receipts(ctx); len(left) >= len(before) {
		t.Error(len(left), "receipts are left")
	}
	items, err := st.Trash(ctx)
	if err != nil || len(items) != 2 {
		t.Fatal(items, err)
	}
	batch, err := st.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		if _, err := batch.Untrash(item); err != nil {
			t.Fatal(err)
		}
	}
	if err := batch.Commit(); err != nil {
		t.Fatal(err)
	}
	if after, err := st.Receipts(ctx); err != nil || len(after) != len(before) {
		t.Errorf("%d receipts, want %d: %v", len(after), len(before), err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if faults := auditStore(t, b.store); len(faults) > 0 {
		t.Errorf("%+v", faults)
	}
	if err := exportOnce(b.store); err != nil {
		t.Error(err)
	}
}

// A flipped bit in any column of any table is noticed. CLAWCTL_VALUES sets how many are tried.
func TestFlippedValues(t *testing.T) {
	b := fullStore(t)
	if faults := auditStore(t, b.store); len(faults) > 0 {
		t.Fatalf("a sound store has faults: %+v", faults)
	}
	rounds := longtest.Rounds(t, "CLAWCTL_VALUES", 60, 400)
	db, err := dbfile.OpenOwn(b.store, "_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	columns := columnsOf(t, db)
	dice := rand.New(rand.NewPCG(1, 2))
	for i, flips := 0, 0; flips < rounds; i++ {
		c := columns[i%len(columns)]
		undo := c.flip(t, db, dice)
		if undo == nil {
			continue
		}
		flips++
		if faults := auditStore(t, b.store); len(faults) == 0 {
			t.Errorf("a flipped bit of %s.%s went unnoticed", c.table, c.name)
		}
		undo()
	}
	if faults := auditStore(t, b.store); len(faults) > 0 {
		t.Fatalf("the test did not undo its changes: %+v", faults)
	}
}

// A column of a table.
type column struct{ table, name string }

// columnsOf lists every column of every table.
func columnsOf(t *testing.T, db *sql.DB) (list []column) {
	rows, err := db.Query("SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.table, &c.name); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	if len(list) < 40 {
		t.Fatalf("only %d columns", len(list))
	}
	return list
}

// flip inverts a random bit of the column in a random row. It returns nil if the value has no bits.
func (c column) flip(t *testing.T, db *sql.DB, dice *rand.Rand) func() {
	var n, row int64
	if err := db.QueryRow("SELECT count(*) FROM " + c.table).Scan(&n); err != nil || n == 0 {
		t.Fatalf("%s has %d rows: %v", c.table, n, err)
	}
	var value any
	if err := db.QueryRow("SELECT rowid, "+c.name+" FROM "+c.table+" LIMIT 1 OFFSET ?", dice.Int64N(n)).
		Scan(&row, &value); err != nil {
		t.Fatal(err)
	}
	place, changed := "?", any(nil)
	switch v := value.(type) {
	case int64:
		changed = v ^ 1<<dice.IntN(63)
	case string:
		changed, place = flipBit([]byte(v), dice), "CAST(? AS TEXT)"
	case []byte:
		changed = flipBit(v, dice)
	}
	if bytes, isBytes := changed.([]byte); changed == nil || isBytes && len(bytes) == 0 {
		return nil
	}
	set := func(to any) error {
		_, err := db.Exec("UPDATE "+c.table+" SET "+c.name+" = "+place+" WHERE rowid = ?", to, row)
		return err
	}
	if set(changed) != nil {
		return nil // SQLite refuses a key that another row has
	}
	return func() {
		if id, isNumber := changed.(int64); isNumber && c.name == "id" {
			row = id
		}
		if text, isText := value.(string); isText {
			value = []byte(text)
		}
		if err := set(value); err != nil {
			t.Fatalf("%s.%s: %v", c.table, c.name, err)
		}
	}
}

func flipBit(data []byte, dice *rand.Rand) []byte {
	data = append([]byte(nil), data...)
	if len(data) > 0 {
		data[dice.IntN(len(data))] ^= 1 << dice.IntN(8)
	}
	return data
}

// What other programs add to a store is named as such, and is no damage.
func TestForeignRows(t *testing.T) {
	for _, statement := range []string{
		"INSERT INTO sessions VALUES ('mine', 1, 2, NULL)",
		"INSERT INTO sessions VALUES ('mine', 1, 2, '{}'); INSERT INTO messages VALUES ('i', 'mine', NULL, 'note', 5, '{}')",
		"INSERT INTO messages SELECT 'i', key, NULL, 'note', 5, '{\"a\":1}' FROM sessions LIMIT 1",
		"INSERT INTO messages SELECT 'i', key, NULL, 'note', 5, '{\"a\":1}' FROM sessions",
		"INSERT INTO messages SELECT 'i', session_key, NULL, 'note', 5, '{\"a\":1}' FROM archived",
		"INSERT INTO messages SELECT id, a.session_key, NULL, type, timestamp, data FROM messages, archived a",
		"INSERT INTO quarantine(session_key, line, code, bytes) SELECT session_key, 1, '', x'0a' FROM archived",
		"INSERT INTO framing(session_key, line, before, after) SELECT session_key, 1, x'20', x'0a' FROM archived",
		"CREATE TABLE notes(x); INSERT INTO notes VALUES (1)",
		"CREATE INDEX mine ON messages(type)",
	} {
		b := fullStore(t)
		b.change(statement)
		faults := auditStore(t, b.store)
		if len(faults) == 0 {
			t.Errorf("%s went unnoticed", statement)
		}
		for _, f := range faults {
			if f.Kind != store.Foreign {
				t.Errorf("%s: %+v", statement, f)
			}
		}
	}
}

// toFirstSchema turns a store into one of the first version of the schema, which had no seals.
const toFirstSchema = `DROP TABLE archived; DROP TABLE archives; DROP TABLE heads; DROP TABLE trash_parts;
DROP TABLE trash;
ALTER TABLE transcripts DROP COLUMN session_seal; ALTER TABLE transcripts DROP COLUMN seal;
ALTER TABLE receipts DROP COLUMN seal; ALTER TABLE quarantine DROP COLUMN seal; ALTER TABLE framing DROP COLUMN seal;
ALTER TABLE receipts DROP COLUMN ctime; UPDATE receipts SET size = 0 WHERE size = -1; PRAGMA user_version = 1`

// A store of the first version is read as it is, and upgraded when it is written. Then all of it has seals.
func TestStoreOfFirstVersion(t *testing.T) {
	b := newBench(t)
	b.write(idA+".jsonl", longTranscript())
	b.interrupt(Options{})
	st := openStore(t, b.store)
	importAll(t, st, "../../testdata/home", Options{})
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	b.change(toFirstSchema)
	for _, f := range auditStore(t, b.store) {
		if f.Kind != store.Unsealed {
			t.Errorf("%+v", f)
		}
	}
	if err := exportOnce(b.store); err != nil {
		t.Error(err)
	}
	if err := openStore(t, b.store).Close(); err != nil {
		t.Fatal(err)
	}
	if faults := auditStore(t, b.store); len(faults) != 1 || faults[0].Kind != store.Incomplete {
		t.Errorf("%+v", faults)
	}
	b.run(Options{})
	b.exact()
	if faults := auditStore(t, b.store); len(faults) > 0 {
		t.Errorf("%+v", faults)
	}
}

// A store of the first version is upgraded although another program has deleted sessions and left their other rows.
func TestFirstVersionWithOrphans(t *testing.T) {
	b := fullStore(t)
	b.change("DELETE FROM sessions WHERE key LIKE 'agent:main:%'")
	b.change(toFirstSchema)
	if err := openStore(t, b.store).Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range auditStore(t, b.store) {
		if f.Kind != store.Damaged || strings.Contains(f.Text, "as clawctl wrote it") {
			t.Errorf("%+v", f)
		}
	}
}

// An audit finds nothing after a record was appended to a last line without an end, whole or damaged, and after the
// session was renamed.
func TestAuditAfterAppend(t *testing.T) {
	whole := transcript(idA, 1, 2)
	for _, text := range []string{whole, whole[:len(whole)-1], whole[:len(whole)-9]} {
		b := newBench(t)
		b.write(idA+".jsonl", text)
		b.run(Options{})
		st := openStore(t, b.store)
		record := (&jsonl.Parser{}).Parse([]byte(`{"type":"custom","id":"zz"}`), 1, 0)
		if err := st.Append(context.Background(), b.keys()[0], record); err != nil {
			t.Fatal(err)
		}
		b.register("main", idA)
		b.run(Options{})
		if keys := b.keys(); !slices.Contains(keys, "agent:main:main") {
			t.Errorf("%q", keys)
		}
		if faults := auditStore(t, b.store); len(faults) > 0 {
			t.Errorf("%q: %+v", text, faults)
		}
	}
}
