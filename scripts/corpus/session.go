package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

// The records of OpenClaw's version 3. They are structs, not maps, because the order of the keys matters: a reader is
// faster if it finds `type` before the message.
type (
	header struct {
		Type      string `json:"type"`
		Version   int    `json:"version"`
		ID        string `json:"id"`
		Timestamp string `json:"timestamp"`
		Cwd       string `json:"cwd"`
	}
	base struct {
		Type      string  `json:"type"`
		ID        string  `json:"id"`
		ParentID  *string `json:"parentId"`
		Timestamp string  `json:"timestamp"`
	}
	messageEntry struct {
		base
		Message message `json:"message"`
	}
	message struct {
		Role       string  `json:"role"`
		ToolCallID string  `json:"toolCallId,omitempty"`
		ToolName   string  `json:"toolName,omitempty"`
		Content    []block `json:"content"`
		API        string  `json:"api,omitempty"`
		Provider   string  `json:"provider,omitempty"`
		Model      string  `json:"model,omitempty"`
		Usage      *usage  `json:"usage,omitempty"`
		StopReason string  `json:"stopReason,omitempty"`
		IsError    *bool   `json:"isError,omitempty"`
		Timestamp  int64   `json:"timestamp"`
	}
	block struct {
		Type      string            `json:"type"`
		Text      string            `json:"text,omitempty"`
		Thinking  string            `json:"thinking,omitempty"`
		Signature string            `json:"thinkingSignature,omitempty"`
		Data      string            `json:"data,omitempty"`
		MimeType  string            `json:"mimeType,omitempty"`
		ID        string            `json:"id,omitempty"`
		Name      string            `json:"name,omitempty"`
		Arguments map[string]string `json:"arguments,omitempty"`
	}
	usage struct {
		Input      int                `json:"input"`
		Output     int                `json:"output"`
		CacheRead  int                `json:"cacheRead"`
		CacheWrite int                `json:"cacheWrite"`
		Total      int                `json:"totalTokens"`
		Cost       map[string]float64 `json:"cost"`
	}
	modelChange struct {
		base
		Provider string `json:"provider"`
		ModelID  string `json:"modelId"`
	}
	compaction struct {
		base
		Summary      string `json:"summary"`
		FirstKept    string `json:"firstKeptEntryId"`
		TokensBefore int    `json:"tokensBefore"`
	}
	// custom has its own fields before the id, as OpenClaw writes them.
	custom struct {
		Type       string           `json:"type"`
		CustomType string           `json:"customType"`
		Data       map[string]int64 `json:"data"`
		ID         string           `json:"id"`
		ParentID   *string          `json:"parentId"`
		Timestamp  string           `json:"timestamp"`
	}
)

var (
	epoch  = time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC) // when sessions begin
	models = []string{"claude-opus-4-5", "claude-sonnet-4-5", "gpt-5.2"}
)

const stamp = "2006-01-02T15:04:05.000Z"

// A session is one transcript as it grows.
type session struct {
	*dice
	id     string
	text   *library
	out    *json.Encoder
	size   int64
	err    error // of the first write that failed: nothing is written after it
	now    time.Time
	salt   uint32
	ids    []string
	parent *string
	model  string
	cached int // tokens in the context
}

func newSession(d *dice, id string, text *library) *session {
	return &session{dice: d, id: id, text: text, now: epoch, salt: d.Uint32(), model: pick(d, models), cached: 12000}
}

// A counter counts the bytes that are written through it.
type counter struct {
	to io.Writer
	n  *int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	*c.n += int64(n)
	return n, err
}

func (s *session) line(v any) {
	if s.err == nil {
		s.err = s.out.Encode(v)
	}
}

// next returns the fields that every entry has, and makes that entry the parent of the next one. The ids look random,
// and they are unique because the factor is odd.
func (s *session) next(kind string) base {
	s.now = s.now.Add(time.Duration(200+s.IntN(30000)) * time.Millisecond)
	id := fmt.Sprintf("%08x", uint32(len(s.ids))*2654435761+s.salt)
	b := base{kind, id, s.parent, s.now.Format(stamp)}
	s.ids, s.parent = append(s.ids, id), &id
	return b
}

// fill writes the beginning and complete turns until the transcript has size bytes.
func (s *session) fill(w io.Writer, size int64) error {
	s.out = json.NewEncoder(&counter{w, &s.size})
	s.out.SetEscapeHTML(false) // JavaScript does not escape < and > either
	s.begin()
	for s.size < size && s.err == nil {
		s.turn(size)
		s.incident()
	}
	return s.err
}

func (s *session) begin() {
	s.line(header{"session", 3, s.id, s.now.Format(stamp), "/home/dev/.openclaw/workspace"})
	s.changeModel()
	s.snapshot()
}

func (s *session) path(nth int) string {
	return filepath.Join("agents", fmt.Sprintf("agent%d", nth%5), "sessions", s.id+".jsonl")
}

