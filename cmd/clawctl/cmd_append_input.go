package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/session"
)

// The values of --input.
const (
	inputRecord      = "record"
	inputMessage     = "message"
	formAPIAnthropic = "anthropic"
	formAPIOpenAI    = "openai"
)

// drafts returns what is appended: a text, or what is on stdin.
func (o *addOptions) drafts(a *cli.App, c *cli.Command, text string) ([]session.Draft, error) {
	if o.role != "" && text != "-" {
		valid, err := o.validText(a, "TEXT", []byte(text))
		return []session.Draft{o.textDraft(string(valid))}, err
	}
	if ui.IsTerminal(a.Stdin) {
		return nil, c.Usage("stdin is a terminal; pipe something into it")
	}
	input, err := readInput(a.Stdin)
	if err != nil {
		return nil, err
	}
	input, err = o.validText(a, cli.StdinName, input)
	switch {
	case err != nil:
		return nil, err
	case o.role != "":
		return []session.Draft{o.textDraft(string(input))}, nil
	}
	return o.jsonDrafts(input)
}

// validText returns an input that is UTF-8. An input that is not is refused, unless its invalid bytes are replaced.
func (o *addOptions) validText(a *cli.App, place string, input []byte) ([]byte, error) {
	at := jsonl.FirstBadUTF8(input)
	if at < 0 {
		return input, nil
	}
	if !o.replace {
		return nil, failure.New(jsonl.BadUTF8, "refused: invalid UTF-8 at byte %d", at).
			At(place).WithExit(failure.ExitFindings).WithHint(o.replaceHint(a, place))
	}
	valid := jsonl.Value(input).UTF8()
	o.replaced = bytes.Count(valid, []byte("\ufffd")) - bytes.Count(input, []byte("\ufffd"))
	a.Note("%s: put U+FFFD in place of invalid UTF-8 %s", place, ui.Count(o.replaced, "time"))
	return valid, nil
}

// replaceHint is the same command with --replace, if a terminal can show it.
func (o *addOptions) replaceHint(a *cli.App, place string) string {
	if place == cli.StdinName {
		return a.CommandLine("--replace")
	}
	return "clawctl help append"
}

// maxInput is how much is read from stdin: as much as a line of a transcript may have.
const maxInput = jsonl.DefaultMaxLine

// readInput reads stdin. What is too long is refused before it is held twice, and a file before it is read.
func readInput(stdin io.Reader) ([]byte, error) {
	tooLong := failure.New(failure.NotMessage, "more than %s on stdin", ui.Bytes(maxInput)).At(cli.StdinName)
	if file, ok := stdin.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Size() > maxInput {
			return nil, tooLong
		}
	}
	const pieceSize = 1 << 20
	var pieces [][]byte
	for size := 0; ; {
		piece := make([]byte, pieceSize)
		n, err := io.ReadFull(stdin, piece)
		pieces = append(pieces, piece[:n])
		switch size += n; {
		case size > maxInput:
			return nil, tooLong
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return slices.Concat(pieces...), nil
		case err != nil:
			return nil, cli.InputError(cli.StdinName, err)
		}
	}
}

// textDraft is the draft of --role.
func (o *addOptions) textDraft(text string) session.Draft {
	return func(c *jsonl.Composer) ([]string, error) {
		return messageRecords(c.FromText(roleNames[o.role], text, o.call, o.isError)), nil
	}
}

// messageRecords are the records of messages.
func messageRecords(messages ...string) []string {
	for i, m := range messages {
		messages[i] = `{"type":"message","message":` + m + "}"
	}
	return messages
}

// jsonDrafts are the drafts of the JSON values on stdin.
func (o *addOptions) jsonDrafts(input []byte) (drafts []session.Draft, err error) {
	values, err := jsonValues(input)
	if err != nil {
		return nil, err
	}
	if len(values) > 1 && (o.input == formAPIAnthropic || o.input == formAPIOpenAI) {
		return nil, notMessage("expected one response, got %d", len(values))
	}
	for _, value := range values {
		drafts = append(drafts, o.jsonDraft(value))
	}
	return drafts, nil
}

func notMessage(format string, args ...any) error {
	return failure.New(failure.NotMessage, format, args...).At(cli.StdinName).WithHint("clawctl help append")
}

// jsonValues returns the JSON objects of a text, each on one line. Objects in arrays count one by one.
func jsonValues(input []byte) (values [][]byte, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(input), []byte("event:")) || bytes.HasPrefix(input, []byte("data:")) {
		return nil, notMessage("a stream of events; ask the API without \"stream\"")
	}
	decoder := json.NewDecoder(bytes.NewReader(input))
	for {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, notMessage("not JSON after byte %d", decoder.InputOffset())
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
		return nil, notMessage("nothing on stdin")
	}
	return values, nil
}

// onOneLine returns a JSON object on one line: as it is, unless it has line ends.
func onOneLine(value []byte) ([]byte, error) {
	if !bytes.HasPrefix(value, []byte("{")) {
		return nil, notMessage("expected a JSON object, got %s", jsonKind(value))
	}
	if !bytes.ContainsAny(value, "\r\n") {
		return value, nil
	}
	var line bytes.Buffer
	if err := json.Compact(&line, value); err != nil {
		return nil, notMessage("%v", err)
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

// jsonDraft is the draft of one JSON value.
func (o *addOptions) jsonDraft(line []byte) session.Draft {
	return func(c *jsonl.Composer) ([]string, error) {
		if o.input == inputRecord {
			return []string{string(line)}, nil
		}
		rec := (&jsonl.Parser{Verbatim: true}).Parse(line, 1, 0)
		if rec.Damage != nil {
			return nil, rec.Damage
		}
		switch o.input {
		case formAPIAnthropic:
			m, err := c.FromAnthropic(rec.Value())
			return messageRecords(m), err
		case formAPIOpenAI:
			m, err := c.FromOpenAI(rec.Value())
			return messageRecords(m), err
		}
		messages, err := c.FromMessage(rec.Value())
		return messageRecords(messages...), err
	}
}
