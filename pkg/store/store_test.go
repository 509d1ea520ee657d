package store

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
