package harness

import (
	"context"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

const (
	claudeID = "c1a0de00-1111-4222-8333-000000000001"
	threadID = "01a1f000-0000-7000-8000-000000000005"
)

// linked is a copy of the example home whose sessions were run by other programs.
func linked(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../../../testdata/linked")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// find returns the sessions of a home with their bindings.
func find(t *testing.T, folder string, allowed bool) map[string]*source.Session {
	t.Helper()
	p, err := source.Find(t.Context(), filepath.Join(folder, "home"), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	f := &Finder{Allowed: allowed, Folders: map[*dialect.Program]string{
		dialect.BackendNamed("claude-cli"): filepath.Join(folder, "claude"),
		dialect.BackendNamed("codex"):      filepath.Join(folder, "codex"),
	}}
	f.Find(t.Context(), p.Sessions)
	sessions := map[string]*source.Session{}
	for _, s := range p.Sessions {
		sessions[s.Key] = s
	}
	return sessions
}

func TestReferences(t *testing.T) {
	for _, test := range []struct{ entry, want string }{
		{`{}`, ""},
		{`null`, ""},
		{`{"cliSessionBindings":{"claude-cli":{"sessionId":"a","cwdHash":"x"}}}`, "claude-cli a"},
		{`{"cliSessionBindings":{"claude-cli":{"sessionId":"a"}},"cliSessionIds":{"claude-cli":"old","codex-cli":"b"}}`,
			"claude-cli a, codex-cli b"},
		{`{"cliSessionBindings":{"claude-cli":{"sessionId":"a"}},"claudeCliSessionId":"old"}`, "claude-cli a"},
		{`{"cliSessionBindings":{"claude-cli":{}},"claudeCliSessionId":"old"}`, "claude-cli old"},
		{`{"claudeCliSessionId":"a"}`, "claude-cli a"},
		{`{"cliSessionIds":{"claude-cli":7}}`, ""},
		{`{"acpSessionBinding":{"acpBackendId":"acpx","acpAgentId":"codex","agentSessionId":"c"}}`, "codex c"},
		{`{"acp":{"backend":"acpx","agent":"claude","identity":{"agentSessionId":"d"}}}`, "claude d"},
		{`{"cliSessionBindings":{"claude-cli":{"sessionId":"a"}},"acp":{"agent":"claude","identity":{"agentSessionId":"a"}}}`,
			"claude-cli a"},
		{`{"cliSessionBindings":[1],"cliSessionIds":"x","acp":3}`, ""},
	} {
		var refs references
		refs.addEntry(readEntry(jsonl.Value(test.entry)))
		var got []string
		for _, r := range refs {
			got = append(got, r.backend+" "+r.id)
		}
		if text := strings.Join(got, ", "); text != test.want {
			t.Errorf("%s: got %q, want %q", test.entry, text, test.want)
		}
	}
}

func TestStates(t *testing.T) {
	folder := linked(t)
	for _, test := range []struct {
		key           string
		shut, allowed source.BindingState
	}{
		{"agent:main:main", source.BindingNotAllowed, source.BindingFound},
		{"agent:main:stale", source.BindingNotAllowed, source.BindingMissing},
		{"agent:main:other", source.BindingNotAllowed, source.BindingOther},
		{"agent:main:codex", source.BindingFound, source.BindingFound},
		{"agent:main:acp:review", source.BindingNotAllowed, source.BindingFound},
		{"agent:main:gemini", source.BindingUnknown, source.BindingUnknown},
		{"agent:main:work", source.BindingFound, source.BindingFound},
	} {
		for _, allowed := range []bool{false, true} {
			s := find(t, folder, allowed)[test.key]
			if err := Judge(t.Context(), s); err != nil {
				t.Error(err)
			}
			want := test.shut
			if allowed {
				want = test.allowed
			}
			if len(s.Bindings) != 1 || s.Bindings[0].State != want {
				t.Errorf("%s, allowed %v: got %+v, want %s", test.key, allowed, s.Bindings, want)
			}
		}
	}
}

// The state database names sessions by key and by id.
func TestStateDatabase(t *testing.T) {
	folder := linked(t)
	if err := os.Remove(filepath.Join(folder, "home/agents/main/sessions/44444444-0000-4000-8000-000000000000.jsonl"+
		sidecarSuffix)); err != nil {
		t.Fatal(err)
	}
	writeState(t, filepath.Join(folder, "home"))
	sessions := find(t, folder, true)
	for key, id := range map[string]string{
		"agent:main:codex":  "01a1f000-0000-7000-8000-000000000004",
		"agent:main:gemini": threadID,
	} {
		isIt := func(b source.Binding) bool { return b.ID == id && b.State == source.BindingFound }
		if bindings := sessions[key].Bindings; !slices.ContainsFunc(bindings, isIt) {
			t.Errorf("%s: got %+v", key, bindings)
		}
	}
}

// writeState writes a state database with a row of each kind, in the forms of OpenClaw's schema.
func writeState(t *testing.T, home string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(home, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(home, filepath.FromSlash(openclaw.StateDatabase)))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		`CREATE TABLE acp_sessions (session_key TEXT NOT NULL PRIMARY KEY, agent TEXT NOT NULL, identity_json TEXT)`,
		`CREATE TABLE plugin_state_entries (plugin_id TEXT NOT NULL, namespace TEXT NOT NULL, entry_key TEXT NOT NULL,
			value_json TEXT NOT NULL, PRIMARY KEY (plugin_id, namespace, entry_key))`,
		`INSERT INTO acp_sessions VALUES ('agent:main:gemini', 'codex', '{"state":"resolved","agentSessionId":"` +
			threadID + `"}'), ('agent:main:none', 'codex', NULL), ('agent:main:bad', 'codex', '{')`,
		`INSERT INTO plugin_state_entries VALUES ('codex', 'app-server-thread-bindings', 'session:1',
			'{"sessionId":"44444444-0000-4000-8000-000000000000","state":"active","binding":{"threadId":` +
			`"01a1f000-0000-7000-8000-000000000004","cwd":"/home/ada/shop"}}'),
			('codex', 'app-server-thread-bindings', 'session:2',
			'{"sessionId":"44444444-0000-4000-8000-000000000000","state":"cleared","binding":{"threadId":"gone"}}')`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// A link that leads out of a folder is not followed, whether it is allowed or not.
func TestLinksOutside(t *testing.T) {
	folder, outside := linked(t), t.TempDir()
	for _, below := range []string{
		"claude/projects/-home-ada-shop/" + claudeID + ".jsonl",
		"home/agents/main/agent/codex-home",
	} {
		path, target := filepath.Join(folder, below), filepath.Join(outside, filepath.Base(below))
		if err := os.Rename(path, target); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Skip(err)
		}
	}
	sessions := find(t, folder, true)
	for _, key := range []string{"agent:main:main", "agent:main:codex"} {
		if b := sessions[key].Bindings[0]; b.State == source.BindingFound || b.Session != nil {
			t.Errorf("%s: got %+v", key, b)
		}
	}
}

// joinedText returns the text of a session that is joined with others.
func joinedText(t *testing.T, s *source.Session) []byte {
	t.Helper()
	j, err := NewJoiner(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	if err := j.Join(context.Background(), s); err != nil {
		t.Fatal(err)
	}
	in, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Every line of a joined text says where it is from, every entry but the first continues one before it, and nothing is
// said twice.
func TestJoin(t *testing.T) {
	sessions := find(t, linked(t), true)
	for _, key := range []string{"agent:main:main", "agent:main:codex", "agent:main:acp:review", "agent:main:work"} {
		s := sessions[key]
		text := joinedText(t, s)
		known, said := map[string]bool{}, map[string]int{}
		for rec, err := range jsonl.Records(strings.NewReader(string(text)), jsonl.Options{}) {
			if err != nil || rec.Damage != nil {
				t.Fatalf("%s: line %d: %v %v", key, rec.Line, err, rec.Damage)
			}
			at := s.Origin(rec.Line, rec.Offset)
			if (at.Path == s.Path) != (rec.Harness() == "") || at.Line == 0 {
				t.Errorf("%s: line %d comes from %+v", key, rec.Line, at)
			}
			if rec.Type() == jsonl.TypeSession {
				continue
			}
			if parent, _ := rec.ParentID(); len(known) > 0 && !known[parent] {
				t.Errorf("%s: line %d follows %q, which is not before it", key, rec.Line, parent)
			}
			known[rec.ID()] = true
			if m, ok := rec.Message(); ok && m.Role() != jsonl.RoleToolResult {
				said[normal(jsonl.PlainText(m.Content()))]++
			}
		}
		delete(said, "")
		for words, n := range said {
			if n != 1 {
				t.Errorf("%s: %q is said %d times", key, words, n)
			}
		}
		if s.JoinedLines() < 4 || s.Alone().JoinedLines() != 0 {
			t.Errorf("%s: %d lines are joined", key, s.JoinedLines())
		}
	}
}

func TestPairTurns(t *testing.T) {
	const day = "2026-11-02T"
	own := func(at, prompt, answer string) string {
		return `{"type":"message","id":"a","parentId":null,"timestamp":"` + day + at +
			`Z","message":{"role":"user","content":"` + prompt + `"}}` + "\n" +
			`{"type":"message","id":"b","parentId":"a","timestamp":"` + day + at +
			`Z","message":{"role":"assistant","api":"cli","content":"` + answer + `"}}` + "\n"
	}
	for _, test := range []struct {
		name, own, other string
		want             int
	}{
		{"the same", own("09:00:00", "Hello there", "Hi"), own("09:00:02", "Hello there", "Hi"), 1},
		{"too late", own("09:00:00", "Hello there", "Hi"), own("09:06:00", "Hello there", "Hi again"), 0},
		{"with what OpenClaw adds", own("09:00:00", "Go", "x"), own("09:00:02", "Context: tomorrow. Go", "y"), 1},
		{"a short text inside another", own("09:00:00", "Go", "x"), own("09:00:02", "Go away now", "y"), 0},
		{"without the prompt", own("09:00:00", "One", "The answer is forty-two."),
			own("09:00:02", "Two", "The answer is forty-two."), 1},
		{"repeated prompts", own("09:00:00", "Go on", "a") + own("09:01:00", "Go on", "b"),
			own("09:00:01", "Go on", "a") + own("09:01:01", "Go on", "b"), 2},
		{"another conversation", own("09:00:00", "Name a colour", "Red"), own("09:00:00", "Count to ten", "1"), 0},
	} {
		read := func(text string) (tr transcript) {
			for rec, err := range jsonl.Records(strings.NewReader(text), jsonl.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				tr.take(rec)
			}
			return tr
		}
		if got := pairTurns(read(test.own).turns, read(test.other).turns); got.found != test.want {
			t.Errorf("%s: got %d pairs, want %d", test.name, got.found, test.want)
		}
	}
}
