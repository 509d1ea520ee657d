// Package rootedtest makes folders that try to make clawctl read something outside of them: homes of all programs in
// which links, pipes and devices are in the places that rows, indexes, manifests and configurations name, and in which
// those name paths outside.
package rootedtest

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Secret is in every file outside of the folder.
const Secret = "SECRET-OF-SOMEBODY-ELSE"

// A Kind is what is planted.
type Kind string

// The kinds.
const (
	Link   Kind = "link"   // to the same file or folder outside
	Device Kind = "device" // a link to one without an end
	Pipe   Kind = "pipe"   // that nobody writes to
	Hole   Kind = "hole"   // a file of a terabyte without content
)

// A Layout is a folder with something planted in one place.
type Layout struct {
	Place string // below the folder, with slashes
	Kind  Kind
}

func (l Layout) String() string { return string(l.Kind) + " at " + l.Place }

// Names of sessions.
const (
	openclawID = "11111111-2222-4333-8444-555555555555"
	claudeID   = "c0ffee00-2222-4222-8333-444455556666"
	agentID    = "aaaaaaaaaaaaaaaa1"
	parentID   = "01a1e6b8-0000-7000-8000-00000000000a"
	childID    = "01a1e6b8-0000-7000-8000-00000000000b"

	sessions = "home/agents/main/sessions/"
	project  = "claude/projects/-p/"
	beside   = project + claudeID + "/"
	dates    = "codex/sessions/2026/"

	codexHome = "home/agents/main/agent/codex-home/sessions/2026/05/01/rollout-2026-05-01T10-00-00-"

	digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of abc
)

// files returns the files of a folder. text is in each, and what names a path names it below the folder outside.
func files(text, outside string) map[string]string {
	outside = filepath.ToSlash(outside)
	header := `{"type":"session","version":3,"id":"` + openclawID + `","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/"}`
	message := func(id, parent, text string) string {
		return `{"type":"message","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-05-01T10:00:01.000Z",` +
			`"message":{"role":"user","content":"` + text + `"}}`
	}
	row := func(id, parent, agent, content string) string {
		return `{"type":"user","uuid":"` + id + `","parentUuid":` + parent + `,"sessionId":"` + claudeID + `",` + agent +
			`"timestamp":"2026-05-01T10:00:00.000Z","cwd":"/","version":"2.1.300","message":{"role":"user","content":` +
			content +
			`}}`
	}
	meta := func(id, more string) string {
		return `{"timestamp":"2026-05-01T10:00:00.000Z","type":"session_meta","payload":{"id":"` + id + `","timestamp":` +
			`"2026-05-01T10:00:00.000Z","cwd":"/","originator":"codex","cli_version":"0.169.0"` + more + `}}` + "\n" +
			`{"timestamp":"2026-05-01T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user",` +
			`"content":[{"type":"input_text","text":"` + text + `"}]}}` + "\n"
	}
	stored := func(path string) string {
		return `[{"type":"tool_result","tool_use_id":"t1","content":"<persisted-output>\nToo large. Full output saved to: ` +
			path + `\n\nPreview:\nx"}]`
	}
	return map[string]string{
		sessions + openclawID + ".jsonl": header + "\n" + message("m1", "null",
			text+" media/inbound/a.png") + "\n",
		sessions + openclawID + ".jsonl.lock":                  `{"pid":1,"text":"` + text + `"}`,
		sessions + openclawID + ".jsonl.codex-app-server.json": `{"threadId":"` + parentID + `","text":"` + text + `"}`,
		sessions + "sessions.json": `{"agent:main:main":{"sessionId":"` + openclawID + `","label":"` + text +
			`","sessionFile":"` + outside + `/` + sessions + openclawID + `.jsonl","cliSessionBindings":{"codex-cli":` +
			`{"sessionId":"` + parentID + `"}}},"agent:main:up":{"sessionId":"x","sessionFile":"../../../../../outside/` +
			sessions + openclawID + `.jsonl"}}`,
		"home/openclaw.json": `{"agents":{"defaults":{"workspace":"` + outside + `/home/workspace","agentDir":"` + outside +
			`/home/agents/main/agent"}},"session":{"store":"` + outside + `/home/agents/main/sessions/sessions.json"},` +
			`"$include":"` + outside + `/home/openclaw.json","text":"` + text + `"}`,
		"home/workspace/MEMORY.md":                     text + "\n",
		"home/workspace/memory/2026-05-01.md":          text + "\n",
		"home/media/inbound/a.png":                     text,
		"home/cron/jobs.json":                          `{"jobs":[{"id":"j","name":"` + text + `"}]}`,
		"home/agents/main/agent/openclaw-agent.sqlite": "SQLite format 3\x00" + text,
		"home/state/openclaw.sqlite":                   "SQLite format 3\x00" + text,
		codexHome + parentID + ".jsonl":                meta(parentID, ""),

		project + claudeID + ".jsonl": row("u1", "null", "", `"`+text+`"`) + "\n" +
			row("u2", `"u1"`, "", stored("/home/ada/r.txt")) + "\n" + row("u3", `"u2"`, "",
			stored(outside+"/"+beside+"tool-results/r.txt")) +
			"\n" + row("u4", `"u3"`, "", stored("../../../../outside/"+beside+"tool-results/r.txt")) + "\n",
		beside + "tool-results/r.txt": text + "\n",
		beside + "subagents/agent-" + agentID + ".jsonl": row("u1", "null",
			`"agentId":"`+agentID+`","isSidechain":true,`, `"`+text+`"`) + "\n",
		beside + "subagents/agent-" + agentID + ".meta.json": `{"description":"` + text + `"}`,

		dates + "05/01/rollout-2026-05-01T10-00-00-" + parentID + ".jsonl": meta(parentID, ""),
		dates + "05/02/rollout-2026-05-02T10-00-00-" + childID + ".jsonl": meta(childID, `,"forked_from_id":"`+parentID+
			`","parent_thread_id":"`+parentID+`","history_base":{"thread_id":"`+parentID+`","end_byte_offset":200}`),
		"codex/session_index.jsonl": `{"id":"` + childID + `","thread_name":"` + text + `"}` + "\n",

		"slim/small.jsonl": header + "\n",
		"slim/small.jsonl.slim.json": fmt.Sprintf(`{"version":1,"original":{"bytes":%d,"sha256":"x"},`+
			`"copy":{"bytes":%d,"sha256":"x"},`+
			`"folder":"small.jsonl.slim","cuts":[{"at":0,"length":0,"file":"%s","form":"raw"}]}`, 1<<40, len(header)+1, digest),
		"slim/small.jsonl.slim/" + digest: "abc",
		"slim/up.jsonl":                   header + "\n",
		"slim/up.jsonl.slim.json": fmt.Sprintf(`{"version":1,"original":{"bytes":%d,"sha256":"x"},`+
			`"copy":{"bytes":%d,"sha256":"x"},`+
			`"folder":"../../outside/slim/small.jsonl.slim","cuts":[{"at":0,"length":0,"file":"%s","form":"raw"}]}`,
			1<<40, len(header)+1, digest),
	}
}

