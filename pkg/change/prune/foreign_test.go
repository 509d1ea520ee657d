package prune

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
	"clawctl/pkg/store/session"
)

// foreignRows are what other programs add to sessions.
var foreignRows = map[string]string{
	"one row": `INSERT INTO messages SELECT 'f', key, NULL, 'note', 5, '{"a":1}' FROM sessions`,
	"as many as records": `INSERT INTO messages SELECT 'f' || value, session_key, NULL, 'note', value, ` +
		`'{"a":' || value || '}' FROM transcripts, generate ORDER BY value`,
	"a record": `INSERT INTO messages SELECT 'f', key, 'a', 'message', 1767261602000, ` +
		`'{"type":"message","id":"f","parentId":"a","timestamp":"2026-01-01T10:00:02.000Z","message":` +
		`{"role":"user","content":"f"}}' FROM sessions`,
	"framing of no line": `INSERT INTO framing(session_key, line, before, after) ` +
		`SELECT session_key, 999, x'20', x'0a' FROM transcripts`,
	"a line after the text": `INSERT INTO quarantine(session_key, line, code, bytes) ` +
		`SELECT session_key, lines + 1, '', x'7b0a' FROM transcripts`,
}

// change does what another program might do to the store.
func (s *stage) change(statement string) {
	s.Helper()
	db, err := dbfile.OpenOwn(s.store, "_pragma=busy_timeout(5000)")
	if err != nil {
		s.Fatal(err)
	}
	defer db.Close()
	statement = strings.ReplaceAll(statement, "generate", "json_each('[1,2,3,4]')")
	if _, err := db.Exec(statement); err != nil {
		s.Fatal(err)
	}
}

