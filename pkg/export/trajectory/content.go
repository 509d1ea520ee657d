package trajectory

import (
	"encoding/json"
	"fmt"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/read/parts"
)

// maxDepth is how deep a value may be nested. Readers in other languages refuse much more.
const maxDepth = 100

// content is what a message or a result says: texts and images in order.
type content struct {
	list      []contentPart
	hasImages bool
}

// addTextTo adds a part as a text. A part without a body adds nothing.
func (b *builder) addTextTo(c *content, p *parts.Part) {
	if p.Body.Exists() && !b.surveys {
		c.list = append(c.list, contentPart{Type: "text", Text: b.text(p.Body)})
	}
}

// addImageTo adds an image, or a text in its place.
func (b *builder) addImageTo(c *content, p *parts.Part) {
	if b.surveys {
		return
	}
	address, mime := "", p.Name.String()
	if b.options.Image != nil && b.err == nil {
		address, b.err = b.options.Image(mime, p.Body)
	}
	if address != "" {
		c.list = append(c.list, contentPart{Type: "image", Source: &imageSource{mime, address}})
		c.hasImages = true
		return
	}
	b.leaveOut("image")
	words := fmt.Sprintf("[image left out: %s, %d bytes]", mime, parts.ImageSize(p.Body))
	c.list = append(c.list, contentPart{Type: "text", Text: quoted(words)})
}

// value returns the content as a string, or as a list if it has images. between separates texts, as the inside of a
// JSON string.
func (c *content) value(between string) json.RawMessage {
	if c.hasImages {
		list, _ := json.Marshal(c.list) // its texts are JSON
		return list
	}
	var texts []json.RawMessage
	for i := range c.list {
		texts = append(texts, c.list[i].Text)
	}
	return join(texts, between)
}

// The separators of texts.
const (
	betweenTexts  = `\n\n`
	betweenOutput = `\n`
)

// join makes one JSON string of several.
func join(texts []json.RawMessage, between string) json.RawMessage {
	if len(texts) == 1 {
		return texts[0]
	}
	joined := []byte{'"'}
	for i, text := range texts {
		if i > 0 {
			joined = append(joined, between...)
		}
		joined = append(joined, text[1:len(text)-1]...)
	}
	return append(joined, '"')
}

func quoted(text string) json.RawMessage { return jsonl.AppendQuote(nil, text) }

// text returns a value as a JSON string: a string itself, and the JSON of anything else.
func (b *builder) text(v jsonl.Value) json.RawMessage {
	if b.surveys {
		return nil
	}
	if !v.IsString() {
		return quoted(string(v.UTF8()))
	}
	return whole(slices.Clone(v.UTF8()))
}

// value returns a value as it is. One that is nested too deeply becomes a string.
func (b *builder) value(v jsonl.Value) json.RawMessage {
	switch {
	case b.surveys:
		return nil
	case jsontext.NestsDeeper(v, maxDepth):
		return quoted(string(v.UTF8()))
	}
	return whole(slices.Clone(v.UTF8()))
}

// whole replaces halves of surrogate pairs, which other languages refuse.
func whole(text []byte) json.RawMessage {
	if !jsontext.HasLoneSurrogate(text) {
		return text
	}
	return json.RawMessage(jsontext.ReplaceLoneSurrogates(string(text)))
}
