package completion

import (
	"strings"
	"testing"

	"clawctl/internal/cli"
)

func TestScript(t *testing.T) {
	for _, shell := range Shells {
		if text, ok := Script(shell); !ok || !strings.Contains(text, "clawctl __complete") {
			t.Errorf("%s: %q", shell, text)
		}
	}
	for _, other := range []string{"", "csh", "../words.go"} {
		if text, ok := Script(other); ok {
			t.Errorf("%s: %q", other, text)
		}
	}
}

// paintOptions are the flags of a command.
type paintOptions struct {
	Kinds []string `flag:"kind"`
	Deep  bool     `flag:"deep: use more of it"`
}

func (o *paintOptions) OwnFlags() []cli.Flag {
	return cli.FlagsOf(o, cli.ChoicesFlag(&o.Kinds, "kind", "KIND", []string{"oil", "water"}, "what to use"))
}

func (o *paintOptions) Run(*cli.App, []string) error { return nil }

func TestComplete(t *testing.T) {
	colors := func() []string { return []string{"red", "green"} }
	a := &cli.App{Commands: []*cli.Command{
		{Name: "paint", Summary: "Paint a wall", Offers: colors, Options: &paintOptions{}},
		{Name: "read", Operands: "[FILE]", Summary: "Read a file"},
	}}
	for words, want := range map[string]string{
		"p":                       "words paint\tPaint a wall",
		"paint ":                  "words red green",
		"paint g":                 "words green",
		"paint --de":              "words --deep\tuse more of it",
		"paint --kind ":           "words oil water",
		"paint --kind oil,":       "words oil,oil oil,water",
		"paint --kind=w":          "words --kind=water",
		"paint --deep --kind w":   "words water",
		"paint -- --":             "words",
		"paint --kind oil red gr": "words green",
		"read ":                   "files",
	} {
		got := strings.TrimSpace(strings.ReplaceAll(Complete(a, strings.Split(words, " ")), "\n", " "))
		if got != want {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}
