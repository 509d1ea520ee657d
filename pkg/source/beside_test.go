package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What belongs to a session is read below the folder that was named, and nowhere else, whatever is a link.
func TestBesideStaysBelow(t *testing.T) {
	const text = "<persisted-output>\nToo large. Full output saved to: /x/a.txt\n\nPreview:\n"
	for name, test := range map[string]struct {
		link, to string // a link, and where it leads, below the base
		file     bool   // the file is named, and not the folder
		want     string
	}{
		"the folder of results":              {link: "c/projects/-p/s1/tool-results", to: "out"},
		"the folder of the session":          {link: "c/projects/-p/s1", to: "out"},
		"a result":                           {link: "c/projects/-p/s1/tool-results/a.txt", to: "out/a.txt"},
		"the folder of results, of a file":   {link: "c/projects/-p/s1/tool-results", to: "out", file: true},
		"the folder of a session, of a file": {link: "c/projects/-p/s1", to: "out", file: true},
		"a folder inside":                    {link: "c/projects/-p/s1/tool-results", to: "c/kept", want: "kept"},
		"a folder outside of that of a file": {link: "c/projects/-p/s1/tool-results", to: "c/kept", file: true},
		"no link":                            {link: "c/other", to: "out", want: "own"},
	} {
		base := t.TempDir()
		for path, text := range map[string]string{
			"out/a.txt": "secret", "out/tool-results/a.txt": "secret", "c/kept/a.txt": "kept",
			"out/subagents/agent-aaaaaaaaaaaaaaaaa.jsonl": headerOf("secret"),
			"c/projects/-p/s1.jsonl":                      headerOf("s1"),
		} {
			write(t, base, path, text)
		}
		if name == "no link" {
			write(t, base, "c/projects/-p/s1/tool-results/a.txt", "own")
		}
		link := filepath.Join(base, test.link)
		if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(base, test.to), link); err != nil {
			t.Skip(err)
		}
		s := File(filepath.Join(base, "c/projects/-p/s1.jsonl"))
		if !test.file {
			p := find(t, filepath.Join(base, "c"))
			s = p.Sessions[0]
		}
		if strings.Contains(name, "inside") { // links are resolved in the folder, so an absolute one leads out
			if err := os.Remove(link); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("../../../kept", link); err != nil {
				t.Fatal(err)
			}
		}
		if got, _ := s.StoredResult(text); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
		for _, file := range s.StoredResults() {
			if got, err := file.Content(100); err == nil && strings.Contains(string(got), "secret") {
				t.Errorf("%s: %s was read", name, file.Shown)
			}
		}
		if list := s.Subagents(); len(list) > 0 {
			t.Errorf("%s: %s was listed", name, list[0].Path)
		}
	}
}

// The session that a text begins in is read below the folder that was named, and for a file that was named, in the
// folders of other dates.
func TestHistoryStaysBelow(t *testing.T) {
	base := t.TempDir()
	write(t, base, "sessions/2026/01/30/a.jsonl", headerOf("a"))
	write(t, base, "sessions/2026/02/01/b.jsonl",
		`{"type":"session","version":3,"id":"b","cwd":"/","history":{"session":"a","bytes":10}}`+"\n")
	for folder, isFound := range map[string]bool{
		"sessions": true, "sessions/2026/02": false, "sessions/2026/02/01": false,
	} {
		for _, s := range find(t, filepath.Join(base, folder)).Sessions {
			if missing := s.CheckHistory(); s.ID == "b" && (missing == nil) != isFound {
				t.Errorf("%s: %v", folder, missing)
			}
		}
	}
	if missing := File(filepath.Join(base, "sessions/2026/02/01/b.jsonl")).CheckHistory(); missing != nil {
		t.Error(missing)
	}
}
