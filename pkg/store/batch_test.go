package store_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// inBatch runs a function in a batch and commits it.
func inBatch(t *testing.T, s *store.SQLite, do func(b *store.Batch) error) {
	t.Helper()
	b, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := do(b); err != nil {
		b.Rollback()
		t.Fatal(err)
	}
	if err := b.Commit(); err != nil {
		t.Fatal(err)
	}
}

// textOf returns the text of a session as it is stored, or "" if there is none.
func textOf(t *testing.T, path, key string) string {
	t.Helper()
	ctx := context.Background()
	r, err := store.OpenReader(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	transcript, err := r.Transcript(ctx, key)
	if err != nil || transcript == nil {
		return ""
	}
	text, err := r.Text(ctx, transcript, store.Whole)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	data, err := io.ReadAll(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// oddText has everything that a text may have besides records: a byte order mark, blank and damaged lines, other line
// ends, and an end that is cut off.
const oddText = "\ufeff{\"type\":\"session\",\"id\":\"s\"}\r\n\n \n{\"type\":\"message\",\"id\":\"a\"}\n{broken}\n" +
	"{\"type\":\"message\",\"id\":\"a\"}\n{\"type\":\"mess"

// A trashed session is not to be seen, and comes back with every byte, its times and its metadata.
func TestTrash(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "s.db")
	s := openStore(t, path)
	long := strings.Repeat(`{"type":"message","id":"x","message":{"role":"user","content":"hello"}}`+"\n", 20_000)
	at := time.UnixMilli(1_780_000_000_000).UTC()
	for key, text := range map[string]string{"odd": oddText, "long": long, "empty": ""} {
		inBatch(t, s, func(b *store.Batch) error {
			return b.CreateFrom(&store.Transcript{Key: key, SessionID: key}, store.Metadata{Title: "T " + key},
				strings.NewReader(text), at)
		})
		before := query(t, path, "SELECT * FROM sessions WHERE key = ?", key)
		var item *store.TrashedSession
		inBatch(t, s, func(b *store.Batch) (err error) {
			item, err = b.Trash(key, at, "a reason")
			return err
		})
		if rows := query(t, path, "SELECT key FROM sessions"); len(rows) > 0 || textOf(t, path, key) != "" {
			t.Errorf("%s is still there: %q", key, rows)
		}
		list, err := s.Trash(ctx)
		if err != nil || len(list) != 1 || list[0].Key != key || !list[0].Deleted.Equal(at) || list[0].Reason != "a reason" {
			t.Errorf("%s: %v, %v", key, list, err)
		}
		inBatch(t, s, func(b *store.Batch) error {
			_, err := b.Untrash(item)
			return err
		})
		if got := textOf(t, path, key); got != text {
			t.Errorf("%s: %d bytes came back of %d", key, len(got), len(text))
		}
		if after := query(t, path, "SELECT * FROM sessions WHERE key = ?", key); len(after) != 1 || after[0] != before[0] {
			t.Errorf("%s: %q became %q", key, before, after)
		}
		if rows := query(t, path, "SELECT id FROM trash UNION SELECT trash FROM trash_parts"); len(rows) > 0 {
			t.Errorf("%s: left in the trash: %q", key, rows)
		}
		inBatch(t, s, func(b *store.Batch) error { return b.Drop(key) })
	}
}

// A session that is not there cannot be trashed, and one that was purged is gone.
func TestPurge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := openStore(t, path)
	appendNote(t, s, "k", 1)
	inBatch(t, s, func(b *store.Batch) error {
		if _, err := b.Trash("nobody", time.Now(), ""); !errors.Is(err, store.ErrNoSession) {
			t.Error(err)
		}
		item, err := b.Trash("k", time.Now(), "")
		if err != nil {
			return err
		}
		return b.Purge(item.ID)
	})
	for _, table := range []string{"sessions", "messages", "transcripts", "trash", "trash_parts"} {
		if rows := query(t, path, "SELECT * FROM "+table); len(rows) > 0 {
			t.Errorf("%s: %q", table, rows)
		}
	}
}

// A text in the trash that was changed is reported when it is read, and does not come back.
func TestTrashIsChecked(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "s.db")
	s := openStore(t, path)
	appendNote(t, s, "k", 1)
	var item *store.TrashedSession
	inBatch(t, s, func(b *store.Batch) (err error) {
		item, err = b.Trash("k", time.Now(), "")
		return err
	})
	query(t, path, "UPDATE trash_parts SET bytes = replace(bytes, 'custom', 'rustom')")
	text, err := s.TrashText(ctx, item)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(text); !errors.Is(err, dbfile.ErrCorrupt) {
		t.Error("the change was not noticed:", err)
	}
	text.Close()
	b, err := s.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Rollback()
	if _, err := b.Untrash(item); !errors.Is(err, dbfile.ErrCorrupt) {
		t.Error("a changed text came back:", err)
	}
}

