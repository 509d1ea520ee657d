package migrate

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/internal/portable"
	"clawctl/internal/testkit"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// oddLines are lines, other than plain records, that occur in real files.
var oddLines = []string{
	`{"type":"message","id":"x","id":"y","message":{"role":"user","role":"assistant"}}`,
	`{"n":9007199254740993,"m":1.0,"k":1e3,"z":-0,"big":123456789012345678901234567890}`,
	`{"s":"\ud800","t":"\udc00 lone"}`, `{"u":"\u0041\/"}`, "{\"utf\":\"\xff\xfe\"}", `{"type":"mess`, `[1,2]`, `null`,
	`"text"`, `7`, ``, `   `, "\t", "\x00\x00\x00",
	`{"type":"message","timestamp":"2026-01-01T00:00:00Z"}`, `{"ts":1770000000.25,"type":"user","content":"hi"}`,
	` {"leading":"space"} `, "{\"sep\":\"\u2028\"}", `{}`, "\ufeff{\"bom\":1}",
	`{"type":"session","id":"again"}`, "{\"cr\":1}\r", "\r",
}

// randomFile returns a transcript with all kinds of irregularities.
func randomFile(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(8) == 0 {
		b.WriteString("\ufeff")
	}
	end := "\n"
	if r.IntN(4) == 0 {
		end = "\r\n"
	}
	b.WriteString(`{"type":"session","version":3,"id":"g","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}` + end)
	for range r.IntN(12) {
		switch r.IntN(4) {
		case 0:
			odd := oddLines[r.IntN(len(oddLines))]
			if r.IntN(4) == 0 {
				b.WriteString(strings.Repeat(odd+end, r.IntN(100)))
			}
			b.WriteString(odd)
		case 1:
			fmt.Fprintf(&b, `{"type":"message","id":"%08x","parentId":"%08x",`+
				`"timestamp":"2026-0%d-01T00:00:00.000Z","text":"%s"}`, r.Uint32(), r.Uint32(), 1+r.IntN(9),
				strings.Repeat("x", r.IntN(300)))
		default:
			fmt.Fprintf(&b, `{"type":"custom","data":%d}`, r.IntN(100))
		}
		if r.IntN(20) == 0 {
			b.WriteString("\n")
		} else {
			b.WriteString(end)
		}
	}
	text := b.String()
	if r.IntN(3) == 0 && text != "" {
		text = text[:len(text)-1-r.IntN(min(len(text), 40))] // torn
	}
	return text
}

// many returns less, or all if CLAWCTL_LONG is set.
func many(less, all int) int {
	if longtest.IsLong() {
		return all
	}
	return less
}

