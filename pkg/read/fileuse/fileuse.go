// Package fileuse finds the files that tool calls read and change, with the tool names of OpenClaw, pi, claw0 and their
// models.
package fileuse

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
)

// Details are the files that the summarized part of a conversation read and changed. A changed file is not listed among
// the read ones.
type Details struct {
	ReadFiles     []string `json:"readFiles"`
	ModifiedFiles []string `json:"modifiedFiles"`
}

// A Use is a file that a tool call read or changed.
type Use struct {
	Path     string
	Modifies bool
}

// Of returns the file that a call reads or changes.
func Of(call jsonl.ToolCall) (use Use, ok bool) {
	tool, path := ToolName(call.Name), pathOf(jsonl.Value(call.Arguments))
	return Use{Path: path, Modifies: tool != "read"}, path != "" && fileTools[tool]
}

// OfMessage yields the files of a message in the same way as OpenClaw: the paths in calls of read, write and edit, and
// those that apply_patch reports. The calls that a tool of pi made itself count too.
func OfMessage(m jsonl.Message) iter.Seq[Use] {
	return func(yield func(Use) bool) {
		switch m.Role() {
		case jsonl.RoleToolResult:
			_ = patched(m, yield) && nested(m, yield)
		case jsonl.RoleAssistant:
			for b := range m.Blocks() {
				call, isCall := b.ToolCall()
				if use, ok := Of(call); isCall && ok && !yield(use) {
					return
				}
			}
		}
	}
}

// patched yields the files that apply_patch reports. It reports whether there may be others.
func patched(m jsonl.Message, yield func(Use) bool) bool {
	if ToolName(m.ToolName()) != "apply_patch" {
		return true
	}
	summary := m.Get("details").Get("summary")
	for _, path := range append(summary.Get("added").Strings(), summary.Get("modified").Strings()...) {
		if !yield(Use{Path: path, Modifies: true}) {
			break
		}
	}
	return false
}

// nested yields the files of the calls that a tool of pi made itself.
func nested(m jsonl.Message, yield func(Use) bool) bool {
	for inner := range m.Get("nestedCalls").Get("calls").Elements() {
		call := jsonl.ToolCall{Name: inner.Get("name").String(), Arguments: string(inner.Get("arguments"))}
		if use, ok := Of(call); ok && !yield(use) {
			return false
		}
	}
	return true
}

var fileTools = map[string]bool{"read": true, "write": true, "edit": true}

// ToolName returns the plain name of a tool, without that of its server.
func ToolName(name string) string {
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

// pathOf returns the path among the arguments of a call, under any of its names.
func pathOf(arguments jsonl.Value) string {
	for _, name := range []string{"path", "file_path", "filePath"} {
		if v := arguments.Get(name); v.IsString() {
			return v.String()
		}
	}
	return ""
}

// A Set maps every used file to whether it was changed.
type Set map[string]bool

// Details lists the files. Its lists are never nil, and become lists in JSON.
func (s Set) Details() Details {
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

// Writes reports whether a tool writes or edits files. The name of its server may precede its own.
func Writes(tool string) bool { return writers[ToolName(tool)] }

// writers are the tools that write and edit files, under the names of OpenClaw, pi, claw0 and their models.
var writers = map[string]bool{
	"write": true, "edit": true, "write_file": true, "edit_file": true, "multiedit": true, "multi_edit": true,
	"apply_patch": true,
}

// readers are the tools that read one file, under the names of the same programs.
var readers = map[string]bool{"read": true, "read_file": true, "view": true, "view_image": true}

// All returns the files that a call reads or changes, by the names of its tool and arguments in any program. What Of
// returns is less: OpenClaw itself notes that.
func All(call jsonl.ToolCall) []Use {
	var uses []Use
	if !Writes(call.Name) && !readers[ToolName(call.Name)] {
		return nil
	}
	for _, path := range Paths(call.Arguments) {
		uses = append(uses, Use{Path: path, Modifies: Writes(call.Name)})
	}
	return uses
}

// Paths returns the files that the arguments of a call name.
func Paths(arguments string) []string {
	var paths []string
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
