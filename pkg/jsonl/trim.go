package jsonl

import (
	"bytes"
	"unicode/utf8"

	"clawctl/pkg/jsontext"
)

// OpenClaw trims a file, as JavaScript does, before it splits it into lines. So the first and the last line that are
// not blank may have white space around them that JSON does not allow, such as a second byte order mark.

// maxBlankEnd is how many blank bytes are read at the end of a stream to find out that nothing else follows.
const maxBlankEnd = 64 << 10

// leadingSpace returns the length of the white space before the text of a stream, for the line at start. It is 0 if
// JSON allows all of it.
func (r *Reader) leadingSpace(start int) int {
	if !r.unstarted {
		return 0
	}
	line := r.buf[start:r.ready]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end+1]
	}
	line = line[:len(line)-len(lineEnd(line))]
	text := bytes.TrimLeftFunc(line, jsontext.IsJavaScriptSpace)
	r.unstarted = len(text) == 0
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
func (r *Reader) trimEnd(start, from int) int {
	line := r.buf[start:r.pos]
	line = line[:len(line)-len(lineEnd(line))]
	text := bytes.TrimRightFunc(line, jsontext.IsJavaScriptSpace)
	if !r.sniffs || len(text) <= from || unusual(line[len(text):]) == 0 || !r.endsBlank() {
		return -1
	}
	end := start + len(text)
	next := r.buf[end]
	r.buf[end] = '\n'
	r.scanner.marks.set(r.buf, end, end+1)
	r.scanner.scan(r.buf, start+from)
	r.buf[end] = next
	r.scanner.marks.set(r.buf, end, end+1)
	if r.scanner.failure != ok {
		return -1
	}
	return end
}

// endsBlank reports whether only white space follows the current line. It reads ahead to find out.
func (r *Reader) endsBlank() bool {
	text := afterSpace(nil, r.buf[r.pos:r.end])
	for at := r.backlog.pos; at < r.backlog.end && len(text) < utf8.UTFMax; {
		part := r.backlog.from(at)
		text = afterSpace(text, part)
		at += len(part)
	}
	for r.last == nil && r.backlog.last == nil && len(text) < utf8.UTFMax {
		if r.backlog.end-r.backlog.pos > maxBlankEnd {
			return false
		}
		room := r.backlog.room()
		n, last, err := r.ask(room)
		if err != nil {
			return false // reading on will return the error again
		}
		text = afterSpace(text, room[:n])
		r.backlog.end += n
		r.backlog.last = last
	}
	return len(text) == 0
}

// afterSpace returns what follows the white space in two parts of a text. The first part may end within a character.
func afterSpace(before, more []byte) []byte {
	if len(before) > 0 {
		more = append(bytes.Clone(before), more...)
	}
	return bytes.TrimLeftFunc(more, jsontext.IsJavaScriptSpace)
}
