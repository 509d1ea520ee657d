package migrate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"clawctl/internal/longtest"
	"clawctl/pkg/store/dbfile"
)

// query returns one number from a store, with SQL.
func query(t *testing.T, path, text string) (n int64) {
	t.Helper()
	db, err := dbfile.OpenOwn(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(text).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// If a file ends in a torn record, at any byte, import stores the complete records and reports the position of the torn
// one. After the file is completed, the next import adds that record. CLAWCTL_TAIL sets the number of positions to cut
// at.
func TestTornTail(t *testing.T) {
	bytes := longtest.Rounds(t, "CLAWCTL_TAIL", 40, 4096)
	text := wordTranscript("kettle", 10+bytes/100)
	folder, dbs := t.TempDir(), t.TempDir()
	file := filepath.Join(folder, testID+".jsonl")
	for cut := 0; cut <= bytes; cut++ {
		db := filepath.Join(dbs, strconv.Itoa(cut))
		st := openStore(t, db)
		torn := text[:len(text)-cut]
		writeFile(t, file, torn)
		first := importAll(t, st, folder, Options{})[testID+".jsonl"]
		whole := int64(strings.Count(torn, "\n"))
		isTorn := !strings.HasSuffix(torn, "\n")
		if isTorn && strings.HasSuffix(torn, "}}") && strings.HasPrefix(text[len(torn):], "\n") {
			whole, isTorn = whole+1, false // only the line end is missing
		}
		if first.Err != nil || first.Records != whole || (first.Damage != nil) != isTorn ||
			isTorn && first.Damage.Line != whole+1 {
			t.Fatalf("without %d bytes: %+v, damage %v", cut, first, first.Damage)
		}
		end := strings.IndexByte(text[min(len(torn), len(text)-1):], '\n')
		writeFile(t, file, text[:min(len(torn)+end+1, len(text))])
		second := importAll(t, st, folder, Options{})[testID+".jsonl"]
		have := textOf(t, st, first.Key)
		if second.Err != nil || isTorn && second.Records != 1 || have != text[:min(len(torn)+end+1, len(text))] {
			t.Fatalf("without %d bytes, then completed: %+v", cut, second)
		}
		st.Close()
		if n := query(t, db, "SELECT count(*) FROM messages"); n != int64(strings.Count(have, "\n")) {
			t.Fatalf("without %d bytes: %d rows", cut, n)
		}
		if n := query(t, db, "SELECT count(*) FROM quarantine"); n != 0 {
			t.Fatalf("without %d bytes: the torn line is still in quarantine", cut)
		}
		os.Remove(db)
	}
}

// While another process appends in small pieces, the store never shows a partial record. When the writer stops, the
// store equals the file. CLAWCTL_APPEND sets how long the writer runs.
func TestConcurrentAppender(t *testing.T) {
	long := time.Second
	if d, err := time.ParseDuration(os.Getenv("CLAWCTL_APPEND")); err == nil {
		long = d
	}
	folder := t.TempDir()
	file, db := filepath.Join(folder, testID+".jsonl"), filepath.Join(t.TempDir(), "s.db")
	writeFile(t, file, wordTranscript("tea", 5))
	st := openStore(t, db)
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() { appendUntil(t, file, stop) })
	imports := 0
	for timer := time.After(long); ; imports++ {
		if o := importAll(t, st, folder, Options{})[testID+".jsonl"]; o.Err != nil {
			t.Errorf("%s: %v", o.Verdict, o.Err)
		}
		if n := query(t, db, "SELECT count(*) FROM messages WHERE NOT json_valid(data)"); n != 0 {
			t.Fatalf("%d partial records are visible", n)
		}
		select {
		case <-timer:
		default:
			continue
		}
		break
	}
	close(stop)
	writer.Wait()
	o := importAll(t, st, folder, Options{})[testID+".jsonl"]
	want, err := os.ReadFile(file)
	if err != nil || o.Err != nil || textOf(t, st, o.Key) != string(want) {
		t.Errorf("the store does not equal the file after the last write: %+v %v", o, err)
	}
	const counts = "SELECT (SELECT count(*) FROM sessions) * 1000000 + (SELECT count(*) FROM quarantine)"
	if n := query(t, db, counts); n != 1000000 {
		t.Errorf("sessions and damaged lines: %d", n)
	}
	t.Logf("%d imports, %d bytes", imports, len(want))
}

// appendUntil appends records, each in two writes.
func appendUntil(t *testing.T, path string, stop <-chan struct{}) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Error(err)
		return
	}
	defer file.Close()
	for i := 0; ; i++ {
		line := fmt.Sprintf(`{"type":"message","id":"x%d","parentId":null,"timestamp":"2026-05-02T10:00:00.000Z",`+
			`"message":{"role":"user","content":"%s"}}`+"\n", i, strings.Repeat("a", i%700))
		cut := i % len(line)
		_, first := file.WriteString(line[:cut])
		_, second := file.WriteString(line[cut:])
		if err := errors.Join(first, second); err != nil {
			t.Error(err)
			return
		}
		select {
		case <-stop:
			return
		case <-time.After(100 * time.Microsecond):
		}
	}
}

