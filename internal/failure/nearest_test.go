package failure

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"cat", "completion", "version", "help"}
	for typed, want := range map[string]string{
		"cta": "cat", "complete": "", "completon": "completion", "verison": "version", "hlep": "help", "import": "", "x": "",
	} {
		if got := Nearest(typed, names); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}
