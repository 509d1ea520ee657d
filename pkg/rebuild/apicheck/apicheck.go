// Package apicheck checks requests against the rules of the Anthropic Messages API and OpenAI's chat completions. It
// was written from their documentation and error messages and shares no code with the rebuilder, which makes it an
// independent check of the rebuilder's output.
package apicheck

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif" // register the formats that the API accepts
	_ "image/jpeg"
	_ "image/png"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Anthropic returns the first reason why the Messages API would refuse a messages array, or nil.
func Anthropic(messages []byte) error {
	if err := checkText(messages); err != nil {
		return err
	}
	var list []struct {
		Role    string
		Content json.RawMessage
	}
	dec := json.NewDecoder(bytes.NewReader(messages))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&list); err != nil {
		return err
	}
	if len(list) == 0 {
		return fmt.Errorf("messages: at least one message is required")
	}
	c := &conversation{ids: map[string]bool{}}
	for i, m := range list {
		var blocks []block
		if err := json.Unmarshal(m.Content, &blocks); err != nil {
			return fmt.Errorf("messages.%d: content: %w", i, err)
		}
		if err := c.message(i, m.Role, blocks, i == len(list)-1); err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	if len(c.open) > 0 {
		return fmt.Errorf("tool_use ids were found without tool_result blocks at the end")
	}
	return nil
}

type block struct {
	Type      string
	Text      *string
	Thinking  *string
	Signature string
	Data      string
	ID        string
	Name      string
	Input     json.RawMessage
	ToolUseID string `json:"tool_use_id"`
	Content   json.RawMessage
	IsError   bool `json:"is_error"`
	Source    *struct {
		Type      string
		MediaType string `json:"media_type"`
		Data      string
	}
}

type conversation struct {
	role string          // of the previous message
	open map[string]bool // calls that the next message must answer
	ids  map[string]bool
}

func (c *conversation) message(i int, role string, blocks []block, last bool) error {
	switch {
	case role != "user" && role != "assistant":
		return fmt.Errorf("unexpected role %q", role)
	case i == 0 && role != "user":
		return fmt.Errorf("first message must use the user role")
	case role == c.role:
		return fmt.Errorf("roles must alternate, found two %s messages in a row", role)
	case len(blocks) == 0:
		return fmt.Errorf("content must not be empty")
	}
	c.role = role
	if role == "user" {
		return c.user(blocks)
	}
	if len(c.open) > 0 {
		return fmt.Errorf("an assistant message cannot follow unanswered calls")
	}
	return c.assistant(blocks, last)
}

func (c *conversation) user(blocks []block) error {
	open := c.open
	c.open = nil
	results := true
	for k, b := range blocks {
		if b.Type == "tool_result" && !results {
			return fmt.Errorf("content.%d: tool_result blocks must come first", k)
		}
		results = results && b.Type == "tool_result"
		switch b.Type {
		case "tool_result":
			if !open[b.ToolUseID] {
				return fmt.Errorf("content.%d: unexpected tool_use_id %q: each tool_result must have a tool_use in the previous "+
					"message, once", k, b.ToolUseID)
			}
			delete(open, b.ToolUseID)
			if err := resultContent(b); err != nil {
				return fmt.Errorf("content.%d: %w", k, err)
			}
		case "text", "image":
			if err := plain(b); err != nil {
				return fmt.Errorf("content.%d: %w", k, err)
			}
		default:
			return fmt.Errorf("content.%d: type %q is not allowed in a user message", k, b.Type)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("tool_use ids were found without tool_result blocks immediately after: %d", len(open))
	}
	return nil
}

var (
	idPattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	})
	namePattern = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	})
)

