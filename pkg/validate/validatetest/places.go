package validatetest

import (
	"os"
	"path/filepath"
	"strings"

	"clawctl/internal/failure"
)

// A PlaceFault is one thing that can be wrong with a state folder.
type PlaceFault struct {
	Code  failure.Code // of the finding
	Name  string
	files map[string]string // that are added to a healthy folder or replaced in it
	link  string            // a link in the folder of sessions that leads out of it
}

const (
	sessionID = "11111111-2222-4333-8444-555555555555" // of healthy
	otherID   = "66666666-7777-4888-8999-000000000000"

	sessionsFolder = "agents/main/sessions/"
	indexFile      = sessionsFolder + "sessions.json"
	listed         = `"agent:main:main":{"sessionId":"` + sessionID + `"}`
)

// Plant fills an empty folder with a healthy session, and then with the fault. The zero fault changes nothing.
func (f PlaceFault) Plant(folder string) error {
	files := map[string]string{
		indexFile: "{" + listed + "}", sessionsFolder + sessionID + ".jsonl": string(Healthy(1)),
	}
	for name, text := range f.files {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	if f.link == "" {
		return nil
	}
	return os.Symlink(filepath.Dir(folder), filepath.Join(folder, filepath.FromSlash(sessionsFolder+f.link)))
}

// index returns the files of a folder with another index.
func index(text string) map[string]string { return map[string]string{indexFile: text} }

// config returns the files of a folder with a configuration of OpenClaw.
func config(text string) map[string]string { return map[string]string{"openclaw.json": text} }

// PlaceFaults lists what can be wrong with a folder of files.
var PlaceFaults = []PlaceFault{
	{Code: "CL501", Name: "a session that is not listed", files: index("{}")},
	{Code: "CL502", Name: "a listed session without its file",
		files: index("{" + listed + `,"agent:main:x":{"sessionId":"` + otherID + `"}}`)},
	{Code: "CL503", Name: "a path of another computer",
		files: index(`{"agent:main:main":{"sessionId":"` + sessionID + `","sessionFile":"/srv/` + sessionID + `.jsonl"}}`)},
	{Code: "CL504", Name: "an entry without an id", files: index("{" + listed + `,"agent:main:x":{"updatedAt":1}}`)},
	{Code: "CL505", Name: "a null entry", files: index("{" + listed + `,"agent:main:x":null}`)},
	{Code: "CL506", Name: "an index that is cut off", files: index("{" + listed + `,"agent:main:x":{"sess`)},
	{Code: "CL507", Name: "the header of another session", files: map[string]string{
		sessionsFolder + sessionID + ".jsonl": strings.ReplaceAll(string(Healthy(1)), sessionID, otherID),
	}},
	{Code: "CL508", Name: "a session that moved to a database",
		files: index(`{"agent:main:main":{"sessionId":"` + sessionID + `","sessionFile":"sqlite:agent#1"}}`)},
	{Code: "CL509", Name: "a link out of the folder", link: "elsewhere"},
	{Code: "CL511", Name: "two entries of one file",
		files: index("{" + listed + `,"main":{"sessionId":"` + sessionID + `"}}`)},
	{Code: "CL512", Name: "a damaged database", files: map[string]string{
		"agents/main/agent/openclaw-agent.sqlite": "SQLite format 3\x00garbage",
	}},
	{Code: "CL513", Name: "an old total",
		files: index(`{"agent:main:main":{"sessionId":"` + sessionID + `","totalTokens":1000}}`)},
	{Code: "CL514", Name: "the lock of a process that is gone", files: map[string]string{
		sessionsFolder + sessionID + ".jsonl.lock": `{"pid":99999999,"createdAt":"2026-05-01T10:00:00.000Z"}`,
	}},
	{Code: "CL521", Name: "an agent elsewhere", files: config(`{agents: {entries: {ops: {agentDir: '/srv/ops'}}}}`)},
	{Code: "CL522", Name: "a damaged configuration", files: config("{agents: {")},
	{Code: "CL525", Name: "a fork without the session that it begins in", files: map[string]string{
		sessionsFolder + "rollout-2026-11-01T10-00-00-" + otherID + ".jsonl": `{"timestamp":` +
			`"2026-11-01T10:00:00.000Z","type":"session_meta","payload":{"id":"` + otherID + `","history_base":{"thread_id":` +
			`"01a1e6b8-0000-7000-8000-000000000009","end_byte_offset":10}}}` + "\n",
	}},
	{Code: "CL523", Name: "a configuration in parts", files: config("{$include: 'more.json5'}")},
}
