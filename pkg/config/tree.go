package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"clawctl/internal/failure"
	"clawctl/pkg/jsontext"
)

// An Error says what is wrong with a configuration and on which line.
type Error struct {
	Path   string
	Line   int
	Text   string
	Syntax bool     // the file is not JSON
	Key    string   // an unknown key
	Known  []string // the keys that are allowed instead
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Text) }

// FailureAt is the failure of the line. For an unknown key it names the one that was most likely meant.
func (e *Error) FailureAt(string) *failure.Error {
	f := failure.New(failure.BadConfig, "%s", e.Text).At(e.Path).WithHint("clawctl help config")
	f.Line = int64(e.Line)
	if near := failure.Nearest(e.Key, e.Known); e.Key != "" && near != "" {
		f.Text += "; did you mean " + near + "?"
	}
	if e.Syntax {
		f.Hint = failure.Command("jq", ".", e.Path)
	}
	return f
}

// A node is a JSON value with its line.
type node struct {
	line    int
	value   json.Token // a string, a json.Number, a bool or nil; the opening bracket of a list or an object
	members []member
	items   []*node
}

type member struct {
	key   string
	line  int
	value *node
}

// what describes the value in an error.
func (n *node) what() string {
	switch v := n.value.(type) {
	case json.Delim:
		if v == '{' {
			return "an object"
		}
		return "a list"
	case string:
		return strconv.Quote(v)
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	}
	return "null"
}

func (n *node) isObject() bool { return n.value == json.Delim('{') }
func (n *node) isList() bool   { return n.value == json.Delim('[') }

// text returns a string, "" for any other value.
func (n *node) text() string {
	s, _ := n.value.(string)
	return s
}

// number returns a number, "" for any other value.
func (n *node) number() json.Number {
	number, _ := n.value.(json.Number)
	return number
}

// parse parses a JSON text. It reads the text twice: the first pass finds the errors, and the second cannot fail.
func parse(text []byte) (*node, *Error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if err := jsontext.Check(text); err != nil {
		e := &Error{Line: lineAt(text, err.Offset), Text: err.Text, Syntax: true}
		if err.Cause != "" {
			e.Text = "bad JSON: " + err.Cause
		}
		return nil, e
	}
	p := &parser{text: text, dec: json.NewDecoder(bytes.NewReader(text))}
	p.dec.UseNumber()
	return p.node(), nil
}

// lineAt returns the number of the line that contains a byte.
func lineAt(text []byte, at int) int {
	line, _ := jsontext.Position(text, at)
	return line
}

// A parser turns the tokens of a valid JSON text into nodes.
type parser struct {
	text []byte
	dec  *json.Decoder
}

// next returns the next token and the line on which it ends.
func (p *parser) next() (json.Token, int) {
	token, _ := p.dec.Token() // cannot fail: the text is valid JSON
	return token, lineAt(p.text, int(p.dec.InputOffset()))
}

func (p *parser) node() *node {
	n := &node{}
	n.value, n.line = p.next()
	switch {
	case n.isObject():
		for p.dec.More() {
			key, line := p.next()
			name, _ := key.(string) // keys are strings
			n.members = append(n.members, member{name, line, p.node()})
		}
		p.next() // the closing bracket
	case n.isList():
		for p.dec.More() {
			n.items = append(n.items, p.node())
		}
		p.next()
	}
	return n
}