// A part of a batch that fails leaves nothing, and the rest of the batch stays.
func TestInSavepoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := openStore(t, path)
	failed := errors.New("failed")
	create := func(b *store.Batch, key string) error {
		return b.CreateFrom(&store.Transcript{Key: key, SessionID: key}, store.Metadata{}, strings.NewReader(oddText),
			time.Now())
	}
	inBatch(t, s, func(b *store.Batch) error {
		if err := create(b, "before"); err != nil {
			return err
		}
		err := b.InSavepoint(func() error { return errors.Join(create(b, "bad"), b.Drop("before"), failed) })
		if !errors.Is(err, failed) {
			t.Error(err)
		}
		return b.InSavepoint(func() error { return create(b, "after") })
	})
	for key, want := range map[string]string{"before": oddText, "bad": "", "after": oddText} {
		if got := textOf(t, path, key); got != want {
			t.Errorf("%s: %q", key, got)
		}
	}
}

// A head counts for the text that it was stored with, and for no other.
func TestHead(t *testing.T) {
	s := newStore(t)
	appendNote(t, s, "k", 1)
	head := func() (state string) {
		inBatch(t, s, func(b *store.Batch) error {
			transcript, err := b.Transcript("k")
			if err == nil {
				state, err = b.Head(transcript)
			}
			return err
		})
		return state
	}
	if got := head(); got != "" {
		t.Errorf("a head before any was stored: %q", got)
	}
	for _, state := range []string{"one", "two"} {
		inBatch(t, s, func(b *store.Batch) error {
			transcript, err := b.Transcript("k")
			if err != nil {
				return err
			}
			return b.PutHead(transcript, state)
		})
		if got := head(); got != state {
			t.Errorf("%q, want %q", got, state)
		}
	}
	appendNote(t, s, "k", 2)
	if got := head(); got != "" {
		t.Errorf("a head of an older text: %q", got)
	}
}

// Lines that are joined keep their bytes and their number. Records, other codes and a last line without an end stay
// alone.
func TestLineJoin(t *testing.T) {
	liner := store.NewLiner(&store.Transcript{SessionID: "s"})
	var text string
	var lines []store.Line
	for rec, err := range jsonl.Records(strings.NewReader(oddText+"\n\n\n{x\n{y\n\n"+oddText), jsonl.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		line := liner.Line(rec)
		line.Text = append([]byte(nil), line.Text...)
		if n := len(lines); n == 0 || !lines[n-1].Join(&line) {
			lines = append(lines, line)
		}
	}
	count := int64(0)
	for i, line := range lines {
		text += line.Before + string(line.Text) + line.After
		count += line.Count()
		if line.IsRecord && (line.Count() != 1 || line.ID == "") {
			t.Errorf("line %d: %+v", i, line)
		}
	}
	if want := oddText + "\n\n\n{x\n{y\n\n" + oddText; text != want || count != int64(strings.Count(want, "\n"))+1 {
		t.Errorf("%d lines: %q", count, text)
	}
	ids := map[string]bool{}
	for _, session := range []string{"s", "t"} {
		line := store.NewLiner(&store.Transcript{SessionID: session}).Line(record(`{"type":"x"}`))
		ids[line.ID] = true
	}
	if len(ids) != 2 {
		t.Error("records of two sessions get the same id:", ids)
	}
}
