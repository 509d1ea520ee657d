package dialect

import (
	"path/filepath"
	"runtime"
	"testing"
)

// A session is continued by the program that finds it at its place, and by no other.
func TestResumeCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths below are those of other systems")
	}
	const (
		id   = "c0ffee00-1111-4222-8333-444455556666"
		day  = "/home/ada/.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-"
		live = "/home/ada/.openclaw/agents/main/sessions/"
	)
	notes := "/home/ada/.claude/projects/-home-ada-my-notes/"
	for _, test := range []struct {
		program *Program
		s       LiveSession
		want    string
	}{
		{ClaudeCodeProgram, LiveSession{ID: id, File: notes + id + ".jsonl", Cwd: "/home/ada/my notes"},
			"cd '/home/ada/my notes' && claude --resume " + id},
		{ClaudeCodeProgram, LiveSession{ID: id, File: "/mnt/x y/projects/-a-b/" + id + ".jsonl", Cwd: "/a/b"},
			"cd /a/b && CLAUDE_CONFIG_DIR='/mnt/x y' claude --resume " + id},
		{ClaudeCodeProgram, LiveSession{ID: id, File: notes + id + ".jsonl", Cwd: "/home/bob"}, ""},
		{ClaudeCodeProgram, LiveSession{ID: id, File: notes + id + ".jsonl"}, ""},
		{ClaudeCodeProgram, LiveSession{ID: id, File: notes + "x/subagents/agent-1.jsonl", Cwd: "/home/ada/my notes"}, ""},
		{ClaudeCodeProgram, LiveSession{ID: id, File: "/home/ada/" + id + ".jsonl", Cwd: "/home/ada"}, ""},
		{ClaudeCodeProgram, LiveSession{ID: "--help", File: "/x/projects/-a/--help.jsonl", Cwd: "/a"}, ""},
		{CodexProgram, LiveSession{ID: id, File: day + id + ".jsonl", Cwd: "/srv/it's"},
			`cd '/srv/it'\''s' && codex resume ` + id},
		{CodexProgram, LiveSession{ID: id, File: day + id + ".jsonl.zst"}, "codex resume " + id},
		{CodexProgram, LiveSession{ID: id, File: live + "x/codex-home/sessions/2026/11/01/rollout-1-" + id + ".jsonl"},
			"CODEX_HOME=" + live + "x/codex-home codex resume " + id},
		{CodexProgram, LiveSession{ID: id, File: "/home/ada/.codex/archived_sessions/rollout-1-" + id + ".jsonl"}, ""},
		{CodexProgram, LiveSession{ID: "-x", File: day + id + ".jsonl"}, ""},
		{PiProgram, LiveSession{ID: id, File: "/home/ada/.pi/agent/sessions/--a--/x y.jsonl", Cwd: "/a"},
			"pi --session '/home/ada/.pi/agent/sessions/--a--/x y.jsonl'"},
		{OpenClawProgram, LiveSession{ID: id, Key: "agent:main:a b", File: live + id + ".jsonl"},
			"openclaw tui --session 'agent:main:a b'"},
		{OpenClawProgram, LiveSession{ID: id, File: live + id + ".jsonl"}, ""},
		{OpenClawProgram, LiveSession{ID: id, Key: "--help", File: live + id + ".jsonl"}, ""},
		{OpenClawProgram, LiveSession{ID: id, Key: "agent:main:main", File: "/backup/agents/main/sessions/x.jsonl"}, ""},
		{Claw0Program, LiveSession{ID: id, Key: "main", File: live + id + ".jsonl"}, ""},
		{nil, LiveSession{ID: id, Key: "main", File: live + id + ".jsonl"}, ""},
	} {
		env := Environment{
			Get: func(string) string { return "" }, UserHome: "/home/ada", StateDir: filepath.FromSlash("/home/ada/.openclaw"),
		}
		if got := test.program.ResumeCommand(test.s, env); got != test.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", test.s, got, test.want)
		}
	}
}

// A program that writes the records of another continues those in its own folders. A translated dialect is continued by
// its program alone.
func TestWriter(t *testing.T) {
	for _, test := range []struct {
		d           Dialect
		owner, want *Program
	}{
		{OpenClawV3, nil, OpenClawProgram}, {OpenClawV3, PiProgram, PiProgram}, {OpenClawV3, CodexProgram, nil},
		{Codex, CodexProgram, CodexProgram}, {Codex, nil, CodexProgram}, {Codex, PiProgram, nil}, {Unknown, nil, nil},
		{Unknown, PiProgram, nil},
	} {
		if got := test.d.Writer(test.owner); got != test.want {
			t.Errorf("%v in a folder of %v: %v", test.d, test.owner, got)
		}
	}
}
