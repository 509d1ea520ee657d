package search

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/internal/rooted"
	"clawctl/internal/testkit"
	"clawctl/internal/textid"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// queryFor searches for a plain text.
func queryFor(t *testing.T, text string) *Query {
	t.Helper()
	term, err := Literal(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &Query{Any: []*Term{term}}
}

func hitFor(t *testing.T, pattern, line string) Hit {
	t.Helper()
	h, ok := queryFor(t, pattern).hitInLine(nil, line, inUser)
	if !ok {
		t.Fatalf("%q has no %q", line, pattern)
	}
	return h
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("word ", 100)
	const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
	for _, c := range []struct {
		pattern, line string
		width         int
		want          string
	}{
		{"plum", "a plum", 20, "a plum"},
		{"plum", "a\n\n  plum\tis ripe", 40, "a plum is ripe"},
		{"plum", long + "plum " + long, 30, "…ord word plum word word word…"},
		{"plum", "plum " + long, 12, "plum word w…"},
		{"plum", "\x1b[31mplum", 30, `\u001b[31mplum`},
		{"plum", "plum " + key, 40, "plum sk-ant-[masked]"},
	} {
		got := snippet(ui.Terminal{}, hitFor(t, c.pattern, c.line), c.width)
		if got != c.want || ui.Width(got) > c.width {
			t.Errorf("%.20q in %d columns: %q, want %q", c.line, c.width, got, c.want)
		}
	}
	h := hitFor(t, "plum", "plum "+key)
	if h.Secrets = nil; snippet(ui.Terminal{}, h, 100) != h.Text {
		t.Error("a key is masked although it is not a secret")
	}
}

func TestHitRow(t *testing.T) {
	line := strings.Repeat("é", 150) + " plum " + strings.Repeat("é", 150)
	row := NewHitRow(&source.Session{Key: "k", ID: "1", Kind: source.Live}, hitFor(t, "plum", line))
	want := strings.Repeat("é", 100) + " plum " + strings.Repeat("é", 100)
	if row.Start != 301 || row.End != 305 || row.Matches != 1 || row.Snippet != want || row.Time != "" {
		t.Errorf("%+v", row)
	}
}

// Archives come after the live session of their key, whenever they were written.
func TestSortNewestFirst(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 5, n, 0, 0, 0, 0, time.UTC) }
	live := func(key string, used int) *source.Session {
		return &source.Session{Key: key, Kind: source.Live, Modified: day(used)}
	}
	archive := &source.Session{Key: "old", Kind: source.Reset, Generation: "reset.2026-05-09T00-00-00.000Z"}
	orphan := &source.Session{Key: "gone", Kind: source.Deleted, Generation: "deleted.2026-05-03T00-00-00.000Z"}
	registered := live("registered", 1)
	registered.Entry.UpdatedAt = day(8)
	sessions := []*source.Session{archive, orphan, live("old", 2), live("new", 4), registered}
	SortNewestFirst(sessions)
	var keys []string
	for _, s := range sessions {
		keys = append(keys, string(s.Kind)+" "+s.Key)
	}
	if got := strings.Join(keys, ", "); got != "live registered, live new, deleted gone, live old, reset old" {
		t.Error(got)
	}
}

func TestSums(t *testing.T) {
	hit := func(text string) Hit { return Hit{Content: textid.Of([]byte(text))} }
	s := &Sums{Limit: 2}
	if got := s.Sentence(3); got != "nothing found in 3 sessions" {
		t.Error(got)
	}
	if !s.Add(hit("a")) || s.Add(hit("a")) || s.InSession != 1 || s.IsEnough() {
		t.Errorf("%+v", s)
	}
	if n := s.End(Tally{Unread: 1, Unsearched: 2}); n != 1 || s.InSession != 0 {
		t.Error(n, s.InSession)
	}
	if !s.Add(hit("b")) || !s.IsEnough() || s.Found != 2 {
		t.Errorf("%+v", s)
	}
	const want = "2 hits in 2 sessions (not counting 1 copy), stopped by --limit; left out: 2 lines with it only in " +
		"images, signatures or encrypted text"
	if got := s.Sentence(3); got != want {
		t.Error(got)
	}
}

func TestMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "MEMORY.md")
	testkit.Write(t, path, "# Fruit\r\n\r\nthe plum\nno pear\nplums")
	folder := rooted.Of(filepath.Dir(path), ".")
	file := rooted.File{Path: folder.Join("MEMORY.md"), Shown: path}
	s, hits, err := queryFor(t, "plum").PlainFile(nil, PlainFile{file, inMemory})
	if err != nil || s.Name() != path || len(hits) != 2 || hits[0].Line != 3 || hits[0].Offset != 11 || hits[1].Line != 5 {
		t.Error(s, hits, err)
	}
	inverted := queryFor(t, "plum")
	inverted.Invert = true
	if _, hits, _ := inverted.PlainFile(nil, PlainFile{file, inMemory}); len(hits) != 2 {
		t.Error("empty lines are hits", hits)
	}
	if _, _, err := inverted.PlainFile(nil, PlainFile{rooted.File{Path: folder}, inMemory}); !errors.Is(err,
		ErrNotMemory) {
		t.Error(err)
	}
}

// The windows of two hits that are close together do not repeat a message.
func TestNearby(t *testing.T) {
	var text strings.Builder
	for _, word := range []string{"one", "two", "plum", "four", "five", "six", "seven", "plum", "nine", "ten"} {
		text.WriteString(`{"type":"message","message":{"role":"user","content":"` + word + `"}}` + "\n")
	}
	for _, c := range []struct {
		before, after int
		want          string
	}{
		{1, 1, "two plum four -- seven plum nine"},
		{0, 1, "plum four -- plum nine"},
		{4, 0, "one two plum four five six seven plum"},
		{0, 5, "plum four five six seven plum nine ten"},
		{0, 4, "plum four five six seven plum nine ten"},
		{2, 2, "one two plum four five six seven plum nine ten"},
		{3, 1, "one two plum four five six seven plum nine"},
		{0, 3, "plum four five six -- plum nine ten"},
	} {
		var printed []string
		n := Nearby{Before: c.before, After: c.after, Print: func(styled string) error {
			words := strings.Fields(styled)
			printed = append(printed, words[len(words)-1])
			return nil
		}}
		hit := func(line int64) Hit { return Hit{Line: line, Place: "HIT", Text: "hit"} }
		around, err := n.Session([]Hit{hit(3), hit(8)})
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range jsonl.Records(strings.NewReader(text.String()), jsonl.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			if err := around.Record(rec); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.ReplaceAll(strings.Join(printed, " "), "hit ", ""); got != c.want {
			t.Errorf("%d before, %d after: %s, want %s", c.before, c.after, got, c.want)
		}
	}
}
