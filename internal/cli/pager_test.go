package cli

import (
	"errors"
	"slices"
	"testing"
)

// programs returns a lookPath that knows some programs only.
func programs(names ...string) func(string) (string, error) {
	return func(name string) (string, error) {
		if slices.Contains(names, name) {
			return "/bin/" + name, nil
		}
		return "", errors.New("not found")
	}
}

func TestChoosePager(t *testing.T) {
	for _, c := range []struct {
		env      map[string]string
		programs []string
		want     string
	}{
		{nil, []string{"less"}, "less"},
		{nil, nil, ""},
		{map[string]string{"PAGER": "more -e"}, []string{"less"}, "more -e"},
		{map[string]string{"PAGER": "more", "CLAWCTL_PAGER": "less -S"}, nil, "less -S"},
		{map[string]string{"PAGER": "more", "CLAWCTL_PAGER": ""}, []string{"less"}, ""},
		{map[string]string{"PAGER": "more", "CLAWCTL_PAGER": "cat"}, []string{"less"}, ""},
		{map[string]string{"PAGER": " cat "}, []string{"less"}, ""},
		{map[string]string{"PAGER": ""}, []string{"less"}, ""},
		{map[string]string{"TERM": "dumb"}, []string{"less"}, ""},
		{map[string]string{"TERM": "dumb", "PAGER": "more"}, []string{"less"}, "more"},
	} {
		lookup := func(name string) (string, bool) { value, set := c.env[name]; return value, set }
		if got := choosePager(lookup, programs(c.programs...)); got != c.want {
			t.Errorf("%v with %q: %q, want %q", c.env, c.programs, got, c.want)
		}
	}
}

func TestMissingPager(t *testing.T) {
	for command, want := range map[string]bool{
		"less": false, "less -R": false, "most": true, "most -s": true, "LESS=-S most": false, "$MY_PAGER": false,
		"trap : INT; less": false,
	} {
		if got := isMissing(command, programs("less")); got != want {
			t.Errorf("%s: %t", command, got)
		}
	}
}

func TestPagerEnvironment(t *testing.T) {
	if got := pagerEnvironment([]string{"A=b"}); !slices.Equal(got, []string{
		"A=b", "LESS=FRX", "LESSCHARSET=utf-8", "LV=-c",
	}) {
		t.Errorf("%q", got)
	}
	own := []string{"LESS=-S", "LESSCHARSET=latin1", "LV="}
	if got := pagerEnvironment(slices.Clone(own)); !slices.Equal(got, own) {
		t.Errorf("%q", got)
	}
}