// turn writes a question, some steps with a tool each, and an answer.
func (s *session) turn(size int64) {
	s.prompt(s.withImage(block{Type: "text", Text: prose(s.dice, s.about(160))}, 350))
	for range s.IntN(8) {
		if s.size >= size {
			return
		}
		call, result := s.tool()
		s.answer("toolUse", s.thought(), call)
		failed := s.oneIn(25)
		s.result(call, s.withImage(result, 800), failed)
	}
	s.answer("stop", s.thought(), block{Type: "text", Text: prose(s.dice, s.about(400))})
}

func (s *session) prompt(content []block) { s.say(message{Role: "user", Content: content}) }

func (s *session) result(call block, content []block, failed bool) {
	s.say(message{
		Role: "toolResult", ToolCallID: call.ID, ToolName: call.Name, Content: content, IsError: &failed,
	})
}

func (s *session) say(m message) {
	b := s.next("message")
	m.Timestamp = s.now.UnixMilli()
	s.line(messageEntry{b, m})
}

// tokens returns the usage of an answer.
func (s *session) tokens() *usage {
	u := &usage{Input: 3 + s.IntN(900), Output: 50 + s.IntN(2500), CacheRead: s.cached, CacheWrite: s.IntN(5000)}
	u.Total = u.Input + u.Output + u.CacheRead + u.CacheWrite
	s.cached += u.CacheWrite
	return u
}

func (s *session) answer(stop string, content ...block) {
	u := s.tokens()
	u.Cost = map[string]float64{
		"input": float64(u.Input) * 5e-6, "output": float64(u.Output) * 25e-6,
		"cacheRead": float64(u.CacheRead) * 5e-7, "cacheWrite": float64(u.CacheWrite) * 625e-8,
		"total": float64(u.Total) * 1e-6,
	}
	s.say(message{
		Role: "assistant", Content: content, API: "anthropic-messages", Provider: "anthropic",
		Model: s.model, Usage: u, StopReason: stop,
	})
}

// thought returns what the model writes before it acts: signed thinking half of the time, and plain text otherwise.
func (s *session) thought() block {
	text := prose(s.dice, s.about(350))
	if s.oneIn(2) {
		return block{Type: "text", Text: text}
	}
	return block{Type: "thinking", Thinking: text, Signature: base64.StdEncoding.EncodeToString(s.raw(200 + s.IntN(900)))}
}

// tool returns a call and its result. Most of a transcript's bytes are in results.
func (s *session) tool() (call, result block) {
	code, path := s.text.code(s.dice, s.about(2800))
	call = block{Type: "toolCall", ID: fmt.Sprintf("toolu_01%x", s.raw(11))}
	result = block{Type: "text"}
	switch s.IntN(10) {
	case 0, 1, 2, 3:
		call.Name, call.Arguments = "read", map[string]string{"path": path}
		result.Text = code
	case 4, 5, 6, 7:
		command := `cd /srv/app && go test ./... 2>&1 | grep -v "no test files" | tail -40`
		call.Name, call.Arguments = "exec", map[string]string{"command": command}
		result.Text = s.text.log(s.dice, s.about(2200))
	case 8:
		call.Name, call.Arguments = "write", map[string]string{"path": path, "content": code}
		result.Text = fmt.Sprintf("Successfully wrote %d bytes to %s", len(code), path)
	case 9:
		call.Name, call.Arguments = "web_fetch", map[string]string{"url": "https://docs.example.com/" + s.uuid()}
		result.Text = prose(s.dice, s.about(4000))
	}
	return call, result
}

// withImage adds an image of about 0.8 MB once in n times. Such long lines break readers with fixed buffers.
func (s *session) withImage(b block, n int) []block {
	if !s.oneIn(n) {
		return []block{b}
	}
	data := base64.StdEncoding.EncodeToString(s.raw(500_000 + s.IntN(200_000)))
	return []block{b, {Type: "image", Data: data, MimeType: "image/png"}}
}

// incident writes what sometimes happens between turns: a compaction, another model, a custom record, or a new branch.
func (s *session) incident() {
	if s.cached > 160_000 {
		kept := s.ids[max(0, len(s.ids)-12)]
		s.line(compaction{s.next("compaction"), prose(s.dice, 3000+s.IntN(6000)), kept, s.cached})
		s.cached = 20_000
	}
	switch s.IntN(60) {
	case 0:
		s.changeModel()
	case 1, 2:
		s.snapshot()
	case 3:
		s.parent = &s.ids[max(0, len(s.ids)-1-s.IntN(8))]
	}
}

func (s *session) changeModel() {
	s.model = pick(s.dice, models)
	s.line(modelChange{s.next("model_change"), "anthropic", s.model})
}

func (s *session) snapshot() {
	b := s.next("custom")
	data := map[string]int64{"timestamp": s.now.UnixMilli()}
	s.line(custom{b.Type, "openclaw.cache-ttl", data, b.ID, b.ParentID, b.Timestamp})
}
