package compact

import (
	"clawctl/pkg/fileuse"
	"clawctl/pkg/jsonl"
)

// A stepUse is a file that a step of the survey read or changed.
type stepUse struct {
	step int
	fileuse.Use
}

// appendUses finds the files of a message in the same way as OpenClaw: the paths in calls of read, write and edit, and
// those that apply_patch reports. The calls that a tool of pi made itself count too.
func appendUses(uses []stepUse, step int, m jsonl.Message) []stepUse {
	if m.Role() == jsonl.RoleToolResult && fileuse.ToolName(m.ToolName()) == "apply_patch" {
		summary := m.Get("details").Get("summary")
		for _, path := range append(summary.Get("added").Strings(), summary.Get("modified").Strings()...) {
			uses = append(uses, stepUse{step, fileuse.Use{Path: path, Modifies: true}})
		}
		return uses
	}
	if m.Role() == jsonl.RoleToolResult {
		for nested := range m.Get("nestedCalls").Get("calls").Elements() {
			call := jsonl.ToolCall{Name: nested.Get("name").String(), Arguments: string(nested.Get("arguments"))}
			if use, ok := fileuse.Of(call); ok {
				uses = append(uses, stepUse{step, use})
			}
		}
	}
	if m.Role() != jsonl.RoleAssistant {
		return uses
	}
	for b := range m.Blocks() {
		call, isCall := b.ToolCall()
		if use, ok := fileuse.Of(call); isCall && ok {
			uses = append(uses, stepUse{step, use})
		}
	}
	return uses
}

// details lists the files of everything before a step, including those that the last compaction listed.
func (s *Survey) details(first int) fileuse.Details {
	files := fileuse.Set{}
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
			files[use.Path] = files[use.Path] || use.Modifies
		}
	}
	return files.Details()
}