func TestExportRestoresGeneratedFiles(t *testing.T) {
	b := newBench(t)
	folder := b.sessions()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range many(400, 10000) {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%08x-0000-4000-8000-000000000000.jsonl", i)),
			[]byte(randomFile(r)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, o := range b.run(Options{}) {
		if o.Err != nil {
			t.Fatal(name, o.Err)
		}
	}
	b.exact()
}

// Export restores every file of the real programs byte for byte, from every kind of source.
func TestExportRestoresRealFiles(t *testing.T) {
	shared := "../../../shared/transcripts"
	if _, err := os.Stat(shared); err != nil {
		t.Skip("needs ../shared/transcripts")
	}
	ctx := context.Background()
	files := 0
	for _, name := range []string{"cases", "cases-store", "claw0", "openclaw-jsonl", "openclaw-sqlite", "pi"} {
		st, err := store.Open(ctx, filepath.Join(t.TempDir(), "s.db"), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		place, err := source.Find(ctx, filepath.Join(shared, name), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		place.Sessions = slices.DeleteFunc(place.Sessions, func(s *source.Session) bool {
			return runtime.GOOS == "windows" && portable.Check(filepath.Base(s.Path)) != "" // nul.jsonl is a device there
		})
		err = Import(ctx, st, place.Sessions, Options{Done: func(o Outcome) {
			if o.Err != nil {
				t.Error(o.Session.Place(), o.Err)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		items, err := storeItems(ctx, &st.View, func(string) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		back := map[string]*Item{}
		for i := range items {
			back[items[i].Path] = &items[i]
		}
		for _, s := range place.Sessions {
			item := back[name+"/"+s.Below]
			if s.InDatabase {
				continue
			}
			original, err := os.ReadFile(s.Path)
			if err != nil || item == nil {
				t.Fatal(s.Path, item, err)
			}
			var text bytes.Buffer
			if _, err := item.WriteTo(ctx, &text); err != nil || !bytes.Equal(text.Bytes(), original) {
				t.Error(s.Path, "is not the same:", err)
			}
			files++
		}
		place.Close()
		st.Close()
	}
	t.Log(files, "files")
}

// verify finds every change that SQL makes to a store.
func TestVerifyFindsEveryMutation(t *testing.T) {
	b := newBench(t)
	b.register("main", idA)
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, `{"type":"message","id":"m%d","parentId":"m%d","timestamp":"2026-01-01T00:00:%02d.000Z",`+
			`"message":{"role":"user","content":"text %d of some length"}}`+"\n", i, i-1, i, i*7)
		if i%20 == 10 {
			text.WriteString("{\"damaged\": \n\n \n\r\n")
		}
	}
	b.write(idA+".jsonl", transcript(idA)+text.String())
	b.write(idB+".jsonl", transcript(idB, 1, 2, 3))
	b.run(Options{})
	b.exact()
	whole := testkit.Read(t, b.store)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range many(48, 1000) {
		testkit.Write(t, b.store, whole)
		kind := mutationKinds[i%len(mutationKinds)]
		mutate(t, b.store, kind, r)
		found := false
		for _, p := range b.verify() {
			found = found || !p.Complete()
		}
		if !found {
			t.Fatalf("verify did not find mutation %d (%s)", i, kind)
		}
	}
}

var mutationKinds = []string{"flipped byte", "dropped row", "swapped rows", "column", "quarantine", "foreign row"}

// mutate changes one thing in a store.
func mutate(t *testing.T, path, kind string, r *rand.Rand) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	row := 1 + r.IntN(60)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatal(query, err)
		}
	}
	switch kind {
	case "flipped byte":
		var data string
		if err := db.QueryRow("SELECT data FROM messages WHERE rowid = ?", row).Scan(&data); err != nil {
			t.Fatal(err)
		}
		changed := []byte(data)
		changed[r.IntN(len(changed))] ^= 1 << r.IntN(7)
		exec("UPDATE messages SET data = CAST(? AS TEXT) WHERE rowid = ?", changed, row)
	case "dropped row":
		exec("DELETE FROM messages WHERE rowid = ?", row)
	case "swapped rows":
		other := row%60 + 1
		exec("UPDATE messages SET rowid = -1 WHERE rowid = ?", row)
		exec("UPDATE messages SET rowid = ? WHERE rowid = ?", row, other)
		exec("UPDATE messages SET rowid = ? WHERE rowid = -1", other)
	case "column":
		column := []string{"id", "parent_id", "type", "timestamp"}[r.IntN(4)]
		exec("UPDATE messages SET "+column+" = coalesce("+column+", 0) || '7' WHERE rowid = ?", row)
	case "quarantine":
		exec([]string{"DELETE FROM quarantine WHERE rowid = 1", "UPDATE quarantine SET bytes = X'0A' WHERE rowid = 1",
			"UPDATE quarantine SET line = line + 1 WHERE rowid = 2",
			"UPDATE quarantine SET bytes = X'0A0A200D0A' WHERE rowid = 2",
			"UPDATE quarantine SET bytes = X'0A200A0D0A0A' WHERE rowid = 2"}[r.IntN(5)])
	case "foreign row":
		exec("UPDATE messages SET session_key = (SELECT session_key FROM messages WHERE rowid = 62) WHERE rowid = ?",
			row)
	}
}
