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
		call, ok := b.ToolCall()
		if !ok {
			continue
		}
		if tool, path := fileTool(call.Name), pathOf(jsonl.Value(call.Arguments)); path != "" && fileTools[tool] {
			uses = append(uses, fileUse{step, path, tool != "read"})
		}
	}
	return uses
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

// details lists the files of everything before a step, those that the last compaction listed included.
func (s *Survey) details(first int) Details {
	read, modified := map[string]bool{}, map[string]bool{}
	if s.Previous != nil && !s.Previous.FromHook {
		before := jsonl.Value(s.Previous.Details)
		for _, path := range before.Get("readFiles").Strings() {
			read[path] = true
		}
		for _, path := range before.Get("modifiedFiles").Strings() {
			modified[path] = true
		}
	}
	for _, use := range s.uses {
		if use.step < first && use.modifies {
			modified[use.path] = true
		} else if use.step < first {
			read[use.path] = true
		}
	}
	maps.DeleteFunc(read, func(path string, _ bool) bool { return modified[path] })
	return Details{sorted(read), sorted(modified)}
}

// sorted is never nil, so that it becomes a list in JSON.
func sorted(set map[string]bool) []string {
	return append([]string{}, slices.Sorted(maps.Keys(set))...)
}
