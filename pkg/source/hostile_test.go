package source

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"clawctl/internal/testkit"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// allocated returns how many bytes a function allocates. Unlike time, it does not depend on the machine, and work that
// grows with the square of the input shows in it.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// The entries of a sessions.json without transcripts take no memory beyond the file, and their problems are counted.
func TestManyEntries(t *testing.T) {
	write := func(n int) string {
		folder := filepath.Join(t.TempDir(), "agents", "main", "sessions")
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"agent:main:k%d":{"sessionId":"s%d","updatedAt":%d}`, i, i, i)
		}
		err := os.MkdirAll(folder, 0o700)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, openclaw.IndexName), []byte("{"+b.String()[1:]+"}"), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return folder
	}
	find := func(folder string) (place *Listing, kept float64) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		place, err := Find(context.Background(), folder, Options{})
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		return place, float64(after.HeapAlloc) - float64(before.HeapAlloc)
	}
	small, large := write(2*maxProblems), write(16*maxProblems)
	few, keptFew := find(small)
	defer few.Close()
	many, keptMany := find(large)
	defer many.Close()
	if keptMany > 1.5*keptFew+1<<20 {
		t.Errorf("%.0f bytes stay in memory for eight times the entries, and %.0f before", keptMany, keptFew)
	}
	perEntry := allocated(func() { p, _ := find(large); p.Close() }) / (16 * maxProblems)
	if perEntry > 800 {
		t.Errorf("an entry of about 60 bytes takes %.0f bytes", perEntry)
	}
	if last := many.Problems[len(many.Problems)-1]; len(many.Problems) != maxProblems || last.More != 15*maxProblems {
		t.Errorf("%d problems are listed, and %d more", len(many.Problems), last.More)
	}
	t.Logf("%.0f bytes allocated per entry, %.0f and %.0f kept", perEntry, keptFew, keptMany)
}

// endless is a query without an end.
const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"

// fails is an expression that cannot be evaluated.
const fails = "abs(-9223372036854775807 - 1)"

// A view or a virtual table with the name of a table is not read, because it may have no end.
func TestHostileTables(t *testing.T) {
	for name, schema := range map[string]string{
		"events": "CREATE VIEW transcript_events AS " + endless +
			" SELECT 's' AS session_id, i AS seq, '{}' AS event_json FROM n",
		"virtual": "CREATE VIRTUAL TABLE transcript_events USING fts5(session_id, seq, event_json)",
		"entries": "CREATE TABLE transcript_events(session_id, seq, event_json);" +
			"INSERT INTO transcript_events VALUES('s', 1, '{}');" +
			"CREATE VIEW session_nodes AS " + endless + " SELECT i AS session_key, i AS current_session_id FROM n",
		"generated": "CREATE TABLE transcript_events(session_id, seq, event_json AS (zeroblob(1000000000)))",
		"default": "CREATE TABLE transcript_events(session_id, seq, event_json TEXT DEFAULT '" +
			strings.Repeat("x", 2000) + "')",
		"other column": "CREATE TABLE transcript_events(session_id, seq, event_json);" +
			"INSERT INTO transcript_events VALUES('s', 1, '{}');" +
			"ALTER TABLE transcript_events ADD COLUMN x TEXT AS (" + fails + ")",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.sqlite")
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			must(t, db, schema)
			db.Close()
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			place, err := FindDatabase(ctx, path, Options{})
			if name == "entries" || name == "other column" {
				if err != nil || len(place.Sessions) != 1 {
					t.Fatalf("%v, %v", place, err)
				}
				place.Close()
			} else if !errors.Is(err, dbfile.ErrForeign) {
				t.Errorf("it was opened: %v", err)
			}
		})
	}
}

// A file that was rewritten with its old size and time has another stamp.
func TestStampOfRewrittenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	when := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	var stamps [2]store.Stamp
	for i, text := range []string{`{"a":1}`, `{"a":2}`} {
		testkit.Write(t, path, text)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		var err error
		if stamps[i], err = File(path).Stamp(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) // the clock of a file system is coarse
	}
	if stamps[0].CTime == 0 {
		t.Skip("this system does not say when a file was changed")
	}
	if stamps[0] == stamps[1] || stamps[0].MTime != stamps[1].MTime || stamps[0].Size != stamps[1].Size {
		t.Errorf("%+v and %+v", stamps[0], stamps[1])
	}
}
