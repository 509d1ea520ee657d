package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
)

// A wordEditor replaces a word by a shorter one.
type wordEditor struct{ word string }

func (w wordEditor) edit(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte(w.word), []byte("gone"))
}
func (w wordEditor) Has(text []byte) bool        { return bytes.Contains(text, []byte(w.word)) }
func (w wordEditor) Depends([]byte) bool         { return false }
func (w wordEditor) Record(text []byte) []byte   { return w.edit(text) }
func (w wordEditor) Line(raw []byte) []byte      { return w.edit(raw) }
func (w wordEditor) Metadata(text []byte) []byte { return w.edit(text) }
func (w wordEditor) Text(out io.Writer, in io.Reader) error {
	_, err := w.Packed(out, in)
	return err
}
func (w wordEditor) Packed(out io.Writer, in io.Reader) (bool, error) {
	text, err := io.ReadAll(in)
	if err == nil {
		_, err = out.Write(w.edit(text))
	}
	return w.Has(text), err
}

// The lines of a session with a secret in a record, in a damaged line and in the last one, which has no line end.
var leaky = []string{
	`{"type":"session","id":"s1","version":3}` + "\n",
	`{"type":"message","id":"a","message":{"role":"user","content":"my SECRET-KEY is here"}}` + "\r\n",
	`{"type":"message","id":"b","mess SECRET-KEY damaged` + "\n", "\n",
	`{"type":"message","id":"c","parentId":"a","message":{"role":"user","content":"and SECRET-KEY again"}}`,
}

// putLeaky stores a session, with receipts of files that end at every line, and inside of one.
func putLeaky(t *testing.T, st *store.SQLite, key string) {
	t.Helper()
	ctx := context.Background()
	b, err := st.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Join(leaky, "")
	tr := &store.Transcript{Key: key, BaseKey: key, SessionID: "s1", Agent: "main", Kind: "live"}
	about := store.Metadata{Title: "about SECRET-KEY"}
	if err := b.CreateFrom(tr, about, strings.NewReader(whole), time.Now()); err != nil {
		t.Fatal(err)
	}
	for n := range leaky {
		text := strings.Join(leaky[:n+1], "")
		putReceipt(t, b, fmt.Sprintf("/%s/%d", key, n), key, text, int64(n+1))
	}
	putReceipt(t, b, "/"+key+"/early", key, whole[:60], 2)
	putReceipt(t, b, "/"+key+"/late", key, whole[:len(whole)-4], 5)
	if err := b.Commit(); err != nil {
		t.Fatal(err)
	}
}

func putReceipt(t *testing.T, b *store.Batch, path, key, text string, lines int64) {
	t.Helper()
	r := &store.ImportReceipt{
		Path: path, Root: "/", SessionKey: key, Kind: "live", Sum: sumOf(text), Lines: lines, Bytes: int64(len(text)),
	}
	if err := b.PutReceipt(r); err != nil {
		t.Fatal(err)
	}
}

// mustBeClean fails if any file of a folder has a text.
func mustBeClean(t *testing.T, folder, text string) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(folder, "*"))
	for _, path := range paths {
		if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte(text)) {
			t.Errorf("%s has the value: %v", path, err)
		}
	}
}

func TestErase(t *testing.T) {
	ctx, folder := context.Background(), t.TempDir()
	path := filepath.Join(folder, "sessions.db")
	st, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	putLeaky(t, st, "kept")
	putLeaky(t, st, "trashed")
	eraseBatch(t, st, func(b *store.Batch) error {
		_, err := b.Trash("trashed", time.Now(), "test")
		return err
	})
	if err := st.EraseDeleted(ctx); err != nil {
		t.Fatal(err)
	}
	eraseBatch(t, st, func(b *store.Batch) error {
		n, err := b.Erase(wordEditor{"SECRET-KEY"})
		if n != 2 {
			t.Errorf("%d sessions", n)
		}
		return err
	})
	if err := st.Shred(ctx); err != nil {
		t.Fatal(err)
	}
	mustBeClean(t, folder, "SECRET-KEY")
	checkErased(t, path, "kept")
	eraseBatch(t, st, func(b *store.Batch) error {
		list, err := b.View().Trash(ctx)
		if err == nil {
			_, err = b.Untrash(list[0])
		}
		return err
	})
	checkErased(t, path, "trashed")
}

func eraseBatch(t *testing.T, st *store.SQLite, do func(b *store.Batch) error) {
	t.Helper()
	b, err := st.Begin(context.Background())
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

// checkErased checks that a session has the edited text, that its receipts are beginnings of it, and that the store has
// no faults.
func checkErased(t *testing.T, path, key string) {
	t.Helper()
	ctx := context.Background()
	r, err := store.OpenReader(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if faults, err := store.NewAuditor(ctx, r).Audit(); err != nil || len(faults) > 0 {
		t.Error(faults, err)
	}
	tr, err := r.Transcript(ctx, key)
	if err != nil || tr == nil {
		t.Fatal(err)
	}
	in, err := r.Text(ctx, tr, store.Whole)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	want := strings.ReplaceAll(strings.Join(leaky, ""), "SECRET-KEY", "gone")
	if err != nil || string(text) != want || tr.Sum != sumOf(want) || tr.Bytes != int64(len(want)) {
		t.Errorf("%v: %q", err, text)
	}
	receipts, err := r.ReceiptsOf(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, receipt := range receipts {
		names += " " + filepath.Base(receipt.Path)
		if receipt.Bytes > int64(len(text)) || receipt.Sum != sumOf(string(text[:receipt.Bytes])) {
			t.Errorf("%s: %d bytes with another digest", receipt.Path, receipt.Bytes)
		}
	}
	if key == "kept" && names != " 0 1 2 3 4 early" {
		t.Errorf("receipts:%s", names)
	}
}

// A session can go on after a value was removed from it.
func TestAppendAfterErase(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "sessions.db")
	st, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	add := func(text string) {
		if err := st.Append(ctx, "k", (&jsonl.Parser{Verbatim: true}).Parse([]byte(text), 1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	add(`{"type":"message","id":"a","message":{"role":"user","content":"SECRET-KEY"}}`)
	eraseBatch(t, st, func(b *store.Batch) error {
		_, err := b.Erase(wordEditor{"SECRET-KEY"})
		return err
	})
	add(`{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"next"}}`)
	r, err := store.OpenReader(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if faults, err := store.NewAuditor(ctx, r).Audit(); err != nil || len(faults) > 0 {
		t.Error(faults, err)
	}
}
