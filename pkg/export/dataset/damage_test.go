package dataset

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/parquet/parquettest"
	"clawctl/internal/testkit"
)

// The raw lines of a file, joined, are its text, whatever the damage.
func TestRawLinesAreTheFiles(t *testing.T) {
	for _, home := range sources {
		sessions := sessionsOf(t, home)
		folder := t.TempDir()
		opts := testOptions()
		opts.RawLines = true
		export(t, folder, sessions, opts)
		rows := rowsOf(t, folder, "records")
		slices.SortStableFunc(rows, func(a, b parquettest.Row) int {
			return cmp.Compare(a["offset"].(int64), b["offset"].(int64))
		})
		texts := map[string]*bytes.Buffer{}
		for _, row := range rows {
			file := row["file"].(string)
			if texts[file] == nil {
				texts[file] = &bytes.Buffer{}
			}
			texts[file].WriteString(row["raw"].(string))
		}
		for s, name := range nameTranscripts(sessions) {
			in, err := s.Open()
			if err != nil {
				continue
			}
			want, err := io.ReadAll(in)
			in.Close()
			if got := texts[name]; err == nil && len(want) > 0 && (got == nil || !bytes.Equal(got.Bytes(), want)) {
				t.Errorf("%s: the lines are not the text of the file", name)
			}
		}
	}
}

// Damaged lines are findings, and copies are in the table of raw lines only.
func TestDamageAndCopies(t *testing.T) {
	folder := t.TempDir()
	opts := testOptions()
	opts.RawLines = true
	result := export(t, folder, sessionsOf(t, "../../../testdata/transcripts"), opts)
	if result.Counts.Damaged == 0 || result.Counts.Copies == 0 {
		t.Fatalf("the transcripts have no damage or no copies: %v", result.Counts)
	}
	key := func(row parquettest.Row) string { return fmt.Sprint(row["file"], " ", row["line"]) }
	copies, damaged := map[string]bool{}, map[string]bool{}
	for _, row := range rowsOf(t, folder, "records") {
		copies[key(row)] = row["is_copy"].(bool)
		damaged[key(row)] = row["is_damaged"].(bool)
	}
	for _, table := range []string{"messages", "parts", "tool_calls", "usage"} {
		for _, row := range rowsOf(t, folder, table) {
			if copies[key(row)] {
				t.Errorf("%s has the copy %s", table, key(row))
			}
		}
	}
	for _, row := range rowsOf(t, folder, "findings") {
		delete(damaged, key(row))
	}
	for line, isDamaged := range damaged {
		if isDamaged {
			t.Errorf("no finding for the damaged line %s", line)
		}
	}
}

// A session that cannot be read to its end is a finding, and everything before the damage is in the tables. It is read
// again by the next run, which reports it again.
func TestUnreadable(t *testing.T) {
	home := copyHome(t, exampleHome)
	bad := filepath.Join(home, "agents/main/sessions",
		"7957dc21-60ea-4983-a521-44992d560e2f.jsonl.deleted.2026-05-01T10-00-00.000Z.zst")
	testkit.Write(t, bad, "\x28\xb5\x2f\xfd\x00\x00\x00")
	folder := t.TempDir()
	for run := range 2 {
		result := export(t, folder, sessionsOf(t, home), testOptions())
		if len(result.Unread) != 1 {
			t.Fatalf("run %d: %v", run, result.Unread)
		}
	}
	for _, row := range rowsOf(t, folder, "findings") {
		if row["code"] == "CL905" && row["level"] == "file" && strings.HasSuffix(row["file"].(string), ".zst") {
			return
		}
	}
	t.Error("no finding about the file that cannot be read")
}

// However many months a session has, only so many files are open, and every row is written once.
func TestManyMonths(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "agents/main/sessions/7957dc21-60ea-4983-a521-44992d560e2f.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	const records = 100
	for i := range records {
		at := time.Date(1000+i, time.Month(1+i%12), 1, 0, 0, 0, 0, time.UTC)
		fmt.Fprintf(&text, `{"type":"message","id":"%08d","parentId":null,"timestamp":"%s","message":{"role":"user",`+
			`"content":"x"}}`+"\n", i, at.Format(time.RFC3339))
	}
	testkit.Write(t, file, text.Bytes())
	folder := t.TempDir()
	export(t, folder, sessionsOf(t, home), testOptions())
	if rows := rowsOf(t, folder, "usage"); len(rows) != records {
		t.Errorf("%d rows, want %d", len(rows), records)
	}
}
