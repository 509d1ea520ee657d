package guard

import (
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// trim shortens the tool results of a request that take more than limit tokens, and returns their number.
func (r *request) trim(c tokens.Counter, limit int) int {
	var cut int
	for i, m := range r.messages {
		trimmed, n := m.trim(c, limit)
		if n > 0 {
			r.messages[i] = trimmed
			cut += n
		}
	}
	return cut
}

func (m message) trim(c tokens.Counter, limit int) (trimmed message, cut int) {
	content := m.Get("content")
	if m.role() == "tool" || m.role() == "function" {
		if short, ok := trimContent(content, c, limit); ok {
			return message{m.With("content", []byte(short))}, 1
		}
		return m, 0
	}
	if !content.IsArray() {
		return m, 0
	}
	var blocks []string
	for b := range jsonl.BlocksOf(content) {
		text := string(b.Value)
		if b.Kind == jsonl.BlockToolResult {
			if short, ok := trimContent(b.Content(), c, limit); ok {
				text = string(b.Value.With("content", []byte(short)))
				cut++
			}
		}
		blocks = append(blocks, text)
	}
	if cut == 0 {
		return m, 0
	}
	return message{m.With("content", []byte("["+strings.Join(blocks, ",")+"]"))}, cut
}

// trimContent shortens the texts of one result. ok is false if nothing was cut.
func trimContent(content jsonl.Value, c tokens.Counter, limit int) (short string, ok bool) {
	if content.IsString() {
		texts, cut := tokens.Truncate([]string{content.String()}, c, limit)
		return jsonl.Quote(texts[0]), cut
	}
	var texts []string
	for b := range jsonl.BlocksOf(content) {
		if b.Kind == jsonl.BlockText {
			texts = append(texts, b.Text().String())
		}
	}
	texts, cut := tokens.Truncate(texts, c, limit)
	if !cut {
		return "", false
	}
	var blocks []string
	for b := range jsonl.BlocksOf(content) {
		if b.Kind != jsonl.BlockText {
			blocks = append(blocks, string(b.Value))
			continue
		}
		if text := texts[0]; text == b.Text().String() {
			blocks = append(blocks, string(b.Value))
		} else if text != "" {
			blocks = append(blocks, string(b.Value.WithText("text", text)))
		}
		texts = texts[1:]
	}
	return "[" + strings.Join(blocks, ",") + "]", true
}
