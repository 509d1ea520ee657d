package jsonl

import (
	"bytes"
	"unicode/utf8"

	"clawctl/pkg/jsontext"
)

// OpenClaw trims a file, as JavaScript does, before it splits it into lines. So the first and the last line that are
// not blank may have white space around them that JSON does not allow, such as a second byte order mark.

// leadingSpace returns the length of the white space before the text of a stream, for the line at start. It is 0 if
// JSON allows all of it.
func (c *cutter) leadingSpace(start int) int {
	if !c.unstarted {
		return 0
	}
	line := c.buf[start:c.ready]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end+1]
	}
	line = line[:len(line)-len(lineEnd(line))]
	text := bytes.TrimLeftFunc(line, jsontext.IsJavaScriptSpace)
	c.unstarted = len(text) == 0
	return unusual(line[:len(line)-len(text)])
}

// unusual returns the length of white space, or 0 if JSON allows all of it.
func unusual(space []byte) int {
	if len(bytes.Trim(space, " \t\r")) == 0 {
		return 0
	}
	return len(space)
}

// trimEnd scans the line at start again, without white space at its end that JSON does not allow, if nothing but white
// space follows it in the stream. It returns the index after the text, or -1 if the line stays damaged.
func (c *cutter) trimEnd(start, from int) int {
	line := c.buf[start:c.pos]
	line = line[:len(line)-len(lineEnd(line))]
	text := bytes.TrimRightFunc(line, jsontext.IsJavaScriptSpace)
	if !c.endsBlank || len(text) <= from || unusual(line[len(text):]) == 0 || !isBlank(c.buf[c.pos:c.ready]) {
		return -1
	}
	end := start + len(text)
	next := c.buf[end]
	c.buf[end] = '\n'
	c.scanner.marks.set(c.buf, end, end+1)
	clear(c.record.fields[:])
	c.scanner.scan(c.buf, start+from, &c.record.fields)
	c.buf[end] = next
	c.scanner.marks.set(c.buf, end, end+1)
	if c.scanner.failure != ok {
		return -1
	}
	return end
}

func isBlank(text []byte) bool { return len(bytes.TrimLeftFunc(text, jsontext.IsJavaScriptSpace)) == 0 }

// mayTrim reports whether the last line of a text has white space at its end that JSON does not allow.
func mayTrim(text []byte) bool {
	rest := bytes.TrimRight(text, " \t\r\n")
	last, _ := utf8.DecodeLastRune(rest)
	return jsontext.IsJavaScriptSpace(last)
}

// afterSpace returns what follows the white space in two parts of a text. The first part may end within a character.
func afterSpace(before, more []byte) []byte {
	if len(before) > 0 {
		more = append(bytes.Clone(before), more...)
	}
	return bytes.TrimLeftFunc(more, jsontext.IsJavaScriptSpace)
}