// folders are the places of folders that a link may stand for.
var folders = []string{
	"home/agents", "home/agents/main", sessions, "home/agents/main/agent", "home/agents/main/agent/codex-home",
	"home/state",
	"home/cron", "home/media", "home/media/inbound", "home/workspace", "home/workspace/memory",
	"claude/projects", project, beside, beside + "tool-results", beside + "subagents",
	"codex/sessions", dates, dates + "05/01", "slim/small.jsonl.slim",
}

// Layouts returns every layout: each kind in each place of a file, and a link in each place of a folder.
func Layouts() []Layout {
	var list []Layout
	for _, place := range folders {
		list = append(list, Layout{strings.TrimSuffix(place, "/"), Link})
	}
	for _, place := range slices.Sorted(maps.Keys(files("", ""))) {
		for _, kind := range []Kind{Link, Device, Pipe} {
			list = append(list, Layout{place, kind})
		}
	}
	for _, place := range []string{beside + "tool-results/r.txt", "home/media/inbound/a.png", "slim/small.jsonl.slim/" +
		digest} {
		list = append(list, Layout{place, Hole})
	}
	return list
}

// Make makes the layout and what is outside in a folder, and returns the folder that may be read.
func (l Layout) Make(base string) (folder string, err error) {
	folder, outside := filepath.Join(base, "inside"), filepath.Join(base, "outside")
	if err := errors.Join(write(outside, files(Secret, outside)), write(folder, files("ours", outside))); err != nil {
		return "", err
	}
	place := filepath.Join(folder, filepath.FromSlash(l.Place))
	if err := os.RemoveAll(place); err != nil {
		return "", err
	}
	switch l.Kind {
	case Device:
		return folder, os.Symlink("/dev/zero", place)
	case Pipe:
		return folder, makePipe(place)
	case Hole:
		return folder, errors.Join(os.WriteFile(place, nil, 0o600), os.Truncate(place, 1<<40))
	}
	return folder, os.Symlink(filepath.Join(outside, filepath.FromSlash(l.Place)), place)
}

func write(folder string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	return nil
}

// Commands returns the command lines that read a folder, each with what it gets on stdin. out is a folder for what they
// write.
func Commands(folder, out string) []Command {
	at := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	call := func(id int, tool, arguments string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":%s}}`+"\n",
			id, tool, arguments)
	}
	calls := call(1, "search", `{"query":"somebody"}`) + call(2, "search", `{"query":"ours"}`) +
		call(3, "show", `{"session":"`+claudeID+`"}`) + call(4, "show", `{"session":"`+openclawID+`"}`) +
		call(5, "show", `{"session":"`+childID+`"}`) + call(6, "sessions", `{}`)
	return []Command{
		{Args: []string{"mcp", folder}, Stdin: calls},
		{Args: []string{"search", "-i", "somebody", folder, "--in", "all"}},
		{Args: []string{"search", "ours", at("home"), "--in", "all"}},
		{Args: []string{"show", "--tools", "full", "--subagents", folder + "#" + claudeID}},
		{Args: []string{"show", "--tools", "full", folder + "#" + openclawID}},
		{Args: []string{"show", "--tools", "full", folder + "#" + childID}},
		{Args: []string{"export", folder, "--as", "bundle", "-o", filepath.Join(out, "a.tar.zst")}},
		{Args: []string{"export", folder, "--as", "html", "-o", filepath.Join(out, "pages")}},
	}
}

// A Command is a command line without the program.
type Command struct {
	Args  []string
	Stdin string
}