// foreign returns the rows that other programs have added, in their order.
func (s *stage) foreign() (rows []string) {
	s.Helper()
	db, err := dbfile.OpenOwn(s.store, "_pragma=busy_timeout(5000)")
	if err != nil {
		s.Fatal(err)
	}
	defer db.Close()
	found, err := db.Query("SELECT json_array(id, session_key, parent_id, type, timestamp, data) FROM messages WHERE " +
		"id LIKE 'f%' ORDER BY session_key, rowid")
	if err != nil {
		s.Fatal(err)
	}
	defer found.Close()
	for found.Next() {
		var row string
		if err := found.Scan(&row); err != nil {
			s.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// twoStages returns a store with sessions, and one that has them in an archive. Then others add to both.
func twoStages(t *testing.T, statement string) (plain, cold *stage) {
	plain, cold = newStage(t), newStage(t)
	for _, s := range []*stage{plain, cold} {
		for i, text := range oddTexts() {
			s.write(id(i+1)+".jsonl", text)
		}
		s.importAll()
	}
	if done := cold.archive(filepath.Join(t.TempDir(), "cold.tar.zst")); len(done.Left) > 0 {
		t.Fatal(done.Left)
	}
	plain.change(statement)
	cold.change(statement)
	return plain, cold
}

// checkEqual checks that two stores say the same about their sessions.
func checkEqual(t *testing.T, when string, plain, cold *stage) {
	t.Helper()
	want, have := plain.texts(), cold.texts()
	for key, text := range want {
		if have[key] != text {
			t.Errorf("%s: %s has %q, want %q", when, key, have[key], text)
		}
	}
	if len(have) != len(want) {
		t.Errorf("%s: %d sessions, want %d", when, len(have), len(want))
	}
	if want, have := plain.faults(), cold.faults(); !reflect.DeepEqual(have, want) {
		t.Errorf("%s: %+v, want %+v", when, have, want)
	}
	if want, have := plain.foreign(), cold.foreign(); !slices.Equal(have, want) {
		t.Errorf("%s: %q, want %q", when, have, want)
	}
}

// What others add to an archived session follows its text, as it does if the text is in the store.
func TestForeignRowsOfArchived(t *testing.T) {
	for name, statement := range foreignRows {
		plain, cold := twoStages(t, statement)
		checkEqual(t, name+": archived", plain, cold)
		if keys := cold.unarchive(); len(keys) != len(oddTexts()) {
			t.Errorf("%s: %d sessions came back", name, len(keys))
		}
		checkEqual(t, name+": back", plain, cold)
	}
}

// A source that grows is stored again if others have added to its session, and their rows stay with the old text.
func TestGrowthAfterForeignRows(t *testing.T) {
	for name, statement := range foreignRows {
		plain, cold := twoStages(t, statement)
		for _, s := range []*stage{plain, cold} {
			s.write(id(1)+".jsonl", transcript(1, "a", "b", "c", "d"))
			s.importAll()
		}
		checkEqual(t, name+": grown", plain, cold)
		cold.unarchive()
		checkEqual(t, name+": back", plain, cold)
	}
}

// A deleted session comes back with the rows that others have added to it.
func TestDeletedWithForeignRows(t *testing.T) {
	plain, cold := twoStages(t, foreignRows["one row"])
	for _, s := range []*stage{plain, cold} {
		err := s.keep(func(k *session.Keeper) error {
			infos, err := k.Store.List(ctx)
			if err != nil {
				return err
			}
			for _, info := range infos {
				if err := deleteAndRestore(k, info.Key); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	checkEqual(t, "deleted and restored", plain, cold)
}

func deleteAndRestore(k *session.Keeper, key string) error {
	if _, err := k.Delete(ctx, session.Removal{Keys: []string{key}}); err != nil {
		return err
	}
	origin, err := session.Find(ctx, &k.Store.View, key)
	if err != nil {
		return err
	}
	_, err = k.Restore(ctx, origin, "")
	return err
}

// A line that others have numbered like one of the archive would replace it. So the text stays in the archive, where it
// can be read, until that line is gone.
func TestForeignLineInArchived(t *testing.T) {
	for table, values := range map[string]string{
		"quarantine(session_key, line, code, bytes)":   "2, '', x'7b0a'",
		"framing(session_key, line, before, after)":    "2, x'20', x'0a'",
		"quarantine (session_key, line, code, bytes) ": "1, 'CL001', x'0a'",
	} {
		s := newStage(t)
		s.write(id(1)+".jsonl", transcript(1, "a", "b"))
		s.importAll()
		want := s.texts()
		s.archive(filepath.Join(t.TempDir(), "cold.tar.zst"))
		s.change("INSERT INTO " + table + " SELECT session_key, " + values + " FROM archived")
		unarchive := func() error {
			return s.keep(func(k *session.Keeper) error {
				archives, err := k.Store.View.Archives(ctx)
				if err == nil {
					_, err = (&Archiver{Store: k.Store}).Unarchive(ctx, archives)
				}
				return err
			})
		}
		err := unarchive()
		if !errors.As(err, new(*store.LineTakenError)) || failure.From("s.db", err).Code != failure.Exists {
			t.Errorf("%s: %v", table, err)
		}
		if have := s.texts(); !reflect.DeepEqual(have, want) || len(s.archived()) != 1 {
			t.Errorf("%s: %q", table, have)
		}
		for _, f := range s.faults() {
			if f.Kind != store.Foreign {
				t.Errorf("%s: %+v", table, f)
			}
		}
		name, _, _ := strings.Cut(table, "(")
		s.change("DELETE FROM " + name)
		if err := unarchive(); err != nil || !reflect.DeepEqual(s.texts(), want) {
			t.Errorf("%s: %v", table, err)
		}
	}
}

// Without its archive, the rows that others have added are not taken for the session, and nothing deletes it.
func TestForeignRowsWithoutArchive(t *testing.T) {
	s := newStage(t)
	s.write(id(1)+".jsonl", transcript(1, "a"))
	s.importAll()
	path := filepath.Join(t.TempDir(), "cold.tar.zst")
	s.archive(path)
	s.change(foreignRows["one row"])
	want := s.texts()
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	if faults := s.faults(); len(faults) != 1 || faults[0].Kind != store.Unreachable {
		t.Errorf("%+v", faults)
	}
	for key := range want {
		err := s.keep(func(k *session.Keeper) error { return deleteAndRestore(k, key) })
		if !errors.Is(err, store.ErrArchiveGone) {
			t.Errorf("%s: %v", key, err)
		}
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	if have := s.texts(); !reflect.DeepEqual(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
}

// EachText says which part of a session is in the archive, and which one is in the store.
func TestEachTextOfForeignRows(t *testing.T) {
	_, cold := twoStages(t, foreignRows["one row"])
	r, err := store.OpenReader(ctx, cold.store)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	parts := map[string]string{}
	err = r.EachText(ctx, func(where, key string, text io.Reader) error {
		if where == store.InArchive { // who has found something does not read on
			text = io.LimitReader(text, 10)
		}
		part, err := io.ReadAll(text)
		parts[key+" "+where] = string(part)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range cold.texts() {
		if part := parts[key+" "+store.InSession]; !strings.HasPrefix(part, `{"a":1}`) {
			t.Errorf("%s has %q in the store", key, part)
		}
		if part := parts[key+" "+store.InArchive]; len(part) != 10 {
			t.Errorf("%s has %q in the archive", key, part)
		}
	}
}

// A session that another process has archived meanwhile is left to it.
func TestArchiveTwice(t *testing.T) {
	s := newStage(t)
	s.write(id(1)+".jsonl", transcript(1, "a"))
	s.importAll()
	s.archive(filepath.Join(t.TempDir(), "cold.tar.zst"))
	err := s.keep(func(k *session.Keeper) error {
		list, err := k.Store.Transcripts(ctx)
		if err != nil {
			return err
		}
		batch, err := k.Store.Begin(ctx)
		if err != nil {
			return err
		}
		defer batch.Rollback()
		archive, err := batch.AddArchive("second.tar.zst", 1, now)
		if err != nil {
			return err
		}
		return batch.MoveToArchive(list[0], archive, "x", bundle.Position{})
	})
	if !errors.Is(err, store.ErrUsed) {
		t.Error(err)
	}
}

// A session that others have added to stays in the store, and the others are archived.
func TestArchiveBesideForeignRows(t *testing.T) {
	s := newStage(t)
	for i, text := range oddTexts() {
		s.write(id(i+1)+".jsonl", text)
	}
	s.importAll()
	s.change(foreignRows["one row"] + " LIMIT 2")
	want := s.texts()
	done := s.archive(filepath.Join(t.TempDir(), "cold.tar.zst"))
	if len(done.Left) != 2 || len(s.archived()) != len(want)-2 {
		t.Errorf("left: %v, archived: %v", done.Left, s.archived())
	}
	if have := s.texts(); !reflect.DeepEqual(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
}

// What is appended to an archived session follows its text, also if the last line has no end. If others have added to
// the session, nothing is appended.
func TestAppendToArchived(t *testing.T) {
	record := (&jsonl.Parser{}).Parse([]byte(`{"type":"custom","id":"zz"}`), 1, 0)
	for _, statement := range []string{"", foreignRows["one row"]} {
		plain, cold := twoStages(t, statement)
		for key, text := range cold.texts() {
			add := func(k *session.Keeper) error { return k.Store.Append(ctx, key, record) }
			err := cold.keep(add)
			if statement != "" {
				if have := cold.texts()[key]; have != text || !errors.As(err, new(*store.OtherRowsError)) {
					t.Errorf("%s has %q, want %q: %v", key, have, text, err)
				}
				continue
			}
			if err := errors.Join(err, plain.keep(add)); err != nil {
				t.Error(err)
			}
		}
		checkEqual(t, "appended", plain, cold)
	}
}
