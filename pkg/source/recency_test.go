package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source/openclaw"
)

func TestParseRecency(t *testing.T) {
	for name, want := range map[string]int{"@last": 1, "@1": 1, "@9": 9} {
		if rank, ok := ParseRecency(name); !ok || rank != want {
			t.Errorf("%s: %d %v", name, rank, ok)
		}
	}
	for _, name := range []string{"", "@", "@0", "@10", "@first", "last", "1", "id@1"} {
		if rank, ok := ParseRecency(name); ok {
			t.Errorf("%q is read as %d", name, rank)
		}
	}
}

// recencySessions are live sessions of which the registration or the file tells when they were used, and an archive.
func recencySessions() []*Session {
	day := func(d int) time.Time { return time.Date(2026, 5, d, 0, 0, 0, 0, time.UTC) }
	return []*Session{
		{Key: "agent:main:old", ID: "old", Agent: "main", Kind: Live, Modified: day(1)},
		{
			Key: "agent:main:listed", ID: "listed", Agent: "main", Kind: Live, Modified: day(9),
			Entry: openclaw.Entry{UpdatedAt: day(2)},
		},
		{Key: "agent:lab:new", ID: "new", Agent: "lab", Kind: Live, Modified: day(3)},
		{Key: "agent:main:reset", ID: "reset", Agent: "main", Kind: Reset, Generation: "reset.1", Modified: day(8)},
	}
}

func TestSelectByRecency(t *testing.T) {
	for _, test := range []struct {
		filter Filter
		want   string
	}{
		{Filter{Session: "@last"}, "agent:lab:new"},
		{Filter{Session: "@1"}, "agent:lab:new"},
		{Filter{Session: "@2"}, "agent:main:listed"},
		{Filter{Session: "@3"}, "agent:main:old"},
		{Filter{Session: "@4"}, ""},
		{Filter{Session: "@last", Agents: []string{"main"}}, "agent:main:listed"},
		{Filter{Session: "@last", Kinds: Kinds}, "agent:main:reset@reset.1"},
	} {
		got, err := Select(recencySessions(), test.filter, Kinds)
		name := ""
		if len(got) == 1 {
			name = got[0].Name()
		}
		if err != nil || name != test.want || len(got) > 1 {
			t.Errorf("%+v: %q %v, want %q", test.filter, name, err, test.want)
		}
	}
}

// The time at the end of a text is that of the last record with a time, however little of the file is read first.
func TestTimeAtEnd(t *testing.T) {
	first := jsonl.FirstEnd
	jsonl.FirstEnd = 8
	defer func() { jsonl.FirstEnd = first }()
	line := func(at string) string { return `{"type":"custom","id":"a","timestamp":"` + at + `"}` + "\n" }
	early, late := "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"
	for text, want := range map[string]string{
		"": "", "\n\n": "", `{"type":"custom","id":"a"}`: "", line(early): early, line(early) + line(late): late,
		line(late) + line(early):                                   early,
		line(late) + `{"type":"custom"}` + "\n\n":                  late,
		line(late) + `{"type":"custom","timestamp":"` + early:      late,
		"\ufeff" + line(late):                                      late,
		line(early) + strings.Repeat("x", 100) + "\n" + line(late): late,
		line(late) + strings.Repeat("x", 100):                      late,
		line(late) + strings.Repeat("x", 1000):                     late,
		line(early) + line(late) + "\u00a0":                        late, // JavaScript trims it
		line(early) + strings.TrimSuffix(line(late), "\n"):         late,
		line(early) + `{"a":"` + strings.Repeat("x", 50) + `","timestamp":"` + late + `"}` + " \r\n \n": late,
	} {
		file, reader := openText(t, text), strings.NewReader(text)
		for name, in := range map[string]*Input{"file": file, "reader": {Reader: reader, Size: reader.Size()}} {
			got, all := timeAtEnd(in.Reader.(io.ReaderAt), in.Size), lastTimeIn(strings.NewReader(text))
			if !got.Equal(all) || want != "" && got.Format(time.RFC3339) != want || got.IsZero() != (want == "") {
				t.Errorf("%s %q: %v from the end, %v from the beginning, want %q", name, text, got, all, want)
			}
		}
	}
}

