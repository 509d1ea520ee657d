package models

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// The table is small enough to be part of the repository and of the program, says what it is made from, and is in the
// form in which it would be written again.
func TestBuiltIn(t *testing.T) {
	c := BuiltIn()
	if len(builtIn) > 150_000 {
		t.Errorf("the catalogue has %d bytes", len(builtIn))
	}
	date := regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	if !strings.HasPrefix(c.Source, "@earendil-works/pi-ai ") || !date.MatchString(c.Date) {
		t.Errorf("made from %q of %q", c.Source, c.Date)
	}
	providers := map[string]bool{}
	for i := range c.entries {
		e := &c.entries[i]
		providers[e.Provider] = true
		if e.Window < 1000 || e.Provider == "" {
			t.Errorf("%s: %+v", e.Name(), e.Facts)
		}
	}
	if len(c.entries) < 1600 || len(providers) < 42 {
		t.Errorf("%d models of %d providers", len(c.entries), len(providers))
	}
	again, err := parse(c.Text())
	if err != nil || !reflect.DeepEqual(again.entries, c.entries) {
		t.Errorf("written and read again, the catalogue differs: %v", err)
	}
	if _, err := os.Stat("NOTICE"); err != nil {
		t.Error(err)
	}
}

const piText = `{
  "some-api": {
    "chat:m-1": {"id": "m-1", "provider": "p", "type": "chat", "contextWindow": 1000, "maxTokens": 100,
      "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 1.25,
        "tiers": [{"inputTokensAbove": 500, "input": 2, "output": 4, "cacheRead": 0.2, "cacheWrite": 2.5}]}},
    "image:m-2": {"id": "m-2", "provider": "p", "type": "image"},
    "m-3": {"id": "m-3", "provider": "p", "contextWindow": 2000, "cost": {"input": -1000000, "output": -1000000}}
  }
}`

// The JSON of pi-ai and the text form are two forms of the same.
func TestParseForms(t *testing.T) {
	fromJSON, err := parse([]byte(piText))
	if err != nil {
		t.Fatal(err)
	}
	const want = formLine + "\n[p]\nm-1\t1000\t100\t1\t2\t0.1\t1.25\t500 2 4 0.2 2.5\nm-3\t2000\t-\t-\t-\t-\t-\n"
	if got := string(fromJSON.Text()); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	fromText, err := parse([]byte("\ufeff" + strings.ReplaceAll(want, "\n", "\r\n")))
	if err != nil || !reflect.DeepEqual(fromText.entries, fromJSON.entries) {
		t.Errorf("%+v, %v", fromText, err)
	}
}

func TestParseMistakes(t *testing.T) {
	for _, test := range []struct {
		text         string
		line, column int
		want         string
	}{
		{"", 1, 1, "the file is empty"},
		{"{\n \"a\": ,}", 2, 7, "not valid JSON"},
		{"{\n \"a\": [", 2, 8, "the file ends inside a value"},
		{"{}", 1, 1, "the file has no models"},
		{formLine + "\n# nothing\n", 1, 1, "the file has no models"},
		{strings.Repeat("[", 99) + strings.Repeat("]", 99), 1, 1, "nested too deeply"},
		{`{"id":"m","provider":"p","contextWindow":"big"}`, 1, 42, `"contextWindow" to be a number of tokens`},
		{`{"id":"m","provider":"p","contextWindow":1.5}`, 1, 42, `"contextWindow" to be a number of tokens`},
		{`{"id":"m","provider":7}`, 1, 22, `"provider" to be a name`},
		{"{\"id\":\"m\",\"provider\":\"p\",\n\"cost\":[]}", 2, 8, "expected an object with prices"},
		{"{\"id\":\"m\",\"provider\":\"p\",\n\"cost\":{\"output\":\"free\"}}", 2, 18, `"output" to be dollars`},
		{"{\"id\":\"m\",\"provider\":\"p\",\"cost\":{\"input\":1e9}}", 1, 42, `"input" to be dollars`},
		{"#clawctl-models 2\n", 1, 1, `expected "#clawctl-models 1" in the first line`},
		{formLine + "\n[p\n", 2, 1, "expected a provider in brackets"},
		{formLine + "\n[p]\nm\t1000\n", 3, 7, "expected 7 columns with tabs between them, got 2"},
		{formLine + "\n[p]\n\t1000\t1\t1\t1\t1\t1\n", 3, 1, "the name of the model is missing"},
		{formLine + "\n[p]\nm\tmany\t1\t1\t1\t1\t1\n", 3, 3, `expected a number of tokens, got "many"`},
		{formLine + "\n[p]\nm\t1000\t1\t1\tx\t1\t1\n", 3, 12, `expected dollars per million tokens from 0 to 1000000, got`},
		{formLine + "\n[p]\nm\t1000\t1\t1\tNaN\t1\t1\n", 3, 12, `got "NaN"`},
		{formLine + "\n[p]\nm\t1\t1\t1\t1\t1\t1\t5 1 1\n", 3, 15, "expected a tier"},
		{formLine + "\n[p]\nm\t1\t1\t1\t1\t1\t1\t5 1 1 1 y\n", 3, 23, `got "y"`},
	} {
		_, err := parse([]byte(test.text))
		var e *Error
		if !errors.As(err, &e) || e.Line != test.line || e.Column != test.column || !strings.Contains(e.Text, test.want) {
			t.Errorf("%q: got %v, want line %d, column %d: %s", test.text, err, test.line, test.column, test.want)
		}
	}
}

