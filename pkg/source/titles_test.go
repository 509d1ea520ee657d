package source

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"clawctl/internal/pairs"
	"clawctl/internal/testkit"
)

// The title that is read without the other records is the one that is found with them.
func TestReadTitle(t *testing.T) {
	named := func(name string) string { return `{"type":"session_info","id":"i","name":"` + name + `"}` + "\n" }
	header := `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n"
	quoted := `{"type":"message","id":"m","message":{"role":"user","content":"{\"type\":\"session_info\"}"}}` + "\n"
	nested := `{"type":"custom","id":"c","data":{"type":"session_info","name":"not this"}}` + "\n"
	long := `{"type":"custom","id":"l","data":"` + strings.Repeat("session_info ", 1<<18) + `"}` + "\n"
	for name, test := range map[string]struct{ text, want string }{
		"none":         {header + quoted, "label"},
		"one":          {header + named("first") + quoted, "first"},
		"the last":     {header + named("first") + quoted + named("second") + nested, "second"},
		"taken away":   {header + named("first") + named(" "), "label"},
		"no line end":  {header + strings.TrimSpace(named("end")), "end"},
		"a long line":  {header + named("first") + long + named("after it") + long, "after it"},
		"damaged":      {header + named("first") + `{"type":"session_info","name":"cut`, "first"},
		"many entries": {header + strings.Repeat(quoted+nested, 12000) + named("far") + strings.Repeat(nested, 12000), "far"},
	} {
		folder := t.TempDir()
		testkit.Write(t, filepath.Join(folder, "a.jsonl"), test.text)
		place, err := Find(t.Context(), folder, Options{})
		if err != nil || len(place.Sessions) != 1 {
			t.Fatal(name, err)
		}
		s := place.Sessions[0]
		s.Entry.Label = "label"
		if got := s.ReadTitle(t.Context()); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		facts := Inspect(t.Context(), place.Sessions, 1)
		if got := facts[0].Title(s); got != test.want {
			t.Errorf("%s: %q after reading, want %q", name, got, test.want)
		}
		place.Close()
	}
}

// Lines are found whatever pieces the text comes in, and the marks in any order.
func TestNamingIn(t *testing.T) {
	text := "{\"type\":\"session_info\",\"name\":\"a\"}\nmark\n\n{\"type\":\"session_info\",\"name\":\"b\"}\nno mark\n" +
		"{\"type\":\"session_info\",\"name\":\"c\"} mark\nname_info\" mark"
	s := &Session{Bytes: int64(len(text))}
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
		if naming := s.namingIn(t.Context(), r, 2*smallText); naming.Name() != "b" {
			t.Errorf("%q", naming.Name())
		}
	}
	for _, marks := range [][]pairs.Word{
		{pairs.NewWord("mark", false), pairs.NewWord(nameMark, false)},
		{pairs.NewWord(nameMark, false), pairs.NewWord("mark", false), pairs.NewWord("nowhere", false)},
	} {
		if naming := NamingIn([]byte(text), marks); naming.Name() != "b" {
			t.Errorf("%q", naming.Name())
		}
	}
}
