package cli

import (
	"path/filepath"
	"slices"
	"testing"

	"clawctl/internal/testkit"
)

func TestExpandWords(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Chdir(home)
	for _, name := range []string{"a.jsonl", "b.jsonl", "c.txt"} {
		testkit.Write(t, name, "")
	}
	for _, c := range []struct{ words, want []string }{
		{[]string{"cat", "*.jsonl", "-q"}, []string{"cat", "a.jsonl", "b.jsonl", "-q"}},
		{[]string{"cat", "~", "~x"}, []string{"cat", home, "~x"}},
		{[]string{"cat", "~/?.jsonl"}, []string{"cat", filepath.Join(home, "a.jsonl"), filepath.Join(home, "b.jsonl")}},
		{[]string{"cat", "d*.jsonl", "[.jsonl*"}, []string{"cat", "d*.jsonl", "[.jsonl*"}},
		{[]string{"search", "b*", "--pattern=*.jsonl"}, []string{"search", "b*", "--pattern=*.jsonl"}},
	} {
		if got := expandWords(c.words); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.words, got, c.want)
		}
	}
}