// FuzzParse checks that what can be read is the same after it was written and read again, and that an error has a place
// in the text.
func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(piText))
	f.Add([]byte(formLine + "\n[p]\nm\t1\t-\t-\t-\t-\t-\t0 1 1 1 1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parse(text)
		var e *Error
		if errors.As(err, &e) {
			if e.Line < 1 || e.Line > strings.Count(string(text), "\n")+1 || e.Column < 1 || e.Text == "" {
				t.Errorf("%+v", e)
			}
			return
		}
		again, err := parse(c.Text())
		if err != nil || !reflect.DeepEqual(again.entries, c.entries) {
			t.Errorf("%v: %q", err, c.Text())
		}
	})
}

// A newer file wins over the catalogue, which still knows what the file lacks.
func TestOver(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.json": `{"id":"claude-fox-4-5","provider":"anthropic","contextWindow":1000000}`,
		"b.json": `{"id":"new-1","provider":"maker","contextWindow":5000}`,
		"c.json": `{"id":"picture","provider":"maker","type":"image"}`,
		"other":  "not read",
	} {
		testkit.Write(t, filepath.Join(folder, name), text)
	}
	newer, err := Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	c := newer.Over(parseSmall(t))
	for model, want := range map[string]int64{"claude-fox-4-5": 1_000_000, "new-1": 5000, "claude-owl-4-6": 1_000_000} {
		if m := c.Find("", model); m == nil || m.Entry.Window != want {
			t.Errorf("%s: %+v, want %d", model, m, want)
		}
	}
}

func TestLoadMistakes(t *testing.T) {
	folder := t.TempDir()
	broken := filepath.Join(folder, "broken.json")
	testkit.Write(t, broken, "{\n  oops")
	for path, want := range map[string]string{broken: broken, folder: broken, t.TempDir(): ""} {
		_, err := Load(path)
		var e *Error
		if !errors.As(err, &e) || want != "" && (e.Path != want || e.Line != 2 || e.Column != 3) {
			t.Errorf("%s: %+v", path, err)
		}
	}
	if _, err := Load(filepath.Join(folder, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestOverrides(t *testing.T) {
	window, price := int64(42), 7.5
	c := parseSmall(t).With([]Override{
		{Name: "anthropic/claude-owl-4-6", Window: &window},
		{Name: "GPT-5.4", Input: &price},
		{Name: "my-own", Window: &window},
		{Name: "claude-owl-4-6", Answer: &window},
	})
	for _, test := range []struct {
		provider, model, name string
		window                int64
		input                 float64
	}{
		{"anthropic", "claude-owl-4-6", "anthropic/claude-owl-4-6", 42, 5},
		{"anthropic", "claude-owl-4-6-20260101", "anthropic/claude-owl-4-6", 42, 5},
		{"", "proxy/anthropic/Claude-Owl-4.6", "anthropic/claude-owl-4-6", 42, 5},
		{"amazon-bedrock", "us.anthropic.claude-owl-4-6-v1", "claude-owl-4-6", 1_000_000, 5.5},
		{"openai", "gpt-5.4", "GPT-5.4", 272_000, 7.5},
		{"nobody", "my-own", "my-own", 42, 0},
		{"openai", "gpt-5", "openai/gpt-5", 400_000, 1.25},
	} {
		m := c.Find(test.provider, test.model)
		if m == nil || m.Name() != test.name || m.Entry.Window != test.window || m.Entry.Input != test.input {
			t.Errorf("%s %s: %+v", test.provider, test.model, m)
		}
	}
	if m := c.Find("openai", "gpt-5.4"); m.Entry.Tiers != nil || m.Entry.Output != 10 || !m.Entry.Priced {
		t.Errorf("%+v", m.Entry.Facts)
	}
	if m := c.Find("", "my-own"); m.Entry.Priced {
		t.Errorf("%+v", m.Entry.Facts)
	}
}
