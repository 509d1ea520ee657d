package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The codes of JSON-RPC, and the one that MCP adds for versions.
const (
	codeParse       = -32700
	codeInvalid     = -32600
	codeNoMethod    = -32601
	codeParams      = -32602
	codeInternal    = -32603
	codeBadProtocol = -32022
)

// An Error is the failure of a request, as opposed to that of a tool.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// A message is a request, a notification or a response.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Failure json.RawMessage `json:"error"`
}

func (m *message) isResponse() bool     { return m.Method == "" }
func (m *message) isNotification() bool { return m.ID == nil }

// parseMessage reads a message. With an error, it returns the id as far as that can be read.
func parseMessage(text []byte) (m message, failed *Error) {
	if err := json.Unmarshal(text, &m); err != nil {
		if json.Valid(text) {
			return message{ID: idIn(text)}, &Error{Code: codeInvalid, Message: "not a request: " + err.Error()}
		}
		return message{}, &Error{Code: codeParse, Message: "not JSON: " + err.Error()}
	}
	isID := len(m.ID) == 0 || m.ID[0] == '"' || m.ID[0] == '-' || m.ID[0] >= '0' && m.ID[0] <= '9'
	switch {
	case !isID:
		return message{}, &Error{Code: codeInvalid, Message: "the id must be a string or a number"}
	case m.Version != "2.0":
		return message{ID: m.ID}, &Error{Code: codeInvalid, Message: `jsonrpc must be "2.0"`}
	case m.Method == "" && m.Result == nil && m.Failure == nil:
		return message{ID: m.ID}, &Error{Code: codeInvalid, Message: "there is no method"}
	}
	return m, nil
}

// idIn returns the id of a request with other faults, or nil.
func idIn(text []byte) json.RawMessage {
	var m struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(text, &m) != nil {
		return nil
	}
	switch m.ID.(type) {
	case string, float64:
		id, _ := json.Marshal(m.ID) // it was JSON before
		return id
	}
	return nil
}

// isBatch reports whether a line is an array.
func isBatch(text []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r"), []byte("[")) }

// splitBatch returns the messages of an array. Of one that has too many, the rest is not read.
func splitBatch(text []byte) (list []json.RawMessage, failed *Error) {
	d := json.NewDecoder(bytes.NewReader(text))
	_, err := d.Token()
	for err == nil && d.More() {
		if len(list) == maxBatch {
			return nil, &Error{Code: codeInvalid, Message: fmt.Sprintf("a batch must have at most %d messages", maxBatch)}
		}
		var part json.RawMessage
		err = d.Decode(&part)
		list = append(list, part)
	}
	if err == nil && !json.Valid(text) {
		err = errors.New("the array does not end, or something follows it")
	}
	if err != nil {
		return nil, &Error{Code: codeParse, Message: "not JSON: " + err.Error()}
	}
	return list, nil
}

// A response is the answer to a request.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // null if it is not known
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

func answered(id json.RawMessage, result any) *response {
	return &response{Version: "2.0", ID: id, Result: result}
}

func failed(id json.RawMessage, err *Error) *response {
	return &response{Version: "2.0", ID: id, Error: err}
}

// encode writes a message as a line.
func encode(message any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b) // it ends with a line end
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(message)
	return b.Bytes(), err
}

// A line is what was read: a message, one that is too long and was skipped, or the error that ends the input.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

// readLines reads lines until the input ends or the context is cancelled, and closes the channel. Blank lines are
// skipped. A long line is not held.
func readLines(ctx context.Context, in io.Reader, lines chan<- line) {
	defer close(lines)
	r := bufio.NewReaderSize(in, 1<<16)
	for {
		l := readLine(r)
		isEnd := l.err != nil
		if errors.Is(l.err, io.EOF) {
			l.err = nil
		}
		if len(bytes.TrimSpace(l.text)) > 0 || l.tooLong || l.err != nil {
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
		}
		if isEnd {
			return
		}
	}
}

// readLine reads one line, or what is left of it.
func readLine(r *bufio.Reader) line {
	var l line
	for {
		piece, err := r.ReadSlice('\n')
		if l.tooLong = l.tooLong || len(l.text)+len(piece) > maxMessage; l.tooLong {
			l.text = nil
		} else {
			l.text = append(l.text, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.err = err
			return l
		}
	}
}
