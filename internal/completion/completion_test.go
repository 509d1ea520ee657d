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

func TestComplete(t *testing.T) {
	kinds, isDeep := []string{}, false
	colors := func() []string { return []string{"red", "green"} }
	a := &cli.App{Commands: []*cli.Command{
		{Name: "paint", Summary: "Paint a wall", Offers: colors, Flags: func() []cli.Flag {
			return []cli.Flag{
				cli.ChoicesFlag(&kinds, "kind", "KIND", []string{"oil", "water"}, "what to use"),
				cli.SwitchFlag(&isDeep, "deep", "use more of it"),
			}
		}},
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
