package source

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIsNamed(t *testing.T) {
	const file = "/data/.openclaw/agents/other/sessions/a.jsonl"
	for _, c := range []struct {
		text, folder string
		want         bool
	}{
		{"/home/ada/.openclaw/agents/other/sessions/a.jsonl", "", true},
		{"/home/ada/.openclaw/agents/main/sessions/a.jsonl", "", false},
		{"/home/ada/.openclaw/agents/main/sessions/a.jsonl", "/data/.openclaw/agents/other/sessions", true},
		{`C:\Users\Ada\.openclaw\agents\Other\sessions\A.jsonl`, "", true},
		{"/somewhere/a.jsonl", "", true},
		{"a.jsonl", "", true},
		{"a.jsonl", "/data/.openclaw/agents/other/sessions", true},
		{"a.jsonl", "/data/.openclaw/agents/main/sessions", false},
		{"b.jsonl", "/data/.openclaw/agents/other/sessions", false},
		{"xa.jsonl", "", false},
	} {
		if got := isNamed(c.text, c.folder, filepath.FromSlash(file)); got != c.want {
			t.Errorf("%q in %q: got %v", c.text, c.folder, got)
		}
	}
}

// Every string of an index is found, whatever was lost of it.
func TestEachTextOfDamagedIndex(t *testing.T) {
	const index = `{"agent:main:main": {"sessionId": "one", "sessionFile": "C:\\home\\a \"b\".jsonl", "x": "\u0061"}}`
	for cut := range len(index) - 60 {
		found := map[string]bool{}
		eachText([]byte(index[cut:]), func(text string) { found[text] = true })
		if !found[`C:\home\a "b".jsonl`] || !found["a"] {
			t.Errorf("without %d bytes: found %v", cut, found)
		}
	}
}

// A link that an index names leads to a file that must stay.
func TestHoldThroughLink(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(home, "agents", "main", "sessions", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("a.jsonl.bak", oneRecord)
	index := write("sessions.json", `{"agent:main:main":{"sessionId":"x","sessionFile":"/elsewhere/link.jsonl"}}`)
	if err := os.Symlink("a.jsonl.bak", filepath.Join(filepath.Dir(file), "link.jsonl")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	s := File(file)
	holds, err := FindHolds(t.Context(), []*Session{s}, nil, "")
	if err != nil || holds[s].Reason != Registered || filepath.Base(holds[s].By) != filepath.Base(index) {
		t.Errorf("got %+v, %v", holds[s], err)
	}
}
