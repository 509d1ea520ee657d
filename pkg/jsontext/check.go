package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// A SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset int    // of the first byte that is wrong, or the end of a text that is not complete
	Text   string // what is wrong
	Cause  string // what the parser says about that byte, "" if the text is empty or ends too early
}

func (e *SyntaxError) Error() string { return e.Text }

// Check reports why a text is not JSON, nil if it is.
func Check(text []byte) *SyntaxError {
	err := json.Unmarshal(text, new(json.RawMessage))
	if err == nil {
		return nil
	}
	e := &SyntaxError{Offset: len(bytes.TrimRight(text, " \t\r\n")), Text: "the file ends inside a value"}
	var syntax *json.SyntaxError
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		e.Text = "the file is empty"
	case errors.As(err, &syntax) && syntax.Offset > 0 && !strings.Contains(err.Error(), "unexpected end"):
		e.Offset, e.Text, e.Cause = int(syntax.Offset)-1, "not valid JSON", err.Error()
	}
	return e
}

// Position returns the line and the column of a byte of a text, both counted from 1. Columns are bytes.
func Position(text []byte, offset int) (line, column int) {
	before := text[:max(0, min(offset, len(text)))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// NestsDeeper reports whether a JSON text has more than a number of levels.
func NestsDeeper(text []byte, levels int) bool {
	if bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) <= levels {
		return false
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = StringEnd(text, i+1)
		case '{', '[':
			if depth++; depth > levels {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}
