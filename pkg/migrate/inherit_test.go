package migrate

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// A keptSessions is a SessionStore that keeps the records of sessions as lines.
type keptSessions map[string][]string

func (k keptSessions) Load(_ context.Context, key string) (*store.Conversation, error) {
	return &store.Conversation{Info: store.Info{Key: key}, Records: func(yield func(*jsonl.Record, error) bool) {
		for i, line := range k[key] {
			if !yield((&jsonl.Parser{}).Parse([]byte(line), int64(i+1), 0), nil) {
				return
			}
		}
	}}, nil
}

func (k keptSessions) Save(_ context.Context, s *store.Conversation) error {
	var lines []string
	for rec, err := range s.Records {
		if err != nil {
			return err
		}
		lines = append(lines, string(rec.Text()))
	}
	old := k[s.Key]
	if n := min(len(old), len(lines)); !slices.Equal(old[:n], lines[:n]) {
		return store.ErrConflict
	}
	k[s.Key] = append(old, lines[min(len(old), len(lines)):]...)
	return nil
}

func (k keptSessions) Append(_ context.Context, key string, rec *jsonl.Record) error {
	k[key] = append(k[key], string(rec.Text()))
	return nil
}

func (k keptSessions) List(context.Context) (list []store.Info, err error) {
	for key := range k {
		list = append(list, store.Info{Key: key})
	}
	return list, nil
}

func (k keptSessions) Close() error { return nil }

// Inherit writes the same records to every SessionStore, adds nothing the second time, and never overwrites.
func TestInheritIntoEveryStore(t *testing.T) {
	ctx := t.Context()
	place, err := source.Find(ctx, "../../testdata/transcripts", source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	at := slices.IndexFunc(place.Sessions, func(s *source.Session) bool {
		return filepath.Base(s.Path) == "openclaw-v4.jsonl"
	})
	from := place.Sessions[at]
	sqlite, err := store.Open(ctx, filepath.Join(t.TempDir(), "sessions.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sqlite.Close()
	kept := keptSessions{}
	for range 2 {
		for _, st := range []store.SessionStore{sqlite, kept} {
			if n, err := Inherit(ctx, st, from, "new"); err != nil || n < 3 {
				t.Fatalf("%T: %d records, %v", st, n, err)
			}
		}
	}
	stored, err := sqlite.Load(ctx, "new")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for rec, err := range stored.Records {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(rec.Text()))
	}
	if !slices.Equal(lines, kept["new"]) {
		t.Errorf("SQLite has\n%q, another store\n%q", lines, kept["new"])
	}
	own := (&jsonl.Parser{}).Parse([]byte(`{"type":"custom","id":"own"}`), 1, 0)
	if err := kept.Append(ctx, "new", own); err != nil {
		t.Fatal(err)
	}
	if _, err := Inherit(ctx, kept, from, "new"); err != nil || len(kept["new"]) != len(lines)+1 {
		t.Errorf("a record of its own is gone: %q, %v", kept["new"], err)
	}
}
