package handoff

import (
	"encoding/json"
	"slices"

	"clawctl/internal/regex"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/window/summary"
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
	list := argumentsOf(call).Get(tool.list)
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

// argumentsOf returns the arguments of a call. Some providers write them as a string.
func argumentsOf(call jsonl.ToolCall) jsonl.Value {
	arguments := jsonl.Value(call.Arguments)
	if text := arguments.String(); arguments.IsString() && json.Valid([]byte(text)) {
		return jsonl.Value(text)
	}
	return arguments
}

// A taskList has the tasks that are not completed. Some tools replace the list, and others change one task of it.
type taskList struct {
	tasks []listedTask
}

// A listedTask is a task. Its id is that in the result of the call that made it, "" until then, or if the whole list is
// replaced at once.
type listedTask struct {
	id, call string
	Part
}

func (l *taskList) take(call jsonl.ToolCall, id string, at Origin) {
	if tasks, ok := openTasks(call); ok {
		l.tasks = nil
		for _, task := range tasks {
			l.add(listedTask{}, task, at)
		}
		return
	}
	switch arguments := argumentsOf(call); fileuse.ToolName(call.Name) {
	case "taskcreate":
		l.add(listedTask{call: id}, arguments.Get("subject").String(), at)
	case "taskupdate":
		l.update(arguments, at)
	}
}

func (l *taskList) add(t listedTask, text string, at Origin) {
	if text == "" {
		return
	}
	t.Part = Part{Kind: Task, Origin: at, Text: summary.Excerpt(text, summary.LineLength)}
	l.tasks = append(l.tasks, t)
}

// update changes a task, or removes one that is completed.
func (l *taskList) update(arguments jsonl.Value, at Origin) {
	id := arguments.Get("taskId").String()
	i := slices.IndexFunc(l.tasks, func(t listedTask) bool { return t.id == id && id != "" })
	if i < 0 {
		return
	}
	switch arguments.Get("status").String() {
	case "completed", "deleted":
		l.tasks = slices.Delete(l.tasks, i, i+1)
		return
	}
	l.tasks[i].Origin = at
	if text := arguments.Get("subject").String(); text != "" {
		l.tasks[i].Text = summary.Excerpt(text, summary.LineLength)
	}
}

// created matches the result of a call that makes a task.
var created = regex.Lazy(`^Task #(\S+) created successfully`)

// name gives the task that a call has made its id.
func (l *taskList) name(call, result string) {
	found := created().FindStringSubmatch(result)
	if found == nil || call == "" {
		return
	}
	for i := range l.tasks {
		if l.tasks[i].call == call {
			l.tasks[i].id = found[1]
		}
	}
}

// parts returns the tasks as parts of a prompt.
func (l *taskList) parts() (list []Part) {
	for _, t := range l.tasks {
		list = append(list, t.Part)
	}
	return list
}
