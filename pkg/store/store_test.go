package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/dbfile"
	"clawctl/pkg/jsonl"
)

func newStore(t *testing.T) *SQLite {
	t.Helper()
	s, err := Open(context.Background(), filepath.Join(t.TempDir(), "s.db"), Options{LockTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func record(t *testing.T, text string) *jsonl.Record {
	t.Helper()
	return (&jsonl.Parser{}).Parse([]byte(text), 1, 0).Clone()
}

func TestSmoke(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	for i := range 100 {
		if err := s.Append(ctx, "agent:main:main", record(t, fmt.Sprintf(`{"type":"message","id":"%d","timestamp":"2026-01-01T00:00:00.%03dZ"}`, i, 100-i))); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.Transcripts(ctx)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	text, err := s.Text(ctx, list[0], Whole)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	data, err := io.ReadAll(text)
	if err != nil || strings.Count(string(data), "\n") != 100 || int64(len(data)) != list[0].Bytes {
		t.Fatalf("%s %v", data, err)
	}
}

// Many processes may open a store at once that is not there yet. In one process the connections are as separate.
func TestOpenTogether(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "s.db")
		results := make(chan error)
		for range 4 {
			go func() {
				s, err := Open(context.Background(), path, Options{LockTimeout: 10 * time.Second})
				if err == nil {
					err = s.Close()
				}
				results <- err
			}()
		}
		for range 4 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
	}
}

// What is no store is refused, and stays as it is.
func TestRefused(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want error
	}{
		"text":  {"not a database, but a text of more than a hundred bytes" + strings.Repeat(".", 100), dbfile.ErrForeign},
		"short": {"SQLite format 3\x00", dbfile.ErrCorrupt},
	} {
		path := filepath.Join(t.TempDir(), "s.db")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(context.Background(), path, Options{}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != test.text {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
}
