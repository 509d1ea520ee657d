package harness

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

const (
	agentsThread = "01a1f100-0000-7000-8000-000000000001"
	agentsChild  = "01a1f100-0000-7000-8000-000000000002"
	agentsLone   = "01a1f100-0000-7000-8000-000000000003"
	rollouts     = "home/agents/main/agent/codex-home/sessions/2026/11/03/"
)

// subagentsOf returns the ids of the subagents of each session of a home.
func subagentsOf(t *testing.T, folder string) map[string][]string {
	t.Helper()
	p, err := source.Find(t.Context(), filepath.Join(folder, "home"), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	f := &Finder{Allowed: true, Folders: map[*dialect.Program]string{
		dialect.ClaudeCodeProgram: filepath.Join(folder, "claude")}}
	f.Find(t.Context(), p.Sessions)
	f.Subagents(t.Context(), p.Sessions)
	ids := map[string][]string{}
	for _, s := range p.Sessions {
		for _, b := range s.Bindings {
			for _, agent := range b.Subagents {
				ids[s.Key] = append(ids[s.Key], agent.ID)
			}
		}
	}
	return ids
}

// agentsHome is a copy of the example home whose programs have subagents.
func agentsHome(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../../../testdata/linked-agents")); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestSubagents(t *testing.T) {
	ids := subagentsOf(t, agentsHome(t))
	if got := ids["agent:main:main"]; !slices.Equal(got, []string{"a5500000000000001"}) {
		t.Errorf("Claude Code: %v", got)
	}
	if got := ids["agent:main:licence"]; !slices.Equal(got, []string{agentsChild}) {
		t.Errorf("Codex: %v", got)
	}
}

// A row that names a thread makes it a subagent only if the thread says so, and a circle ends.
func TestSubagentsMustAgree(t *testing.T) {
	folder := agentsHome(t)
	for name, id := range map[string]string{
		"rollout-2026-11-03T09-30-04-" + agentsThread: agentsLone,
		"rollout-2026-11-03T09-30-08-" + agentsChild:  agentsThread,
	} {
		appendRow(t, filepath.Join(folder, rollouts, name+".jsonl"), `{"timestamp":"2026-11-03T09:31:00Z",`+
			`"type":"event_msg","payload":{"type":"collab_agent_spawn_end","new_thread_id":"`+id+`"}}`)
	}
	if got := subagentsOf(t, folder)["agent:main:licence"]; !slices.Equal(got, []string{agentsChild}) {
		t.Error(got)
	}
}

// appendRow adds a line to a file.
func appendRow(t *testing.T, path, row string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(row + "\n"); err != nil {
		t.Fatal(err)
	}
}

// A folder of subagents that is a link to another place is not read.
func TestSubagentsOutside(t *testing.T) {
	folder, outside := agentsHome(t), t.TempDir()
	agents := filepath.Join(folder, "claude/projects/-home-ada-shop/c1a0de00-2222-4222-8333-000000000001")
	target := filepath.Join(outside, "moved")
	if err := os.Rename(agents, target); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, agents); err != nil {
		t.Skip(err)
	}
	if got := subagentsOf(t, folder)["agent:main:main"]; got != nil {
		t.Error(got)
	}
}

// Running totals of older versions count for each thread on its own.
func TestSubagentTotals(t *testing.T) {
	folder := agentsHome(t)
	for name, tokens := range map[string]string{
		"rollout-2026-11-03T09-30-04-" + agentsThread: "1000",
		"rollout-2026-11-03T09-30-08-" + agentsChild:  "300",
	} {
		path := filepath.Join(folder, rollouts, name+".jsonl")
		text := testkit.Read(t, path)
		rows := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(row string) bool {
			return strings.Contains(row, `"token_usage_record"`)
		})
		rows = append(rows, `{"timestamp":"2026-11-03T09:30:19Z","type":"event_msg","payload":{"type":"token_count",`+
			`"info":{"total_token_usage":{"input_tokens":`+tokens+`,"cached_input_tokens":0,"output_tokens":0,`+
			`"total_tokens":`+tokens+`}}}}`+"\n")
		testkit.Write(t, path, strings.Join(rows, ""))
	}
	if got := recordedInput(t, joinedSession(t, folder, "agent:main:licence")); got != 1300 {
		t.Errorf("got %d, want 1300", got)
	}
}

func recordedInput(t *testing.T, s *source.Session) (sum int64) {
	t.Helper()
	meter := &jsonl.Meter{}
	meter.BeginSession()
	for rec, err := range jsonl.Records(strings.NewReader(string(joinedText(t, s))), jsonl.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if u, ok := rec.Usage(); ok && rec.Harness() != "" {
			sum += meter.Increase(u).Input
		}
	}
	return sum
}

// joinedSession returns a session of a home with its bindings.
func joinedSession(t *testing.T, folder, key string) *source.Session {
	t.Helper()
	p, err := source.Find(t.Context(), filepath.Join(folder, "home"), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	f := &Finder{}
	f.Find(t.Context(), p.Sessions)
	f.Subagents(t.Context(), p.Sessions)
	at := slices.IndexFunc(p.Sessions, func(s *source.Session) bool { return s.Key == key })
	return p.Sessions[at]
}

// What only the state database or a file beside the transcript records is in the registration that is taken along, and
// found there.
func TestRegistrationTakesBindings(t *testing.T) {
	folder := linked(t)
	writeState(t, filepath.Join(folder, "home"))
	sessions := find(t, folder, true)
	for key, want := range map[string]string{
		"agent:main:gemini": `{"codex":["` + threadID + `"]}`,
		"agent:main:codex":  `{"codex":["01a1f000-0000-7000-8000-000000000004"]}`,
		"agent:main:main":   "",
	} {
		entry := sessions[key].Registration()
		if !json.Valid(entry) || string(entry.Get(source.BindingsMember)) != want {
			t.Errorf("%s: %s", key, entry)
		}
		var now, later references
		now.addEntry(readEntry(entry))
		moved := &source.Session{Entry: openclaw.Entry{Raw: entry}, Bindings: sessions[key].Bindings}
		later.addEntry(readEntry(moved.Registration()))
		if !slices.Equal(now, later) || len(now) != len(sessions[key].Bindings) {
			t.Errorf("%s: %v, then %v", key, now, later)
		}
	}
}

// A thread that only the state database names leads to its file wherever Codex has moved it, and nowhere without one.
func TestMovedThreads(t *testing.T) {
	folder := linked(t)
	writeState(t, filepath.Join(folder, "home"))
	const rollout = "rollout-2026-11-02T09-40-04-" + threadID + ".jsonl"
	from := filepath.Join(folder, "codex/sessions/2026/11/02", rollout)
	for _, test := range []struct {
		to   string
		want source.BindingState
	}{
		{"codex/archived_sessions/" + rollout, source.BindingOther}, // of another session of the home
		{"codex/sessions/2026/11/02/" + rollout + ".zst", source.BindingOther},
		{"codex/elsewhere/" + rollout, source.BindingMissing},
	} {
		to := filepath.Join(folder, test.to)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		from = to
		s := find(t, folder, true)["agent:main:gemini"]
		if err := Judge(t.Context(), s); err != nil {
			t.Error(err)
		}
		isIt := func(b source.Binding) bool { return b.ID == threadID && b.State == test.want }
		if !slices.ContainsFunc(s.Bindings, isIt) {
			t.Errorf("%s: %+v", test.to, s.Bindings)
		}
	}
}
