package store_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
)

// appendNote appends a record to a session.
func appendNote(t *testing.T, s *store.SQLite, key string, n int) {
	t.Helper()
	text := fmt.Sprintf(`{"type":"custom","id":"n%d"}`, n)
	if err := s.Append(context.Background(), key, (&jsonl.Parser{}).Parse([]byte(text), 1, 0)); err != nil {
		t.Fatal(err)
	}
}

// Everything that is read with a reader is the state in which it was opened, in as many goroutines as there are.
func TestReaderKeepsItsState(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "s.db")
	s := openStore(t, path)
	for i := range 20 {
		appendNote(t, s, fmt.Sprint("k", i%5), i)
	}
	r, err := store.OpenReader(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	appendNote(t, s, "later", 1)
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			if i%4 == 0 {
				appendNote(t, s, "k1", 100+i)
			}
			if got := stateOf(ctx, r); got != "k0=4 k1=4 k2=4 k3=4 k4=4" {
				t.Error(got)
			}
		}()
	}
	wait.Wait()
}

// stateOf counts the lines of every session, with all texts open at once.
func stateOf(ctx context.Context, r *store.Reader) string {
	list, err := r.Transcripts(ctx)
	if err != nil {
		return err.Error()
	}
	var counts []string
	var texts []*store.Text
	for _, t := range list {
		text, err := r.Text(ctx, t, store.Whole)
		if err != nil {
			return err.Error()
		}
		defer text.Close()
		texts = append(texts, text)
	}
	for i, text := range texts {
		all, err := io.ReadAll(text)
		if err != nil {
			return err.Error()
		}
		counts = append(counts, fmt.Sprintf("%s=%d", list[i].Key, strings.Count(string(all), "\n")))
	}
	return strings.Join(counts, " ")
}

// Appended records and new metadata leave nothing for an audit to find.
func TestAppendKeepsSeals(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "s.db")
	s := openStore(t, path)
	for i := range 3 {
		appendNote(t, s, "k", i)
	}
	if err := s.Save(ctx, &store.Conversation{Info: store.Info{Key: "k", Metadata: store.Metadata{Title: "x"}},
		Records: func(func(*jsonl.Record, error) bool) {}}); err != nil {
		t.Fatal(err)
	}
	r, err := store.OpenReader(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if faults, err := store.NewAuditor(ctx, r).Audit(); err != nil || len(faults) > 0 {
		t.Error(faults, err)
	}
}
