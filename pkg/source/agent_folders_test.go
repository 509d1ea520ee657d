package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// problemsOf returns the problems of a folder that OpenClaw's configuration causes.
func problemsOf(t *testing.T, folder, home string) string {
	t.Helper()
	p, err := Find(context.Background(), folder, Options{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var b strings.Builder
	for _, problem := range p.Problems {
		path := filepath.ToSlash(strings.ReplaceAll(problem.Path, folder, "STATE"))
		fmt.Fprintf(&b, "%s %s (%s)\n", problem.Code, path, problem.Detail)
	}
	return b.String()
}

func TestAgentFolders(t *testing.T) {
	for name, test := range map[string]struct{ config, want string }{
		"none":    {"", ""},
		"no dirs": {`{agents: {entries: {main: {}}, list: [{id: 'x'}, 3, null]}}`, ""},
		"entries": {`// comment
			{agents: {entries: {"ops": {agentDir: '/srv/agents/ops',}, home: {agentDir: "~/b c"}, blank: {agentDir: " "}},},}`,
			"CL521 /home/ada/b c (agent home)\nCL521 /srv/agents/ops (agent ops)\n"},
		"list":    {`{agents: {list: [{id: 'old', agentDir: '/srv/old'}]}}`, "CL521 /srv/old (agent old)\n"},
		"default": {`{agents: {entries: {main: {agentDir: 'STATE/agents/main/agent'}}}}`, ""},
		"inside, not searched": {`{agents: {entries: {main: {agentDir: 'STATE/logs/other/'}}}}`,
			"CL521 STATE/logs/other (agent main)\n"},
		"inside, missing": {`{agents: {entries: {main: {agentDir: 'STATE/nowhere'}}}}`, ""},
		"inside, dotted":  {`{agents: {entries: {main: {agentDir: 'STATE/../x'}}}}`, "CL521 PARENT/x (agent main)\n"},
		"relative": {`{agents: {entries: {main: {agentDir: 'agents/x'}, v: {agentDir: '/${DIR}/x'}}}}`,
			"CL523 STATE/openclaw.json (agentDir \"agents/x\" of agent main)\n" +
				"CL523 STATE/openclaw.json (agentDir \"/${DIR}/x\" of agent v)\n"},
		"includes": {`{$include: 'a.json5', channels: {$include: 'no.json'},
			agents: {$include: ['b', 'c'], entries: {x: {$include: 'd'}}}}`,
			"CL523 STATE/openclaw.json ($include of a.json5)\nCL523 STATE/openclaw.json ($include of b)\n" +
				"CL523 STATE/openclaw.json ($include of c)\nCL523 STATE/openclaw.json ($include of d)\n"},
		"damaged": {"{agents: {\n entries: }", "CL522 STATE/openclaw.json (line 2: unexpected '}')\n"},
		"deep":    {strings.Repeat("[", 1_000_000), "CL522 STATE/openclaw.json (line 1: nested more than 200 deep)\n"},
		"other":   {`[1]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			state := t.TempDir()
			write(t, state, "agents/main/agent/x", "")
			write(t, state, "logs/other/x", "")
			if test.config != "" {
				write(t, state, "openclaw.json", strings.ReplaceAll(test.config, "STATE", filepath.ToSlash(state)))
			}
			want := strings.ReplaceAll(test.want, "PARENT", filepath.ToSlash(filepath.Dir(state)))
			if got := problemsOf(t, state, "/home/ada"); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// A configuration that is a link to the outside, a folder, a pipe's like or too large is reported and not read.
func TestHostileConfig(t *testing.T) {
	for name, prepare := range map[string]func(state string) error{
		"link": func(state string) error {
			return os.Symlink("/etc/hostname", filepath.Join(state, "openclaw.json"))
		},
		"folder": func(state string) error { return os.Mkdir(filepath.Join(state, "openclaw.json"), 0o700) },
		"large": func(state string) error {
			path := filepath.Join(state, "openclaw.json")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(path, 1<<40)
		},
	} {
		state := t.TempDir()
		if err := prepare(state); err != nil {
			t.Log(name, err)
			continue
		}
		if got := problemsOf(t, state, ""); !strings.HasPrefix(got, "CL522 STATE/openclaw.json") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// The state folder may be named through a link.
func TestAgentFolderThroughLink(t *testing.T) {
	real, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	write(t, real, "agents/main/agent/x", "")
	for _, named := range []string{real, link} {
		write(t, real, "openclaw.json", `{agents: {entries: {main: {agentDir: '`+named+`/agents/main/agent'}}}}`)
		if got := problemsOf(t, link, ""); got != "" {
			t.Errorf("%s: %s", named, got)
		}
	}
}