// From the second import on, an import of unchanged files writes nothing.
func TestImportAgainWritesNothing(t *testing.T) {
	for _, folder := range []string{"../../testdata/home", "../../../shared/transcripts"} {
		if _, err := os.Stat(folder); err != nil {
			t.Log("without", folder)
			continue
		}
		db := filepath.Join(t.TempDir(), "s.db")
		var before []byte
		for round := range 3 {
			st := openStore(t, db)
			importAll(t, st, folder, Options{Clock: time.Now})
			changes, err := st.TotalChanges(context.Background())
			if err != nil || round > 0 && changes != 0 {
				t.Errorf("%s, import %d: %d changes %v", folder, round+1, changes, err)
			}
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			after, err := os.ReadFile(db)
			if err != nil || round > 0 && string(before) != string(after) {
				t.Errorf("%s, import %d: the file changed %v", folder, round+1, err)
			}
			before = after
		}
	}
}

// All records that share an id are kept, in one session and in several, with equal and with different content.
func TestSharedIDs(t *testing.T) {
	const other = "381e0d50-5814-57fb-bfe5-64bbfaf7107a"
	record := func(id, text string) string {
		return fmt.Sprintf(`{"type":"message","id":"%s","timestamp":"2026-05-01T10:00:01.000Z",`+
			`"message":{"role":"user","content":"%s"}}`+"\n", id, text)
	}
	for name, test := range map[string]struct{ one, two string }{
		"two sessions, equal":   {record("a", "tea"), record("a", "tea")},
		"two sessions, other":   {record("a", "tea"), record("a", "milk")},
		"one session, equal":    {record("a", "tea") + record("a", "tea"), record("b", "x")},
		"one session, other":    {record("a", "tea") + record("a", "milk"), record("b", "x")},
		"both":                  {record("a", "tea") + record("a", "milk"), record("a", "milk") + record("a", "tea")},
		"one session, reversed": {record("a", "milk") + record("b", "x") + record("a", "tea"), record("b", "y")},
	} {
		folder, db := t.TempDir(), filepath.Join(t.TempDir(), "s.db")
		writeFile(t, filepath.Join(folder, testID+".jsonl"), wordTranscript("", 1)+test.one)
		writeFile(t, filepath.Join(folder, other+".jsonl"), strings.ReplaceAll(wordTranscript("", 1), testID, other)+test.two)
		st := openStore(t, db)
		outcomes := importAll(t, st, folder, Options{})
		one, two := outcomes[testID+".jsonl"], outcomes[other+".jsonl"]
		if one.Verdict != New || two.Verdict != New || !strings.HasSuffix(textOf(t, st, one.Key), test.one) ||
			!strings.HasSuffix(textOf(t, st, two.Key), test.two) {
			t.Errorf("%s: %+v %+v", name, one, two)
		}
		if n, want := query(t, db, "SELECT count(*) FROM messages"),
			strings.Count(test.one+test.two, "\n")+2; n != int64(want) {
			t.Errorf("%s: %d rows, want %d", name, n, want)
		}
	}
}

// The next import does not trust a session that could not be compared, or that differed. It reads the source again, and
// only the correct copy keeps the name.
func TestDistrustedSessionIsReadAgain(t *testing.T) {
	for name, damage := range map[string]string{"sound": "",
		"damaged": `UPDATE messages SET data = replace(data, 'tea', 'TEA') WHERE id = 'tea3'`} {
		folder, db := t.TempDir(), filepath.Join(t.TempDir(), "s.db")
		text := wordTranscript("tea", 10)
		writeFile(t, filepath.Join(folder, testID+".jsonl"), text)
		st := openStore(t, db)
		key := importAll(t, st, folder, Options{})[testID+".jsonl"].Key
		batch, err := st.Begin(context.Background())
		if err == nil {
			err = errors.Join(batch.Distrust(key), batch.Commit())
		}
		if err != nil {
			t.Fatal(err)
		}
		if damage != "" {
			raw, err := dbfile.OpenOwn(db, "")
			if err == nil {
				_, err = raw.Exec(damage)
			}
			if err = errors.Join(err, raw.Close()); err != nil {
				t.Fatal(err)
			}
		}
		again := importAll(t, st, folder, Options{})[testID+".jsonl"]
		if again.Verdict == Unchanged || again.Err != nil || textOf(t, st, key) != text {
			t.Errorf("%s: %+v", name, again)
		}
		sessions := query(t, db, "SELECT count(*) FROM sessions")
		if damage == "" && sessions != 1 || damage != "" && sessions != 2 {
			t.Errorf("%s: %d sessions", name, sessions)
		}
		if third := importAll(t, st, folder, Options{})[testID+".jsonl"]; third.Verdict != Unchanged {
			t.Errorf("%s: %+v", name, third)
		}
	}
}
