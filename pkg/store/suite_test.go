package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
)

// suiteSessions are the lines of each key that a store under test must hold.
var suiteSessions = map[string][]string{
	"agent:main:main": {
		`{"type":"session","version":3,"id":"aaaaaaaa-0000-4000-8000-000000000001",` +
			`"timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}`,
		`{"type":"message","id":"b","parentId":null,"timestamp":"2026-01-01T00:00:09.000Z",` +
			`"message":{"role":"user","content":"later"}}`,
		`{"type":"message","id":"c","parentId":"b","timestamp":"2026-01-01T00:00:01.000Z",` +
			`"message":{"role":"assistant","content":[]}}`,
		`{"type":"message","id":"c","parentId":"b","timestamp":"2026-01-01T00:00:01.000Z",` +
			`"message":{"role":"assistant","content":[],"n":1e3}}`,
	},
	"agent:main:cron:daily": {
		`{"type":"session","version":3,"id":"aaaaaaaa-0000-4000-8000-000000000002",` +
			`"timestamp":"2026-01-02T00:00:00.000Z","cwd":"/"}`,
		`{"type":"message","id":"b","parentId":null,"timestamp":"2026-01-02T00:00:00.000Z",` +
			`"message":{"role":"user","content":"the same id as elsewhere"}}`,
	},
}

// testContract checks that a store that holds suiteSessions keeps the promises of a SessionStore. open returns a new
// store each time.
func testContract(t *testing.T, open func(t *testing.T) store.SessionStore) {
	t.Run("list", func(t *testing.T) { testList(t, open(t)) })
	t.Run("load", func(t *testing.T) { testLoad(t, open(t)) })
	t.Run("unknown", func(t *testing.T) { testUnknown(t, open(t)) })
	t.Run("stop", func(t *testing.T) { testStop(t, open(t)) })
	t.Run("cancel", func(t *testing.T) { testCancel(t, open(t)) })
	t.Run("append", func(t *testing.T) { testAppend(t, open(t)) })
	t.Run("many at once", func(t *testing.T) { testMany(t, open(t)) })
	t.Run("save", func(t *testing.T) { testSave(t, open(t)) })
	t.Run("conflict", func(t *testing.T) { testConflict(t, open(t)) })
}

// record parses a line.
func record(line string) *jsonl.Record {
	return (&jsonl.Parser{}).Parse([]byte(line), 1, 0).Clone()
}

// recordsOf returns lines in the form of a session's records.
func recordsOf(lines ...string) func(func(*jsonl.Record, error) bool) {
	return func(yield func(*jsonl.Record, error) bool) {
		for _, line := range lines {
			if !yield(record(line), nil) {
				return
			}
		}
	}
}

func linesOf(t *testing.T, s store.SessionStore, key string) []string {
	t.Helper()
	var lines []string
	session, err := s.Load(context.Background(), key)
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range session.Records {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(rec.Text()))
	}
	return lines
}

