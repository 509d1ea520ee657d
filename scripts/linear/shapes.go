package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A shape is a kind of input. write returns the path of the last session below the folder.
type shape struct {
	name, describe string
	size           int // the smaller one of the two
	write          func(folder string, n int) (last string, err error)
}

var shapes = []shape{
	{"forks", "a chain of forks of Codex", 400, writeForks},
	{"keys", "messages with another key in each", 3000, writeKeys},
	{"sessions", "sessions of OpenClaw", 1500, writeSessions},
	{"relatives", "subagents of subagents of OpenClaw, with a reset and a backup of each", 400, writeRelatives},
}

// object is a JSON object.
type object = map[string]any

// damaged is a line that is no JSON.
const damaged = "{torn"

// write writes a file of JSON texts, and of damaged lines, below a folder.
func write(folder, path string, texts ...any) error {
	var lines strings.Builder
	encoder := json.NewEncoder(&lines)
	for _, text := range texts {
		if text == damaged {
			lines.WriteString(damaged + "\n")
			continue
		}
		if err := encoder.Encode(text); err != nil {
			return err
		}
	}
	path = filepath.Join(folder, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(lines.String()), 0o600)
}

// uuid returns an id that is made from a number.
func uuid(kind byte, n int) string {
	return fmt.Sprintf("01a1e6b8-%04x-7%03x-8000-%012x", n%0xffff, kind, n)
}

// writeForks writes threads of Codex of which each begins in the one before.
func writeForks(folder string, n int) (last string, err error) {
	before := object{}
	for i := range n {
		id, ordinal := uuid('f', i), 0
		item := func(kind string, payload object) object {
			ordinal++
			return object{"timestamp": clock(i, ordinal), "ordinal": 10*i + ordinal, "type": kind, "payload": payload}
		}
		header := object{"id": id, "session_id": id, "timestamp": clock(i, 0), "cwd": "/work", "originator": "codex_exec",
			"cli_version": "0.166.0", "source": "exec", "model_provider": "openai", "history_mode": "paginated",
			"instructions": strings.Repeat("Answer in a few words. ", 100)}
		if i > 0 {
			header["forked_from_id"], header["history_base"] = uuid('f', i-1), before
		}
		message := func(role, kind, text string) object {
			return item("response_item", object{"type": "message", "id": uuid('m', 10*i+ordinal), "role": role,
				"content": []object{{"type": kind, "text": text}}})
		}
		lines := []any{item("session_meta", header), message("user", "input_text", fmt.Sprint("What is the plan, part ", i)),
			message("assistant", "output_text", fmt.Sprint("The plan has a part ", i)),
			item("token_usage_record", object{"response_id": fmt.Sprint("resp_", i), "usage": object{"input_tokens": 100 + i,
				"cached_input_tokens": 0, "output_tokens": 7, "reasoning_output_tokens": 0, "total_tokens": 107 + i}})}
		last = fmt.Sprintf("sessions/2026/11/16/rollout-2026-11-16T10-%02d-%02d-%s.jsonl", i/60%60, i%60, id)
		if err := write(folder, last, lines...); err != nil {
			return "", err
		}
		info, err := os.Stat(filepath.Join(folder, filepath.FromSlash(last)))
		if err != nil {
			return "", err
		}
		before = object{"thread_id": id, "end_ordinal_exclusive": 10*i + ordinal + 1, "end_byte_offset": info.Size()}
	}
	return last, nil
}

// clock returns a time that grows with both numbers.
func clock(minutes, seconds int) string {
	return time.Date(2026, 5, 1, 0, minutes, seconds, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
}

// conversation returns the records of a session of OpenClaw.
func conversation(id string, minute int, texts ...string) []any {
	records := []any{object{"type": "session", "version": 3, "id": id, "timestamp": clock(minute, 0), "cwd": "/work"}}
	var parent any
	for i, text := range texts {
		message := object{"role": "user", "content": text}
		if i%2 == 1 {
			message = object{"role": "assistant", "content": []object{{"type": "text", "text": text}}, "provider": "anthropic",
				"model": "claude-sonnet-4-5", "api": "anthropic-messages", "stopReason": "stop",
				"usage": object{"input": 100, "output": 7, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 107}}
		}
		entry := fmt.Sprintf("%08x", i)
		records = append(records, object{"type": "message", "id": entry, "parentId": parent, "timestamp": clock(minute, i),
			"message": message})
		parent = entry
	}
	return records
}

const sessionsFolder = "agents/main/sessions/"

// writeKeys writes one session.
func writeKeys(folder string, n int) (last string, err error) {
	var texts []string
	for i := range n {
		texts = append(texts, fmt.Sprintf("now api_key=%x is the one", sha256.Sum256(fmt.Append(nil, i))))
	}
	last = sessionsFolder + uuid('k', 0) + ".jsonl"
	index := object{"agent:main:main": object{"sessionId": uuid('k', 0), "updatedAt": 1}}
	return last, errors.Join(write(folder, last, conversation(uuid('k', 0), 0, texts...)...),
		write(folder, sessionsFolder+"sessions.json", index))
}

// writeSessions writes sessions with nothing in common.
func writeSessions(folder string, n int) (last string, err error) {
	index := object{}
	for i := range n {
		id := uuid('s', i)
		texts := []string{fmt.Sprint("What is the plan of day ", i), "The plan is to wait.", "And then?", fmt.Sprint("Day ",
			i+1)}
		last = sessionsFolder + id + ".jsonl"
		if err := write(folder, last, conversation(id, i, texts...)...); err != nil {
			return "", err
		}
		index[fmt.Sprintf("agent:main:day-%d", i)] = object{"sessionId": id, "updatedAt": 1}
	}
	return last, write(folder, sessionsFolder+"sessions.json", index)
}

// writeRelatives writes sessions of which each was started by the one before, and earlier states of each.
func writeRelatives(folder string, n int) (last string, err error) {
	index := object{}
	for i := range n {
		id := uuid('r', i)
		records := conversation(id, i, fmt.Sprint("Please do part ", i), "It is done.", "Thanks.", "Gladly.")
		name := sessionsFolder + id + ".jsonl"
		reset := fmt.Sprintf("%s.reset.2026-06-01T00-%02d-%02d.%03dZ", name, i/60%60, i%60, i/3600)
		whole := append(slices.Clone(records[:4]), damaged, records[4])
		if err := errors.Join(write(folder, name, whole...), write(folder, name+".bak", records[:4]...),
			write(folder, reset, records[:3]...)); err != nil {
			return "", err
		}
		entry := object{"sessionId": id, "updatedAt": 1}
		if i > 0 {
			entry["spawnedBy"], entry["spawnDepth"] = subagentKey(i-1), i
		}
		index[subagentKey(i)], last = entry, name
	}
	return last, write(folder, sessionsFolder+"sessions.json", index)
}

// subagentKey returns the key of a session of writeRelatives.
func subagentKey(i int) string {
	if i == 0 {
		return "agent:main:main"
	}
	return "agent:main:subagent:" + uuid('a', i)
}
