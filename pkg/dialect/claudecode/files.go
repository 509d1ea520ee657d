package claudecode

import (
	"strings"

	"clawctl/pkg/dialect/shape"
	"clawctl/pkg/jsontext"
)

// The folders beside a session, in one with its name: subagents with their own sessions, and long results of tools.
const (
	subagents   = "/subagents"
	toolResults = "/tool-results"
)

// OwnsFolder reports whether a folder is that of a project, or of what belongs to one of its sessions.
func OwnsFolder(folder string) bool {
	_, project, ok := strings.Cut(folder, "/projects/")
	return ok && strings.HasPrefix(project, "-")
}

// SpawnedBy returns the session that the subagents in a folder work for, or "". Those of a workflow are in a folder of
// their own.
func SpawnedBy(folder string) string {
	at := strings.LastIndex(folder+"/", subagents+"/")
	if at < 0 {
		return ""
	}
	return folder[strings.LastIndexByte(folder[:at], '/')+1 : at]
}

// CopyID returns the id of a row. Versions up to 2.0 copied the rows of a session that was resumed under new times.
func CopyID(row jsontext.Value) jsontext.Value { return row.Get("uuid") }

// Spawner returns the id of the session that a row of a subagent's file names as its own, or "".
func Spawner(row jsontext.Value) string {
	if row.Get("agentId").String() == "" {
		return ""
	}
	return row.Get("sessionId").String()
}

// Keeps reports whether a file belongs to a session: what is known of a subagent, or a long result.
func Keeps(folder, base string) bool {
	return SpawnedBy(folder) != "" && strings.HasSuffix(base, metaSuffix) ||
		OwnsFolder(folder) && strings.HasSuffix(folder, toolResults)
}

// metaSuffix ends the names of files with what is known of subagents.
const metaSuffix = ".meta.json"

// Describes returns the id of a subagent and what its session did, from a file with what is known of it.
func Describes(base string, meta jsontext.Value) (id, name string) {
	stem, ok := strings.CutSuffix(base, metaSuffix)
	if !ok {
		return "", ""
	}
	id, _ = FileID(stem)
	return id, meta.Get("description").String()
}

// Beside returns the folders of a session's subagents and long results. Subagents share the latter with their session.
func Beside(folder, stem string) (agents, results string) {
	own := folder + "/" + stem
	if SpawnedBy(folder) != "" {
		own = folder[:strings.LastIndex(folder+"/", subagents+"/")]
		return "", own + toolResults
	}
	return own + subagents, own + toolResults
}

// The words around the path in a result that was too long for the row.
const (
	storedTag  = "<persisted-output>"
	storedPath = "saved to: "
)

// StoredIn returns the name of the file with a result, if a text is only the beginning of one, or "". The path in the
// text is that of the computer on which the session ran.
func StoredIn(text string) string {
	if !strings.HasPrefix(text, storedTag) {
		return ""
	}
	_, rest, _ := strings.Cut(text, storedPath)
	path, _, _ := strings.Cut(rest, "\n")
	return path[strings.LastIndexAny(path, `/\`)+1:]
}

// FileID returns the id of the subagent that a file is named after, or "".
func FileID(stem string) (id, state string) {
	id, ok := strings.CutPrefix(stem, "agent-")
	if !ok || len(id) < 8 || strings.Trim(id, "0123456789abcdef") != "" {
		return "", ""
	}
	return id, ""
}

// NameMarks are parts of the types of rows that name a session.
var NameMarks = []string{`-title"`, `"summary"`}

// Others are the other files of Claude Code with a line for each entry.
var Others = []shape.Other{{What: "the history of prompts", Keys: []string{"display", "project"}}}

// ForkedFrom returns the id of the session that a row was copied from, or "". more is false if no later row says that
// either: copies come first, and the answers among them name their session.
func ForkedFrom(row jsontext.Value) (id string, more bool) {
	isAnswer := row.Get("type").Is(assistant)
	own := row.Get("sessionId").String()
	for _, v := range []jsontext.Value{row.Get("forkedFrom").Get("sessionId"), row.Get("requestSessionId")} {
		if id := v.String(); id != "" && id != own {
			return id, true
		}
	}
	return "", !isAnswer
}

// Origin returns the working directory and the branch of git of a row, if it has them. The name of the project's folder
// does not tell: it has one sign for several of the directory's.
func Origin(row jsontext.Value) (folder, branch jsontext.Value) {
	return row.Get("cwd"), row.Get("gitBranch")
}