func wantLines(t *testing.T, s store.SessionStore, key string, want []string) {
	t.Helper()
	if got := linesOf(t, s, key); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s has\n%s\nwant\n%s", key, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func testList(t *testing.T, s store.SessionStore) {
	list, err := s.List(context.Background())
	if err != nil || len(list) != len(suiteSessions) {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
	for i, info := range list {
		if i > 0 && list[i-1].Key >= info.Key {
			t.Error("the list is not in order")
		}
		if int(info.Records) != len(suiteSessions[info.Key]) || info.Created.IsZero() || info.Updated.Before(info.Created) {
			t.Errorf("%+v", info)
		}
	}
}

func testLoad(t *testing.T, s store.SessionStore) {
	for key, lines := range suiteSessions {
		wantLines(t, s, key, lines)
		wantLines(t, s, key, lines) // again: a session can be read repeatedly
	}
}

func testUnknown(t *testing.T, s store.SessionStore) {
	session, err := s.Load(context.Background(), "agent:main:nobody")
	if err != nil || session.Key != "agent:main:nobody" {
		t.Fatal(session, err)
	}
	for range session.Records {
		t.Error("a new session has records")
	}
	if list, _ := s.List(context.Background()); len(list) != len(suiteSessions) {
		t.Error("Load created a session")
	}
}

func testStop(t *testing.T, s store.SessionStore) {
	session, err := s.Load(context.Background(), "agent:main:main")
	if err != nil {
		t.Fatal(err)
	}
	for range session.Records {
		break
	}
	wantLines(t, s, "agent:main:main", suiteSessions["agent:main:main"])
}

func testCancel(t *testing.T, s store.SessionStore) {
	ctx, cancel := context.WithCancel(context.Background())
	session, err := s.Load(ctx, "agent:main:main")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	var last error
	for _, err := range session.Records {
		last = err
	}
	if last == nil {
		t.Error("a canceled read reached the end")
	}
}

func testAppend(t *testing.T, s store.SessionStore) {
	ctx := context.Background()
	const line = `{"type":"custom","id":"d","parentId":"c","timestamp":"2025-01-01T00:00:00.000Z"}`
	for _, key := range []string{"agent:main:main", "agent:main:new"} {
		if err := s.Append(ctx, key, record(line)); err != nil {
			t.Fatal(err)
		}
		wantLines(t, s, key, append(append([]string(nil), suiteSessions[key]...), line))
	}
	for _, bad := range []string{`{"type":`, `[]`, ``} {
		if err := s.Append(ctx, "agent:main:main", record(bad)); !errors.Is(err, store.ErrNotRecord) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func testMany(t *testing.T, s store.SessionStore) {
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			for i := range 10 {
				line := fmt.Sprintf(`{"type":"custom","id":"%d-%d"}`, w, i)
				if err := s.Append(context.Background(), "agent:main:many", record(line)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	next := [4]int{}
	for _, line := range linesOf(t, s, "agent:main:many") {
		var w, i int
		if _, err := fmt.Sscanf(line, `{"type":"custom","id":"%d-%d"}`, &w, &i); err != nil || next[w] != i {
			t.Fatalf("%s: %v", line, err)
		}
		next[w]++
	}
	if next != [4]int{10, 10, 10, 10} {
		t.Error(next)
	}
}

func testSave(t *testing.T, s store.SessionStore) {
	ctx := context.Background()
	lines := append(append([]string(nil), suiteSessions["agent:main:main"]...), `{"type":"custom","id":"z"}`)
	session := &store.Conversation{Info: store.Info{Key: "agent:main:main", Metadata: store.Metadata{Title: "named"}},
		Records: recordsOf(lines...)}
	for range 2 {
		if err := s.Save(ctx, session); err != nil {
			t.Fatal(err)
		}
		wantLines(t, s, "agent:main:main", lines)
	}
	loaded, err := s.Load(ctx, "agent:main:main")
	if err != nil || loaded.Metadata.Title != "named" {
		t.Error(loaded.Metadata, err)
	}
	session = &store.Conversation{Info: store.Info{Key: "agent:main:saved"}, Records: recordsOf(lines...)}
	if err := s.Save(ctx, session); err != nil {
		t.Fatal(err)
	}
	wantLines(t, s, "agent:main:saved", lines)
}

func testConflict(t *testing.T, s store.SessionStore) {
	lines := append([]string(nil), suiteSessions["agent:main:main"]...)
	lines[1] = `{"type":"message","id":"b"}`
	err := s.Save(context.Background(), &store.Conversation{Info: store.Info{Key: "agent:main:main",
		Metadata: store.Metadata{Title: "lost"}}, Records: recordsOf(lines...)})
	if !errors.Is(err, store.ErrConflict) {
		t.Error(err)
	}
	wantLines(t, s, "agent:main:main", suiteSessions["agent:main:main"])
	if loaded, _ := s.Load(context.Background(), "agent:main:main"); loaded.Metadata.Title == "lost" {
		t.Error("a conflict stored part of a save")
	}
}
