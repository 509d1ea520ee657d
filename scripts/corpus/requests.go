package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// A requestLog writes the rows with which Claude Code logs the hashes of what it sends.
type requestLog struct {
	hashes []string // of the messages so far
	logged int      // how many of them are in the log
	last   string   // the id of the last request
	said   []any    // what the user and the tools have said since
}

// say adds blocks to the next message of the user.
func (l *requestLog) say(blocks ...any) { l.said = append(l.said, blocks...) }

// add adds a message.
func (l *requestLog) add(role string, blocks []any) {
	l.hashes = append(l.hashes, hashOf(role, blocks))
}

// request returns the row of a request with all messages so far.
func (l *requestLog) request(id, session, model string) map[string]any {
	l.add("user", l.said)
	l.said = nil
	row := map[string]any{"type": "api-request", "id": id, "sessionId": session, "keep": l.logged,
		"tail": l.hashes[l.logged:], "params": map[string]string{"model": model}}
	if l.last != "" {
		row["base"] = l.last
	}
	l.last, l.logged = id, len(l.hashes)
	return row
}

// hashOf returns the hash of a message with sorted keys.
func hashOf(role string, blocks []any) string {
	text := encode(map[string]any{"role": role, "content": blocks})
	var message any
	_ = json.Unmarshal(text, &message) // it was just written
	return fmt.Sprintf("%x", sha256.Sum256(encode(message)))
}

// encode returns a value as JavaScript writes it. Go sorts the keys of maps.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // to memory
	return bytes.TrimSpace(b.Bytes())
}
