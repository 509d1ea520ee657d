package main

import (
	"fmt"
	"path/filepath"
)

// claudeCode writes a session in the rows of Claude Code: one for each block of an answer, and the result of a tool
// twice, for the model and for the screen.
type claudeCode struct {
	session *session
	last    string     // the uuid of the last row
	calls   int        // answers so far
	log     requestLog // of what the model is asked
}

// A row has the members that most of Claude Code's rows have.
type row struct {
	Parent      *string        `json:"parentUuid"`
	Logical     string         `json:"logicalParentUuid,omitempty"`
	IsSidechain bool           `json:"isSidechain"`
	Type        string         `json:"type,omitempty"`
	Subtype     string         `json:"subtype,omitempty"`
	Content     string         `json:"content,omitempty"`
	Message     any            `json:"message,omitempty"`
	IsSummary   bool           `json:"isCompactSummary,omitempty"`
	Metadata    map[string]any `json:"compactMetadata,omitempty"`
	UUID        string         `json:"uuid"`
	Timestamp   string         `json:"timestamp"`
	Result      any            `json:"toolUseResult,omitempty"`
	UserType    string         `json:"userType"`
	Cwd         string         `json:"cwd"`
	Session     string         `json:"sessionId"`
	Version     string         `json:"version"`
	Branch      string         `json:"gitBranch"`
}

// An apiMessage is a message in the form of the API. Answers have more members than others.
type apiMessage struct {
	ID      string         `json:"id,omitempty"`
	Type    string         `json:"type,omitempty"`
	Role    string         `json:"role"`
	Model   string         `json:"model,omitempty"`
	Content any            `json:"content"`
	Stop    string         `json:"stop_reason,omitempty"`
	Usage   map[string]any `json:"usage,omitempty"`
}

func (c *claudeCode) begin() {
	c.session.line(map[string]string{"type": "mode", "mode": "normal", "sessionId": c.session.id})
}

func (c *claudeCode) path(nth int) string {
	return filepath.Join("projects", fmt.Sprintf("-home-dev-project%d", nth%5), c.session.id+".jsonl")
}

// add writes a row after the last one.
func (c *claudeCode) add(r row) {
	b := c.session.next("")
	if c.last != "" && r.Logical == "" {
		parent := c.last
		r.Parent = &parent
	}
	c.last = c.session.uuid()
	r.UUID, r.Timestamp, r.UserType, r.Cwd = c.last, b.Timestamp, "external", "/home/dev/project"
	r.Session, r.Version, r.Branch = c.session.id, "2.1.325", "main"
	c.session.line(r)
}

func (c *claudeCode) prompt(content []block) {
	var said any = content[0].Text
	if len(content) > 1 {
		said = apiBlocks(content)
	}
	c.add(row{Type: "user", Message: apiMessage{Role: "user", Content: said}})
	c.log.say(apiBlocks(content)...)
}

func (c *claudeCode) answer(stop string, content ...block) {
	c.calls++
	c.session.line(c.log.request(c.session.uuid(), c.session.id, c.session.model))
	c.log.add("assistant", apiBlocks(content))
	u := c.session.tokens()
	m := apiMessage{ID: fmt.Sprintf("msg_01%x", c.session.raw(11)), Type: "message", Role: "assistant",
		Model: c.session.model, Stop: map[string]string{"stop": "end_turn", "toolUse": "tool_use"}[stop]}
	m.Usage = map[string]any{
		"input_tokens": u.Input, "output_tokens": u.Output, "cache_read_input_tokens": u.CacheRead,
		"cache_creation_input_tokens": u.CacheWrite, "service_tier": "standard",
		"cache_creation": map[string]int{"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": u.CacheWrite},
	}
	for _, b := range apiBlocks(content) {
		m.Content = []any{b}
		c.add(row{Message: m, Type: "assistant"})
	}
}

func (c *claudeCode) result(call block, content []block, failed bool) {
	var said any = content[0].Text
	if len(content) > 1 {
		said = apiBlocks(content)
	}
	result := struct {
		ID      string `json:"tool_use_id"`
		Type    string `json:"type"`
		Content any    `json:"content"`
		IsError bool   `json:"is_error"`
	}{call.ID, "tool_result", said, failed}
	c.add(row{
		Type: "user", Message: apiMessage{Role: "user", Content: []any{result}},
		Result: map[string]any{"stdout": content[0].Text, "stderr": "", "interrupted": false},
	})
	c.log.say(result)
}

// incident writes a compaction when the context is full, and the price so far now and then.
func (c *claudeCode) incident() {
	if c.session.cached > 160_000 {
		c.add(row{Logical: c.last, Type: "system", Subtype: "compact_boundary", Content: "Compacted",
			Metadata: map[string]any{"trigger": "auto", "preTokens": c.session.cached}})
		summary := prose(c.session.dice, 3000+c.session.IntN(6000))
		c.add(row{Type: "user", Message: apiMessage{Role: "user", Content: summary}, IsSummary: true})
		c.log = requestLog{}
		c.log.say(apiBlocks([]block{{Type: "text", Text: summary + "\n"}})...) // a prompt follows in the same message
		c.session.cached = 20_000
	}
	if c.session.oneIn(5) {
		c.session.line(map[string]any{"type": "cost-state", "sessionId": c.session.id, "startTime": epoch.UnixMilli(),
			"totalCostUSD": float64(c.calls) / 100})
	}
}

// apiBlocks returns blocks in the form of the API.
func apiBlocks(content []block) []any {
	var list []any
	type source struct {
		Type string `json:"type"`
		Data string `json:"data"`
		Mime string `json:"media_type"`
	}
	for _, b := range content {
		list = append(list, struct {
			ID        string            `json:"id,omitempty"`
			Type      string            `json:"type"`
			Name      string            `json:"name,omitempty"`
			Text      string            `json:"text,omitempty"`
			Thinking  string            `json:"thinking,omitempty"`
			Signature string            `json:"signature,omitempty"`
			Input     map[string]string `json:"input,omitempty"`
			Source    *source           `json:"source,omitempty"`
		}{b.ID, apiType(b.Type), b.Name, b.Text, b.Thinking, b.Signature, b.Arguments, func() *source {
			if b.Data == "" {
				return nil
			}
			return &source{"base64", b.Data, b.MimeType}
		}()})
	}
	return list
}

func apiType(kind string) string {
	if kind == "toolCall" {
		return "tool_use"
	}
	return kind
}
