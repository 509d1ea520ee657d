package codex

import (
	"bytes"
	"strings"

	"clawctl/internal/regex"
	"clawctl/pkg/dialect/shape"
	"clawctl/pkg/jsontext"
)

const uuidLength = 36

// FileID returns the id of the thread in the name of a rollout, without its suffix. A thread that was reverted goes on
// in another file, whose name also has the id of the rollout. FileID returns "" if the name is another program's.
func FileID(stem string) (thread, rollout string) {
	rest, ok := strings.CutPrefix(stem, "rollout-")
	if !ok || len(rest) < uuidLength {
		return "", ""
	}
	last, before := rest[len(rest)-uuidLength:], rest[:len(rest)-uuidLength]
	if before, ok := strings.CutSuffix(before, "_"); ok && len(before) >= uuidLength {
		return before[len(before)-uuidLength:], last
	}
	return last, ""
}

// CopyID returns what names a line in all copies of it: the id of a response, or a compaction as a whole.
func CopyID(line jsontext.Value) jsontext.Value {
	payload := line.Get("payload")
	switch line.Get("type").String() {
	case usage:
		return payload.Get("response_id")
	case compact:
		return payload
	}
	return nil
}

// Restated returns what a line says, without its time. Forks began with the lines of the thread that they were made
// from, before they named it as their history_base. A thread and a turn are known by their ids. isTurn reports whether
// it is that of a turn.
func Restated(line jsontext.Value) (said jsontext.Value, isTurn bool) {
	payload := line.Get("payload")
	switch line.Get("type").String() {
	case meta:
		return payload.Get("id"), false
	case turn:
		if id := payload.Get("turn_id"); id.IsString() {
			return id, true
		}
	}
	return payload, false
}

// Started reports whether a result says that a subagent was started: by the id of its thread, or by its task.
func Started(result, thread, task string) bool {
	return strings.Contains(result, `"agent_id":`+jsontext.Quote(thread)) ||
		task != "" && strings.Contains(result, `"task_name":`+jsontext.Quote(task))
}

// OwnsFolder reports whether a folder holds the rollouts of a day, or those that were archived.
func OwnsFolder(folder string) bool { return IsArchive(folder) || dayFolder().MatchString(folder) }

var dayFolder = regex.Lazy(`/sessions/\d{4}/\d{2}/\d{2}$`)

// IsArchive reports whether a folder is the one to which Codex moves threads that were archived.
func IsArchive(folder string) bool { return strings.HasSuffix(folder, "/archived_sessions") }

// NamesFile is the file in which Codex keeps the names of threads.
const NamesFile = "session_index.jsonl"

// ReadName returns the thread of a line of NamesFile, and its name.
func ReadName(line jsontext.Value) (id, name string) {
	return line.Get("id").String(), line.Get("thread_name").String()
}

// Others are the other files of Codex with a line for each entry.
var Others = []shape.Other{
	{What: "the list of names", Keys: []string{"id", "thread_name"}},
	{What: "the history of prompts", Keys: []string{"session_id", "ts", "text"}},
}

// Spawned returns the threads that a row says were started as subagents: an event about them, or the result of a call.
func Spawned(row jsontext.Value) []string {
	var threads []string
	if !bytes.Contains(row, []byte("thread_id")) && !bytes.Contains(row, []byte("agent_id")) {
		return nil
	}
	payload := row.Get("payload")
	item := payload.Get("item")
	for _, v := range []jsontext.Value{
		item.Get("agent_thread_id"), payload.Get("agent_thread_id"), payload.Get("new_thread_id"),
	} {
		threads = appendID(threads, v)
	}
	for id := range item.Get("receiver_thread_ids").Elements() {
		threads = appendID(threads, id)
	}
	if payload.Get("type").Is("function_call_output") {
		if output := jsontext.Value(payload.Get("output").String()); jsontext.Check(output) == nil {
			threads = appendID(threads, output.Get("agent_id"))
		}
	}
	return threads
}

func appendID(ids []string, v jsontext.Value) []string {
	if id := v.String(); len(id) == uuidLength {
		return append(ids, id)
	}
	return ids
}

// Origin returns the working directory and the branch of git of a thread, which its first line has.
func Origin(line jsontext.Value) (folder, branch jsontext.Value) {
	payload := line.Get("payload")
	return payload.Get("cwd"), payload.Get("git").Get("branch")
}

var rolloutFile = regex.Lazy(`^(.+)/sessions/\d{4}/\d{2}/\d{2}/rollout-[^/]+\.jsonl(?:\.zst)?$`)

// HomeOf returns the folder with all of Codex's files, if the file of a thread is where Codex looks for it. Archived
// threads are not. The file is written with slashes.
func HomeOf(file string) (home string, ok bool) {
	m := rolloutFile().FindStringSubmatch(file)
	if m == nil {
		return "", false
	}
	return m[1], true
}
