package handoff

import (
	"encoding/json"

	"clawctl/pkg/fileuse"
	"clawctl/pkg/jsonl"
)

// taskTools are the tools that replace the whole list of tasks: the argument with the list, and the member of a task
// that describes it.
var taskTools = map[string]struct{ list, text string }{
	"todowrite": {"todos", "content"}, "todo_write": {"todos", "content"}, "update_plan": {"plan", "step"},
}

// openTasks returns the tasks of a list that are not completed. ok is false if the call does not write a list.
func openTasks(call jsonl.ToolCall) (tasks []string, ok bool) {
	tool, ok := taskTools[fileuse.ToolName(call.Name)]
	if !ok {
		return nil, false
	}
	arguments := jsonl.Value(call.Arguments)
	if text := arguments.String(); arguments.IsString() && json.Valid([]byte(text)) {
		arguments = jsonl.Value(text) // some providers write them as a string
	}
	list := arguments.Get(tool.list)
	if !list.IsArray() {
		return nil, false
	}
	for task := range list.Elements() {
		switch task.Get("status").String() {
		case "completed", "cancelled":
			continue
		}
		if text := task.Get(tool.text).String(); text != "" {
			tasks = append(tasks, text)
		}
	}
	return tasks, true
}
