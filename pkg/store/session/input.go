package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
)

// maxInput is how long an input may be: as long as a line of a transcript.
const maxInput = jsonl.DefaultMaxLine

// errLongInput is the error for an input that is longer than maxInput.
var errLongInput error = &failure.Sentinel{
	Code: failure.NotMessage, Text: "more than " + ui.Bytes(maxInput) + " on stdin",
}

// An inputError says why an input has no records.
type inputError struct{ text string }

func (e *inputError) Error() string { return e.text }

// FailureAt says where the forms of inputs are explained.
func (e *inputError) FailureAt(place string) *failure.Error {
	return failure.New(failure.NotMessage, "%v", e).At(place).WithHint("clawctl help append")
}

func badInput(format string, args ...any) error { return &inputError{fmt.Sprintf(format, args...)} }

// ReadInput reads an input. What is too long is refused before it is held twice, and a file before it is read.
func ReadInput(in io.Reader) ([]byte, error) {
	if file, ok := in.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Size() > maxInput {
			return nil, errLongInput
		}
	}
	const pieceSize = 1 << 20
	var pieces [][]byte
	for size := 0; ; {
		piece := make([]byte, pieceSize)
		n, err := io.ReadFull(in, piece)
		pieces = append(pieces, piece[:n])
		switch size += n; {
		case size > maxInput:
			return nil, errLongInput
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return slices.Concat(pieces...), nil
		case err != nil:
			return nil, err
		}
	}
}

// ReplaceInvalid puts U+FFFD in place of invalid UTF-8, and returns how often.
func ReplaceInvalid(input []byte) (valid []byte, replaced int) {
	valid = jsonl.Value(input).UTF8()
	return valid, bytes.Count(valid, []byte("\ufffd")) - bytes.Count(input, []byte("\ufffd"))
}

// A Role is who says a text.
type Role string

// The roles of texts.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Roles lists them.
var Roles = []Role{User, Assistant, Tool}

var messageRoles = map[Role]string{
	User: jsonl.RoleUser, Assistant: jsonl.RoleAssistant, Tool: jsonl.RoleToolResult,
}

// A Text is a message that consists of a text.
type Text struct {
	Role    Role
	Call    string // the call that a tool's result answers; "" for the only open one
	IsError bool   // the tool failed
}

// Draft returns the draft of the message.
func (t Text) Draft(text string) Draft {
	return func(c *jsonl.Composer) ([]string, error) {
		return messageRecords(c.FromText(messageRoles[t.Role], text, t.Call, t.IsError)), nil
	}
}

func messageRecords(messages ...string) []string {
	for i, m := range messages {
		messages[i] = `{"type":"message","message":` + m + "}"
	}
	return messages
}

// A Form is the form of JSON that is appended.
type Form string

// The forms of JSON.
const (
	FormRecord    Form = "record"
	FormMessage   Form = "message"
	FormAnthropic Form = "anthropic"
	FormOpenAI    Form = "openai"
)

// Forms lists them.
var Forms = []Form{FormRecord, FormMessage, FormAnthropic, FormOpenAI}

// Drafts returns the drafts of the JSON values in an input. The response of an API must be the only one.
func (f Form) Drafts(input []byte) (drafts []Draft, err error) {
	values, err := jsonValues(input)
	if err != nil {
		return nil, err
	}
	if len(values) > 1 && (f == FormAnthropic || f == FormOpenAI) {
		return nil, badInput("expected one response, got %d", len(values))
	}
	for _, value := range values {
		drafts = append(drafts, f.draft(value))
	}
	return drafts, nil
}

// jsonValues returns the JSON objects of a text, each on one line. Objects in arrays count one by one.
func jsonValues(input []byte) (values [][]byte, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(input), []byte("event:")) || bytes.HasPrefix(input, []byte("data:")) {
		return nil, badInput("a stream of events; ask the API without \"stream\"")
	}
	decoder := json.NewDecoder(bytes.NewReader(input))
	for {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, badInput("not JSON after byte %d", decoder.InputOffset())
		}
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			list = []json.RawMessage{raw}
		}
		for _, value := range list {
			line, err := onOneLine(value)
			if err != nil {
				return nil, err
			}
			values = append(values, line)
		}
	}
	if len(values) == 0 {
		return nil, badInput("nothing on stdin")
	}
	return values, nil
}

// onOneLine returns a JSON object on one line: as it is, unless it has line ends.
func onOneLine(value []byte) ([]byte, error) {
	if !bytes.HasPrefix(value, []byte("{")) {
		return nil, badInput("expected a JSON object, got %s", jsonKind(value))
	}
	if !bytes.ContainsAny(value, "\r\n") {
		return value, nil
	}
	var line bytes.Buffer
	if err := json.Compact(&line, value); err != nil {
		return nil, badInput("%v", err)
	}
	return line.Bytes(), nil
}

// jsonKind names the kind of a JSON value.
func jsonKind(value []byte) string {
	switch value[0] {
	case '"':
		return "a string"
	case '[':
		return "a list"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// draft is the draft of one JSON value.
func (f Form) draft(line []byte) Draft {
	return func(c *jsonl.Composer) ([]string, error) {
		if f == FormRecord {
			return []string{string(line)}, nil
		}
		rec := (&jsonl.Parser{Verbatim: true}).Parse(line, 1, 0)
		if rec.Damage != nil {
			return nil, rec.Damage
		}
		switch f {
		case FormAnthropic:
			m, err := c.FromAnthropic(rec.Value())
			return messageRecords(m), err
		case FormOpenAI:
			m, err := c.FromOpenAI(rec.Value())
			return messageRecords(m), err
		}
		messages, err := c.FromMessage(rec.Value())
		return messageRecords(messages...), err
	}
}
