package main

import (
	"slices"
	"strings"
	"testing"

	"clawctl/internal/cli"
)

func TestNormalize(t *testing.T) {
	all := append(wholeCommands(), wholeHidden()...)
	for _, test := range []struct{ in, want string }{
		{"cat a b", "cat -- a b"},
		{"cat a --type x b -q", "cat --type=x --quiet -- a b"},
		{"--type x -q cat a", "cat --type=x --quiet -- a"},
		{"cat - --since=7d", "cat --since=7d -- -"},
		{"cat -qv", "cat --quiet --verbose --"},
		{"cat -- -q --type", "cat -- -q --type"},
		{"cat --since -7d a", "cat --since=-7d -- a"},
		{"cat -o out a", "cat --output=out -- a"},
		{"cat -o=out a", "cat --output=out -- a"},
		{"cat -oout a", "cat --output=out -- a"},
		{"cat -qoout=1 a", "cat --quiet --output=out=1 -- a"},
		{"cat -qo=out a", "cat --quiet --output=out -- a"},
		{"search -edead[a-z]+ a", "search --regexp=dead[a-z]+ -- a"},
		{"search -se-x=é -ey a", "search --case-sensitive --regexp=-x=é --regexp=y -- a"},
		{"-eéa search a", "search --regexp=éa -- a"},
		{"search x -C5", "search --context=5 -- x"},
		{"cat -q=false a", "cat --quiet=false -- a"},
		{"cat a --help", "help -- cat"},
		{"-h", "help --short --"},
		{"cat a -h", "help --short -- cat"},
		{"cat -h a --help", "help -- cat"},
		{"", "overview --"},
		{"--version", "version --"},
		{"cat a --version", "version -- a"},
		{"-- cat a", "cat -- a"},
		{"--summary validate a", "validate --summary -- a"},
		{"--summary text guard a", "guard --summary=text -- a"},
		{"--summary=text guard a", "guard --summary=text -- a"},
		{"--summary notes compact a", "compact --summary=notes -- a"},
		{"compact --summary - a", "compact --summary=- -- a"},
	} {
		p, err := cli.Normalize(strings.Fields(test.in), all)
		if got := strings.Join(append([]string{p.Command}, p.Args...), " "); err != nil || got != test.want {
			t.Errorf("%s: %s %v, want %s", test.in, got, err, test.want)
		}
	}
	for _, bad := range []string{"ct", "cat --tpe", "cat -z", "cat -qz", "cat --since", "cat -qo", "cat --=x"} {
		if _, err := cli.Normalize(strings.Fields(bad), all); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// Flags mean the same in every command, so that they can be read before the command is known.
func TestFlagsAgree(t *testing.T) {
	takes := map[string]bool{}
	for _, c := range wholeCommands() {
		for name, f := range cli.NewFlagTable(c.AllFlags()) {
			value := f.Value != ""
			if known, ok := takes[name]; ok && known != value && !cli.Varying[name] {
				t.Errorf("%s: --%s takes a value in some commands and not in others", c.Name, name)
			}
			takes[name] = value
		}
	}
}

// Every command has a complete help page: a summary that begins with a verb, examples and details.
func TestHelpIsComplete(t *testing.T) {
	for _, c := range wholeCommands() {
		if !slices.Contains(cli.Groups, c.Group) {
			t.Errorf("%s: group %q is not shown in help", c.Name, c.Group)
		}
		if len(c.Examples) == 0 || len(c.Exits) < 2 || c.About == "" {
			t.Errorf("%s: the help lacks examples, exit statuses or details", c.Name)
		}
		if len(c.Summary) > 70 || strings.ContainsAny(c.Summary, ";.") || c.Summary[0] < 'A' || c.Summary[0] > 'Z' {
			t.Errorf("%s: summary %q", c.Name, c.Summary)
		}
		for _, e := range c.Examples {
			if e.Comment() == "" || !strings.Contains(e.Command(), "clawctl") {
				t.Errorf("%s: example %q", c.Name, e)
			}
		}
	}
}
