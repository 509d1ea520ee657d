package store

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/jsonl"
)

// addText appends a text to a session, which is created if it does not exist. Lines are joined, or each is a row as in
// the third version of the schema.
func addText(t *testing.T, s *SQLite, text string, isJoined bool) {
	t.Helper()
	ctx := context.Background()
	b, err := s.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	known, err := b.View().Transcript(ctx, "k")
	if err == nil && known == nil {
		known = &Transcript{Key: "k", BaseKey: "k", SessionID: "k", Kind: "live"}
		err = b.Create(known, Metadata{})
	}
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := b.IsWhole(known); err != nil || !whole {
		t.Fatal("the session is not complete:", err)
	}
	h, err := known.hash()
	if err != nil {
		t.Fatal(err)
	}
	a, err := b.Extend(known, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	liner, lines := NewLiner(known), joinedLines{appender: a}
	for rec, err := range jsonl.Records(strings.NewReader(text), jsonl.Options{}) {
		if err == nil {
			h.Write(rec.Raw)
			err = lines.add(liner.Line(rec))
		}
		if err == nil && !isJoined {
			err = lines.flush()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := lines.flush(); err != nil {
		t.Fatal(err)
	}
	if err := a.Finish(DigestOf(h)); err != nil {
		t.Fatal(err)
	}
	if err := b.Commit(); err != nil {
		t.Fatal(err)
	}
}

// checkOdd compares the text of the session and the number of its rows of quarantine, and audits the store.
func checkOdd(t *testing.T, path, text string, rows int) {
	t.Helper()
	ctx := context.Background()
	r, err := OpenReader(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	known, err := r.Transcript(ctx, "k")
	if err != nil || known.Lines != int64(strings.Count(text, "\n")) {
		t.Fatalf("%d lines instead of %d: %v", known.Lines, strings.Count(text, "\n"), err)
	}
	stored, err := r.Text(ctx, known, Whole)
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	if got, err := io.ReadAll(stored); err != nil || string(got) != text {
		t.Errorf("the text differs: %v", err)
	}
	have := 0
	if err := r.db.QueryRowContext(ctx, "SELECT count(*) FROM quarantine").Scan(&have); err != nil || have != rows {
		t.Errorf("%d rows of quarantine instead of %d: %v", have, rows, err)
	}
	if faults, err := NewAuditor(ctx, r).Audit(); err != nil || len(faults) > 0 {
		t.Errorf("faults: %v, %v", faults, err)
	}
}

// Lines in a row that are not records are one row, if they have the same code. A store that has a row for each of them
// is read and continued.
func TestOddLines(t *testing.T) {
	blank := strings.Repeat("\n\r\n  \n", 1000)
	damaged := strings.Repeat("{\n", 1000)
	text := blank + `{"type":"custom","id":"1"}` + "\n" + blank + damaged + "[]\n" + `{"type":"custom","id":"2"}` + "\r\n"
	path := filepath.Join(t.TempDir(), "s.db")
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	addText(t, s, text, false)
	const before = "DROP TABLE archived; DROP TABLE archives; PRAGMA user_version = 3"
	if _, err := s.writer.ExecContext(context.Background(), before); err != nil {
		t.Fatal(err)
	}
	s.Close()
	checkOdd(t, path, text, 7001)
	if s, err = Open(context.Background(), path, Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	addText(t, s, text, true)
	checkOdd(t, path, text+text, 7001+4)
	addText(t, s, text, true)
	checkOdd(t, path, text+text+text, 7001+4+4)
}

// What is joined, and what is not.
func TestJoin(t *testing.T) {
	for _, test := range []struct {
		first, next Line
		want        bool
	}{
		{Line{Text: []byte("\n")}, Line{Text: []byte(" \r\n")}, true},
		{Line{Text: []byte("{\n"), Code: "CL001"}, Line{Text: []byte("[\n"), Code: "CL001"}, true},
		{Line{Text: []byte("{\n"), Code: "CL001"}, Line{Text: []byte("\n")}, false},
		{Line{Text: []byte("{}"), IsRecord: true}, Line{Text: []byte("\n")}, false},
		{Line{Text: []byte("\n")}, Line{Text: []byte("{}"), IsRecord: true}, false},
		{Line{Text: []byte("\n")}, Line{Text: []byte("  ")}, false}, // it may grow
		{Line{Text: bytes.Repeat([]byte("\n"), maxJoined)}, Line{Text: []byte("\n")}, false},
	} {
		joined := test.first
		if got := joined.Join(&test.next); got != test.want {
			t.Errorf("%q and %q: %v", test.first.Text, test.next.Text, got)
		}
		want := test.first.Count()
		if test.want {
			want += test.next.Count()
		}
		if joined.Count() != want || test.want && countLines(joined.Text) != want {
			t.Errorf("%q has %d lines, not %d", joined.Text, joined.Count(), want)
		}
	}
}
