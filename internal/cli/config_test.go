package cli

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func TestDataFolder(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	absolute := filepath.Join(home, "data")
	for _, test := range []struct {
		system string
		env    map[string]string
		want   string
	}{
		{"linux", nil, filepath.Join(home, ".local", "share")},
		{"linux", map[string]string{"XDG_DATA_HOME": absolute}, absolute},
		{"linux", map[string]string{"XDG_DATA_HOME": "relative", "LocalAppData": "x"},
			filepath.Join(home, ".local", "share")},
		{"darwin", nil, filepath.Join(home, "Library", "Application Support")},
		{"windows", nil, filepath.Join(home, "AppData", "Local")},
		{"windows", map[string]string{"LocalAppData": absolute}, absolute},
	} {
		got, err := DataFolder(test.system, func(name string) string { return test.env[name] })
		if got != test.want || err != nil {
			t.Errorf("%s %v: got %s, %v, want %s", test.system, test.env, got, err, test.want)
		}
	}
}

// A flag overrides the environment, which overrides the configuration.
func TestStorePath(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("CLAWCTL_CONFIG", "../../testdata/config.json")
	t.Setenv("CLAWCTL_DB", "~/env.db")
	a := newApp(Setup{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard})
	for _, test := range []struct{ flag, db, want, from string }{
		{"~/flag.db", "~/env.db", filepath.Join(home, "flag.db"), "the command line"},
		{"", "~/env.db", filepath.Join(home, "env.db"), "CLAWCTL_DB"},
		{"", " ", filepath.Join(home, "goclaw", "sessions.db"), "../../testdata/config.json:4"},
	} {
		t.Setenv("CLAWCTL_DB", test.db)
		got, err := a.StorePath(test.flag)
		if err != nil || got != (setting{test.want, test.from}) {
			t.Errorf("got %+v, %v, want %+v", got, err, test)
		}
	}
}

func TestExpandHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for path, want := range map[string]string{
		"~": home, "~/x": filepath.Join(home, "x"), "~ada/x": "~ada/x", "x/~": "x/~", "": "",
	} {
		if got := ExpandHome(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
