package compact

import (
	"encoding/json"
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

// A fileUse is a file that a tool call read or changed.
type fileUse struct {
	path     string
	modifies bool
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

// writers are the tools that write and edit files, in OpenClaw, pi, claw0 and their models' own terms.
var writers = map[string]bool{
	"write": true, "edit": true, "write_file": true, "edit_file": true, "multiedit": true, "multi_edit": true, "apply_patch": true,
}

// pathsOf returns the files that the arguments of a call name.
func pathsOf(arguments string) (paths []string) {
	var spelled string
	if json.Unmarshal([]byte(arguments), &spelled) == nil {
		arguments = spelled // some providers write them as a string
	}
	var fields map[string]any
	if json.Unmarshal([]byte(arguments), &fields) != nil {
		return nil
	}
	for _, key := range []string{"path", "file_path", "filePath", "file", "filename"} {
		if path, ok := fields[key].(string); ok {
			paths = append(paths, path)
		}
	}
	for _, key := range []string{"input", "patch"} {
		patch, _ := fields[key].(string)
		for line := range strings.Lines(patch) {
			if _, path, ok := strings.Cut(line, " File: "); ok && strings.HasPrefix(line, "*** ") {
				paths = append(paths, strings.TrimSpace(path))
			}
		}
	}
	return paths
}
