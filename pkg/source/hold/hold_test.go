package hold

import (
	"clawctl/internal/testkit"
	"clawctl/pkg/source"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const oneRecord = `{"type":"session","version":3,"id":"a","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/"}` + "\n"

// write writes a file and returns its path.
func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, path, text)
	return path
}

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

// A link that an index names leads to a file that must stay.
func TestHoldThroughLink(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "agents", "main", "sessions")
	file := write(t, folder, "a.jsonl.bak", oneRecord)
	index := write(t, folder, "sessions.json",
		`{"agent:main:main":{"sessionId":"x","sessionFile":"/elsewhere/link.jsonl"}}`)
	if err := os.Symlink("a.jsonl.bak", filepath.Join(filepath.Dir(file), "link.jsonl")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	s := source.File(file)
	holds, err := Find(t.Context(), []*source.Session{s}, Options{})
	if err != nil || holds[s].Reason != Registered || filepath.Base(holds[s].By) != filepath.Base(index) {
		t.Errorf("got %+v, %v", holds[s], err)
	}
}

// A file is held by whatever may name it, however it does that.
func TestHolds(t *testing.T) {
	const file, live = "agents/main/sessions/a.jsonl.bak", "agents/main/sessions/c.jsonl"
	outside := t.TempDir()
	config := func(text string) map[string]string { return map[string]string{"openclaw.json": text} }
	indexOf := func(agent, text string) map[string]string {
		return map[string]string{"agents/" + agent + "/sessions/sessions.json": text}
	}
	database := map[string]string{"agents/x/agent/openclaw-agent.sqlite": "not a database"}
	for name, test := range map[string]struct {
		files map[string]string // besides the file itself; HOME and OUT are replaced
		link  [2]string         // from and to
		held  string            // if not the file above
		want  Reason
	}{
		"nothing":           {want: ""},
		"agents elsewhere":  {files: config(`{agents: {entries: {x: {agentDir: 'OUT'}}}}`), want: HomeUnread},
		"agents by default": {files: config(`{agents: {defaults: {agentDir: 'OUT'}}}`), want: HomeUnread},
		"relative agents":   {files: config(`{agents: {list: [{id: 'x', agentDir: 'x'}]}}`), want: HomeUnread},
		"index elsewhere":   {files: config(`{session: {store: 'OUT/store.json'}}`), want: HomeUnread},
		"included":          {files: config(`{$include: 'x.json'}`), want: HomeUnread},
		"damaged config":    {files: config(`{`), want: HomeUnread},
		"linked agent":      {link: [2]string{"agents/linked", "OUT"}, want: HomeUnread},
		"linked index":      {link: [2]string{"agents/x/sessions/sessions.json", "OUT/x"}, want: HomeUnread},
		"damaged index":     {files: indexOf("x", `{'a': 'b'`), want: HomeUnread},
		"empty index":       {files: indexOf("x", ``), want: ""},
		"garbage database":  {files: database, want: HomeUnread},
		"named":             {files: indexOf("x", `{"k":{"f":"/o/agents/main/sessions/a.jsonl.bak"}}`), want: Registered},
		"named with dots":   {files: indexOf("x", `{"k":"/o/agents/x/../main/./sessions//a.jsonl.bak"}`), want: Registered},
		"named with spaces": {files: indexOf("main", `{"k":" a.jsonl.bak "}`), want: Registered},
		"another agent's":   {files: indexOf("x", `{"k":"/o/agents/x/sessions/a.jsonl.bak"}`), want: ""},
		"link by id": {files: indexOf("main", `{"k":{"sessionId":"l"}}`),
			link: [2]string{"agents/main/sessions/l.jsonl", "HOME/" + file}, want: Registered},
		"beside the agents": {held: "sessions/b.jsonl.bak",
			files: indexOf("main", `{"k":"/o/sessions/b.jsonl.bak"}`), want: Registered},
		"live without index":  {held: live, want: IndexMissing},
		"live, healthy index": {held: live, files: indexOf("main", `{}`), want: ""},
		"live, empty index":   {held: live, files: indexOf("main", ` `), want: BadIndex},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			place := strings.NewReplacer("HOME", home, "OUT", outside)
			held := cmp.Or(test.held, file)
			write(t, home, file, oneRecord)
			write(t, home, held, oneRecord)
			for path, text := range test.files {
				write(t, home, path, place.Replace(text))
			}
			if test.link != [2]string{} {
				write(t, home, filepath.Dir(test.link[0])+"/.keep", "")
				if err := os.Symlink(place.Replace(test.link[1]), filepath.Join(home, test.link[0])); err != nil {
					t.Skip("no symbolic links here:", err)
				}
			}
			s := source.File(filepath.Join(home, held))
			holds, err := Find(t.Context(), []*source.Session{s}, Options{UserHome: "/home/ada"})
			if err != nil || holds[s].Reason != test.want {
				t.Errorf("got %+v, %v, want %q", holds[s], err, test.want)
			}
		})
	}
}

// A file that an index names in another spelling is never safe to delete, because the home may have been copied from a
// disk on which both are one file. The second name has an accent in one character here and in two there.
func TestOtherSpellings(t *testing.T) {
	for named, file := range map[string]string{"Daily": "daily", "caf\u00e9": "cafe\u0301"} {
		folder := filepath.Join(t.TempDir(), "agents", "main", "sessions")
		write(t, folder, "sessions.json", `{"agent:main:main":{"sessionId":"`+named+`","sessionFile":"`+named+`.jsonl"}}`)
		s := source.File(write(t, folder, file+".jsonl", oneRecord))
		holds, err := Find(t.Context(), []*source.Session{s}, Options{})
		if err != nil || holds[s].Reason != Registered {
			t.Errorf("%q: %+v, %v", named, holds[s], err)
		}
	}
}

// An index may name a file that is not named like a live session.
func TestRegisteredUnderAnyName(t *testing.T) {
	const id = "11111111-1111-4111-8111-111111111111"
	folder := t.TempDir()
	write(t, folder, "sessions.json", `{"agent:main:main":{"sessionId":"`+id+`","sessionFile":"`+id+`.jsonl.old"}}`)
	s := source.File(write(t, folder, id+".jsonl.old", oneRecord))
	holds, err := Find(t.Context(), []*source.Session{s}, Options{})
	if err != nil || holds[s].Reason != Registered {
		t.Errorf("%+v, %v", holds[s], err)
	}
}
