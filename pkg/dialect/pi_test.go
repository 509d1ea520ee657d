package dialect

import (
	"path/filepath"
	"testing"
)

func TestPiFolders(t *testing.T) {
	for path, want := range map[string]bool{
		"/home/ada/.pi/agent/sessions": true, "/home/ada/.pi/agent/sessions/--home-ada-notes--": true, "/x/--y--": true,
		"/home/ada/.pi/agent": false, "/home/ada/.openclaw/agents/main/sessions": false, "/x/--": false, "/x/----": false,
	} {
		if got := isPiFolder(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestPiSessions(t *testing.T) {
	home := filepath.FromSlash("/home/ada")
	for _, test := range []struct {
		variables map[string]string
		want      string
	}{
		{nil, "/home/ada/.pi/agent/sessions"},
		{map[string]string{"PI_CODING_AGENT_DIR": "~/pi"}, "/home/ada/pi/sessions"},
		{map[string]string{"PI_CODING_AGENT_DIR": "/pi", "PI_CODING_AGENT_SESSION_DIR": "/s"}, "/s"},
	} {
		get := func(name string) string { return test.variables[name] }
		if got := filepath.ToSlash(piHome(get, home)); got != test.want {
			t.Errorf("%v: %s, want %s", test.variables, got, test.want)
		}
	}
}
