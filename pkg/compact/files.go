package compact

import (
	"maps"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
)

// Details are the files that the summarised part of a conversation read and changed. A file that was changed is not
// listed among those that were read.
type Details struct {
	ReadFiles     []string `json:"readFiles"`
	ModifiedFiles []string `json:"modifiedFiles"`
}

// A fileUse is a tool call that read or changed a file.
type fileUse struct {
	step     int
	path     string
	modifies bool
}

// appendUses finds the files of a message as OpenClaw finds them: the path of the calls of read, write and edit, and what
// apply_patch reports.
func appendUses(uses []fileUse, step int, m jsonl.Message) []fileUse {
	if m.Role() == jsonl.RoleToolResult && fileTool(m.ToolName()) == "apply_patch" {
		summary := m.Get("details").Get("summary")
		for _, path := range append(summary.Get("added").Strings(), summary.Get("modified").Strings()...) {
			uses = append(uses, fileUse{step, path, true})
		}
		return uses
	}
	if m.Role() != jsonl.RoleAssistant {
		return uses
	}
	for b := range m.Blocks() {
		call, isCall := b.ToolCall()
		if use, ok := fileUseOf(call); isCall && ok {
			use.step = step
			uses = append(uses, use)
		}
	}
	return uses
}

// fileUseOf tells which file a call reads or changes.
func fileUseOf(call jsonl.ToolCall) (use fileUse, ok bool) {
	tool, path := fileTool(call.Name), pathOf(jsonl.Value(call.Arguments))
	return fileUse{path: path, modifies: tool != "read"}, path != "" && fileTools[tool]
}

var fileTools = map[string]bool{"read": true, "write": true, "edit": true}

// fileTool is the plain name of a tool, without that of its server.
func fileTool(name string) string {
	name = strings.ToLower(name)
	server := 0
	if strings.HasPrefix(name, "mcp__") {
		server = len("mcp__")
	}
	if at := strings.Index(name[server:], "__"); at >= 0 {
		return name[server+at+2:]
	}
	return name
}

// pathOf is the path among the arguments of a call, under one of its names.
func pathOf(arguments jsonl.Value) string {
	for _, name := range []string{"path", "file_path", "filePath"} {
		if v := arguments.Get(name); v.IsString() {
			return v.String()
		}
	}
	return ""
}

// A fileSet has the files that were used, and of each whether it was changed.
type fileSet map[string]bool

// details lists them; its lists are never nil, so that they become lists in JSON.
func (s fileSet) details() Details {
	d := Details{[]string{}, []string{}}
	for _, path := range slices.Sorted(maps.Keys(s)) {
		if s[path] {
			d.ModifiedFiles = append(d.ModifiedFiles, path)
		} else {
			d.ReadFiles = append(d.ReadFiles, path)
		}
	}
	return d
}

// details lists the files of everything before a step, those that the last compaction listed included.
func (s *Survey) details(first int) Details {
	files := fileSet{}
	if s.Previous != nil && !s.Previous.FromHook {
		before := jsonl.Value(s.Previous.Details)
		for _, path := range before.Get("readFiles").Strings() {
			files[path] = false
		}
		for _, path := range before.Get("modifiedFiles").Strings() {
			files[path] = true
		}
	}
	for _, use := range s.uses {
		if use.step < first {
			files[use.path] = files[use.path] || use.modifies
		}
	}
	return files.details()
}
