package rebuild

import (
	"iter"
	"strings"

	"clawctl/pkg/jsonl"
)

// OpenAI writes the messages for the chat completions API, calling emit with one JSON object each: calls under
// tool_calls, and every result as a message of role tool. Thinking is left out. The images of a result follow it in a
// user message.
func (p *Conversation) OpenAI(records iter.Seq2[*jsonl.Record, error], emit func(message []byte) error) error {
	return p.each(records, func(m message, c *contents) error {
		for _, text := range c.openAIMessages(m) {
			if err := emit([]byte(text)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *contents) openAIMessages(m message) []string {
	var messages []string
	if m.assistant {
		return []string{c.openAIAssistant(m)}
	}
	var content []string
	for _, p := range m.pieces {
		switch p.kind {
		case pieceResult:
			text, images := c.openAIResult(p)
			messages = append(messages, text)
			content = append(content, images...)
		case pieceImage:
			content = append(content, imageURL(c.block(p.entry, p.block)))
		default:
			content = append(content, textBlock(c.text(p)))
		}
	}
	if len(content) > 0 {
		messages = append(messages, `{"role":"user","content":`+openAIContent(content)+`}`)
	}
	return messages
}

// openAIContent returns a string if that is enough, and otherwise a list.
func openAIContent(blocks []string) string {
	const before, after = `{"type":"text","text":`, `}`
	if len(blocks) == 1 && strings.HasPrefix(blocks[0], before) {
		return strings.TrimSuffix(strings.TrimPrefix(blocks[0], before), after)
	}
	return list(blocks)
}

func (c *contents) openAIAssistant(m message) string {
	var texts, calls []string
	for _, p := range m.pieces {
		switch p.kind {
		case pieceThinking:
		case pieceCall:
			id, name, input := c.call(p)
			calls = append(calls, `{"id":`+jsonl.Quote(id)+`,"type":"function","function":{"name":`+jsonl.Quote(name)+`,`+
				`"arguments":`+jsonl.Quote(input)+`}}`)
		default:
			texts = append(texts, c.text(p))
		}
	}
	content := "null"
	if len(texts) > 0 {
		content = `"` + strings.Join(texts, `\n\n`) + `"`
	}
	if len(calls) == 0 {
		return `{"role":"assistant","content":` + content + `}`
	}
	return `{"role":"assistant","content":` + content + `,"tool_calls":` + list(calls) + `}`
}

// openAIResult returns a result as a message, and its images for the next message.
func (c *contents) openAIResult(p piece) (message string, images []string) {
	var texts []string
	if p.isOwn() {
		texts = []string{quoteInner(p.alter.text)}
	} else {
		for _, t := range c.sentBlocks(p) {
			if t.image != nil {
				images = append(images, imageURL(t.image))
			} else {
				texts = append(texts, t.text)
			}
		}
	}
	message = `{"role":"tool","tool_call_id":` + jsonl.Quote(c.answeredID(p)) + `,"content":"` +
		strings.Join(texts, `\n`) + `"}`
	return message, images
}

func imageURL(v jsonl.Value) string {
	mime, data := imageOf(v)
	return `{"type":"image_url","image_url":{"url":"data:` + quoteInner(mime) + `;base64,` + inner(data) + `"}}`
}