func (c *conversation) assistant(blocks []block, last bool) error {
	c.open = map[string]bool{}
	for k, b := range blocks {
		switch b.Type {
		case "text":
			if err := plain(b); err != nil {
				return fmt.Errorf("content.%d: %w", k, err)
			}
			if last && k == len(blocks)-1 && strings.TrimRightFunc(*b.Text, unicode.IsSpace) != *b.Text {
				return fmt.Errorf("final assistant content cannot end with trailing whitespace")
			}
		case "thinking":
			if _, err := base64.StdEncoding.DecodeString(b.Signature); err != nil || b.Signature == "" || b.Thinking == nil {
				return fmt.Errorf("content.%d: invalid signature in thinking block", k)
			}
		case "redacted_thinking":
			if _, err := base64.StdEncoding.DecodeString(b.Data); err != nil || b.Data == "" {
				return fmt.Errorf("content.%d: invalid data in redacted_thinking block", k)
			}
		case "tool_use":
			if !idPattern().MatchString(b.ID) {
				return fmt.Errorf("content.%d: tool_use.id: string should match %s", k, idPattern())
			}
			if c.ids[b.ID] {
				return fmt.Errorf("content.%d: tool_use ids must be unique", k)
			}
			c.ids[b.ID], c.open[b.ID] = true, true
			if !namePattern().MatchString(b.Name) {
				return fmt.Errorf("content.%d: tool_use.name: string should match %s", k, namePattern())
			}
			if !bytes.HasPrefix(bytes.TrimSpace(b.Input), []byte("{")) {
				return fmt.Errorf("content.%d: tool_use.input: input should be a valid dictionary", k)
			}
		default:
			return fmt.Errorf("content.%d: type %q is not allowed in an assistant message", k, b.Type)
		}
	}
	if t := blocks[len(blocks)-1].Type; t == "thinking" || t == "redacted_thinking" {
		return fmt.Errorf("the final block in an assistant message cannot be thinking")
	}
	return nil
}

// plain checks a text or an image.
func plain(b block) error {
	switch b.Type {
	case "text":
		if b.Text == nil {
			return fmt.Errorf("text: field required")
		}
		if strings.TrimFunc(*b.Text, unicode.IsSpace) == "" {
			return fmt.Errorf("text content blocks must contain non-whitespace text")
		}
		return nil
	case "image":
		if b.Source == nil || b.Source.Type != "base64" {
			return fmt.Errorf("image.source: field required")
		}
		switch b.Source.MediaType {
		case "image/jpeg", "image/png", "image/gif", "image/webp":
		default:
			return fmt.Errorf("image.source.media_type: %q", b.Source.MediaType)
		}
		if len(b.Source.Data) > 5<<20 {
			return fmt.Errorf("image exceeds 5 MB maximum")
		}
		return decodable(b.Source.MediaType, b.Source.Data)
	}
	return fmt.Errorf("type %q is not allowed here", b.Type)
}

// decodable checks that data is an image of its type. Of a WebP it checks only that it is one.
func decodable(mediaType, text string) error {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) == 0 {
		return fmt.Errorf("invalid base64 data")
	}
	if bytes.HasPrefix(data, []byte("RIFF")) && len(data) > 30 && string(data[8:15]) == "WEBPVP8" {
		if mediaType != "image/webp" {
			return fmt.Errorf("image does not match the provided media type %s", mediaType)
		}
		return nil
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil || config.Width == 0 || config.Height == 0:
		return fmt.Errorf("could not process image: %v", err)
	case mediaType != "image/"+format:
		return fmt.Errorf("image does not match the provided media type %s", mediaType)
	}
	return nil
}

func resultContent(b block) error {
	content := bytes.TrimSpace(b.Content)
	if len(content) == 0 || string(content) == "null" || string(content) == `""` {
		if b.IsError {
			return fmt.Errorf("content cannot be empty if is_error is true")
		}
		return nil
	}
	if content[0] == '"' {
		return nil
	}
	var blocks []block
	if err := json.Unmarshal(content, &blocks); err != nil {
		return err
	}
	if len(blocks) == 0 && b.IsError {
		return fmt.Errorf("content cannot be empty if is_error is true")
	}
	for _, inner := range blocks {
		if err := plain(inner); err != nil {
			return err
		}
	}
	return nil
}

// checkText checks for invalid UTF-8 and for escapes that are half of a surrogate pair.
func checkText(text []byte) error {
	if !utf8.Valid(text) {
		return fmt.Errorf("the body is not valid UTF-8")
	}
	if !json.Valid(text) {
		return fmt.Errorf("the body is not valid JSON")
	}
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if text[i+1] != 'u' {
			i++
			continue
		}
		unit := hexUnit(text, i)
		if !utf16.IsSurrogate(unit) {
			i += 5
			continue
		}
		if i+12 > len(text) || text[i+6] != '\\' || text[i+7] != 'u' ||
			utf16.DecodeRune(unit, hexUnit(text, i+6)) == unicode.ReplacementChar {
			return fmt.Errorf("no low surrogate in string at byte %d", i)
		}
		i += 11
	}
	return nil
}

func hexUnit(text []byte, at int) (unit rune) {
	_, _ = fmt.Sscanf(string(text[at+2:at+6]), "%04x", &unit)
	return unit
}
