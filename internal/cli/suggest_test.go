package cli

import (
	"path/filepath"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
	"clawctl/pkg/source"
)

func TestNearestSession(t *testing.T) {
	known := []*source.Session{
		{Key: "agent:main:telegram:direct:1001", ID: "65a77cfd-0b15", Kind: source.Reset},
		{Key: "agent:main:main", ID: "e062545a-58d4", Kind: source.Live},
		{Key: "agent:main:telegram:direct:1001", ID: "a1cf946c-bf7e", Kind: source.Live},
		{Key: "agent:research:main", ID: "b0e540a2-510e", Kind: source.Live},
	}
	for typed, want := range map[string]string{
		"agent:main:mian":          "agent:main:main",
		"Agent:Main:Main":          "agent:main:main",
		"agent:reserch:main":       "agent:research:main",
		"agent:main:telegarm":      "agent:main:telegram:direct:1001", // the beginning of one
		"e062545b":                 "e062545a-58d4",
		"main":                     "agent:main:main", // a part of its own before a text inside
		"research":                 "agent:research:main",
		"direct:1001":              "agent:main:telegram:direct:1001",
		"agent:main:nobody":        "",
		"nobody":                   "",
		"@9":                       "",
		"":                         "",
		"agent:main:discord:guild": "",
	} {
		if got := nearestSession(typed, known); got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}

func TestCommandNaming(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"cat", "cat"}, "clawctl cat KEY"},
		{[]string{"tokens", "--session", "cat", "-q"}, "clawctl tokens --session KEY -q"},
		{[]string{"tokens", "--session=cat"}, "clawctl tokens --session=KEY"},
		{[]string{"tokens", "home#cat"}, "clawctl tokens 'home#KEY'"},
		{[]string{"tokens", "other"}, ""},
	} {
		a := &App{Args: test.args}
		if got := a.commandNaming("cat", "KEY"); got != test.want {
			t.Errorf("%q: got %q, want %q", test.args, got, test.want)
		}
	}
}

func TestNearPath(t *testing.T) {
	folder := t.TempDir() + string(filepath.Separator)
	testkit.Write(t, folder+"session.jsonl", "")
	for typed, want := range map[string]string{
		folder + "sesion.jsonl":                failure.Command("clawctl", "show", folder+"session.jsonl"),
		folder + "other.jsonl":                 "",
		folder + "folder/session.jsonl":        "",
		filepath.Join(folder, "sessino.jsonl"): failure.Command("clawctl", "show", folder+"session.jsonl"),
	} {
		a := &App{Args: []string{"show", typed}}
		if got := a.nearPath(typed); got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}