// Damage in a long line with data is found, wherever the ends of the file that are read begin.
func TestTimeAtEndWithData(t *testing.T) {
	const block = 4 << 10
	line := func(value string) string {
		return `{"type":"custom","timestamp":"2026-05-01T00:00:00Z","data":` + value + "}\n"
	}
	before := `{"type":"custom","timestamp":"2026-04-01T00:00:00Z"}` + "\n"
	data := strings.Repeat("iVBORw0KGgo+/AAA", 20*block/16)
	digits := strings.Repeat("1", 20*block)
	for name, value := range map[string]string{
		"image": `"` + data + `"`, "number": digits, "digits": `"` + digits + `"`, "no string": data,
		"letters in a number": digits[:9*block] + "abc" + digits, "two": `["` + data + `","` + data[9:] + `"]`,
		"after a string": `"a"` + data, "open string": `"` + data, "escape": `"` + data + `\q` + data + `"`,
		"control": `"` + data + "\x01" + data + `"`, "not UTF-8": `"` + data + "\xff" + data + `"`,
		"text": `"` + strings.Repeat("a word. ", 20*block/8) + `"`,
	} {
		for shift := range 3 {
			text := before + strings.Repeat(" ", shift*block/3) + line(value)
			in := openText(t, text)
			got, all := timeAtEnd(in.Reader.(io.ReaderAt), in.Size), lastTimeIn(strings.NewReader(text))
			if !got.Equal(all) || got.IsZero() {
				t.Errorf("%s: %v from the end, %v from the beginning", name, got, all)
			}
		}
	}
}

// openText opens a file with a text.
func openText(t *testing.T, text string) *Input {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	testkit.Write(t, path, text)
	in, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

// A search that finds out when sessions were used, while it looks at their beginnings, finds what ReadEnds does.
func TestFindEnds(t *testing.T) {
	for _, home := range []string{"home", "harness"} {
		lists := map[bool][]*Session{}
		for _, ends := range []bool{false, true} {
			place, err := Find(t.Context(), filepath.Join("../../testdata", home), Options{Ends: ends})
			if err != nil {
				t.Fatal(err)
			}
			defer place.Close()
			lists[ends] = place.Sessions
		}
		for i, s := range lists[false] {
			with := lists[true][i]
			isFile := s.open != nil && s.endTime == nil && strings.HasSuffix(s.Path, ".jsonl")
			if isFile && with.endTime == nil {
				t.Errorf("%s: its end was not read", s.Path)
			}
			if with.Path != s.Path || !with.LastUsed().Equal(s.LastUsed()) {
				t.Errorf("%s: %v, want %v", with.Path, with.LastUsed(), s.LastUsed())
			}
		}
	}
}

func TestSelectExact(t *testing.T) {
	for name, want := range map[string]string{
		"agent:main:old": "", "old": "", "reset@reset.1": "",
		"ol": "agent:main:old", "agent:lab": "agent:lab:new", "@last": "agent:lab:new",
	} {
		_, err := Select(recencySessions(), Filter{Session: name, Exact: true}, []Kind{Live})
		var inexact *InexactError
		if errors.As(err, &inexact) != (want != "") || want != "" && inexact.Name != want {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := Select(recencySessions(), Filter{Session: "agent:main", Exact: true}, []Kind{Live}); !isAmbiguous(err) {
		t.Errorf("the beginning of several: %v", err)
	}
}

func TestLookupByRecency(t *testing.T) {
	l := lookupPlaces(t, []string{"one", "two"}, []string{"three"})
	path := filepath.Join(l.State, "agents", "main", "sessions", "one.jsonl")
	text := strings.ReplaceAll(lookupTranscript, "%ID%", "one") +
		`{"type":"custom","id":"z","timestamp":"2020-01-01T00:00:00Z"}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil { // the newer file has the older record
		t.Fatal(err)
	}
	for word, want := range map[string]string{
		"@last": "agent:main:two", "@2": "agent:main:one", l.State + "#@2": "agent:main:one",
		l.Store + "#@last": "agent:main:three", path + "#@last": "agent:main:recovered:one",
	} {
		m, err := l.Argument(t.Context(), word, Query{Kinds: []Kind{Live}})
		if err != nil || len(m.Sessions) != 1 || m.Sessions[0].Name() != want || m.AlsoIn != "" {
			t.Errorf("%s: %+v %v, want %s", word, m, err, want)
		}
	}
	m, err := l.Argument(t.Context(), "@1", Query{Kinds: []Kind{Live}, StoreOnly: true})
	if err != nil || m.Sessions[0].Name() != "agent:main:three" {
		t.Errorf("in the store alone: %+v %v", m, err)
	}
	if _, err := l.Argument(t.Context(), "@3", Query{Kinds: []Kind{Live}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the store is asked for the third of the state folder: %v", err)
	}
	var unknown *UnknownNameError
	if _, err := l.Argument(t.Context(), "@9", Query{Kinds: []Kind{Live}}); !errors.As(err, &unknown) {
		t.Error(err)
	} else if len(unknown.Known) != 3 {
		t.Errorf("%d sessions were looked at, want those of both places", len(unknown.Known))
	}
}
