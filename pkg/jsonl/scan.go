package jsonl

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is the maximum nesting of a record, the same as in encoding/json.
const maxDepth = 10000

// deepLine is from how many levels on the form of a line may have more than maxDepth: it adds a few.
const deepLine = maxDepth - 16

// A blockMember is a member of one of the blocks of a message's content, or the end of an element of it.
type blockMember struct {
	key, value span // key is empty for an end, and value is then the element
}

// A span is the position of a value, from the start of the scanned text. No value starts at 0, and the zero span means
// that there is none.
type span struct{ start, end uint32 }

// A scanner checks one line after another. The text must contain a newline, marked like the rest, at which the scanner
// stops without checking the length. Inside a line a newline is never valid, neither in a string nor between tokens.
type scanner struct {
	buf      []byte
	base     int   // the start of the line
	marks    marks // of buf
	fields   *[fieldCount]span
	parts    []blockMember // of the blocks of the message's content
	object   bool          // the value is an object
	outliner outliner
	// repeated is set if one of the fields occurs twice.
	repeated bool
	// surrogates is set if an escape may be half of a surrogate pair.
	surrogates bool
	// deep is set if the line has nearly as many levels as it may have.
	deep bool

	failedAt int
	failure  syntaxError

	open [maxDepth/64 + 1]uint64 // one bit for every open container: 1 for an object
}

// padding is the number of bytes that must follow the text in a buffer: room for a newline and for complete blocks of
// marks.
const padding = 2 * blockSize

// A syntaxError is the reason why a line is not JSON.
type syntaxError uint8

const (
	ok syntaxError = iota
	unexpectedEnd
	unexpectedByte
	controlInString
	badEscape
	badNumber
	badLiteral
	tooDeep
	trailingBytes
)

var failureWords = [...]string{
	unexpectedEnd:   "the line ends inside a value",
	unexpectedByte:  "unexpected byte",
	controlInString: "control character in a string",
	badEscape:       "invalid escape sequence",
	badNumber:       "invalid number",
	badLiteral:      "expected true, false or null",
	tooDeep:         "more than 10,000 levels",
	trailingBytes:   "unexpected text after the value",
}

// fail notes the failure at i and returns -1. A newline in a wrong place means that the line ended too early.
func (s *scanner) fail(i int, why syntaxError) int {
	if s.buf[i] == '\n' {
		why = unexpectedEnd
	}
	s.failedAt, s.failure = i, why
	return -1
}

// scan checks that the line at start is a single value, and notes its fields, which must be zero. It returns the index
// of the newline that ends the line, or -1 with failedAt and failure set.
func (s *scanner) scan(buf []byte, start int, fields *[fieldCount]span) int {
	s.parts = s.parts[:0]
	s.outliner.begin()
	s.buf, s.base, s.fields = buf, start, fields
	s.failure, s.repeated, s.surrogates, s.deep = ok, false, false, false
	i := skipSpace(buf, start)
	if s.object = buf[i] == '{'; s.object {
		i = s.noted(i, recordLevel)
	} else {
		i = s.value(i, 0)
	}
	if i < 0 {
		return -1
	}
	if i = skipSpace(buf, i); buf[i] != '\n' {
		return s.fail(i, trailingBytes)
	}
	return i
}

// A level is the depth of an object whose members are noted.
type level int

const (
	recordLevel  level = 1
	messageLevel level = 2
	listLevel    level = 3 // of the list of blocks
	blockLevel   level = 4
	payloadLevel level = 5 // of the object that some programs have instead of a message
)

// depth returns how many containers are open inside the object.
func (at level) depth() int {
	if at == payloadLevel {
		return int(messageLevel)
	}
	return int(at)
}

// noted checks the object that begins at i, notes its members, and returns the index after it.
func (s *scanner) noted(i int, at level) int {
	buf := s.buf
	if i = skipRareSpace(buf, i+1); buf[i] == '}' {
		return i + 1
	}
	for {
		if buf[i] != '"' {
			return s.fail(i, unexpectedByte)
		}
		key := i + 1
		if i = s.str(key); i < 0 {
			return -1
		}
		keyEnd, f := i-1, s.fieldAt(at, key, i-1)
		if i = skipRareSpace(buf, i); buf[i] != ':' {
			return s.fail(i, unexpectedByte)
		}
		i = skipRareSpace(buf, i+1)
		start := i
		if i = s.member(i, at, f); i < 0 {
			return -1
		}
		if at == blockLevel {
			s.part(blockMember{s.span(key, keyEnd), s.span(start, i)})
		} else {
			s.outliner.note(at, s.span(key, keyEnd), s.span(start, i))
		}
		if f != noField {
			s.repeated = s.repeated || s.fields[f].end > 0
			s.fields[f] = s.span(start, i)
		}
		i = skipRareSpace(buf, i)
		if buf[i] != ',' {
			break
		}
		i = skipRareSpace(buf, i+1)
	}
	if buf[i] != '}' {
		return s.fail(i, unexpectedByte)
	}
	return i + 1
}

func (s *scanner) span(start, end int) span {
	return span{uint32(start - s.base), uint32(end - s.base)}
}

// fieldAt returns the field of a key. A message that appears again replaces the fields of the one before.
func (s *scanner) fieldAt(at level, start, end int) field {
	switch at {
	case recordLevel:
		f := recordFields().findAt(s.buf, start, end)
		if f == fieldMessage {
			clear(s.fields[FieldRole:])
		}
		return f
	case messageLevel:
		return messageFields().findAt(s.buf, start, end)
	}
	return noField
}

// member checks the value of a field at i and returns the index after it.
func (s *scanner) member(i int, at level, f field) int {
	switch c := s.buf[i]; {
	case c == '"':
		return s.str(i + 1)
	case f == fieldMessage && c == '{':
		s.outliner.enter(uint32(i - s.base))
		return s.noted(i, messageLevel)
	case f == fieldPayload && c == '{':
		s.outliner.enter(uint32(i - s.base))
		return s.noted(i, payloadLevel)
	case f == FieldContent && c == '[':
		return s.blocks(i)
	}
	return s.value(i, at.depth())
}

// blocks checks the list of blocks that begins at i, notes their members, and returns the index after it.
func (s *scanner) blocks(i int) int {
	buf := s.buf
	s.parts = s.parts[:0]
	if i = skipRareSpace(buf, i+1); buf[i] == ']' {
		return i + 1
	}
	for {
		start := i
		if buf[i] == '{' {
			i = s.noted(i, blockLevel)
		} else {
			i = s.value(i, int(listLevel))
		}
		if i < 0 {
			return -1
		}
		s.part(blockMember{value: s.span(start, i)})
		i = skipRareSpace(buf, i)
		if buf[i] != ',' {
			break
		}
		i = skipRareSpace(buf, i+1)
	}
	if buf[i] != ']' {
		return s.fail(i, unexpectedByte)
	}
	if len(s.parts) == mostParts {
		s.parts = s.parts[:0]
	}
	return i + 1
}

// mostParts is how many members of blocks are noted at most, 1 MiB of them. A content with more, which no program
// writes, is not noted at all, because its notes would take several times the memory of its line.
const mostParts = 1 << 16

// part notes a member of a block.
func (s *scanner) part(m blockMember) {
	if len(s.parts) < mostParts {
		s.parts = append(s.parts, m)
	}
}

// value checks the value that begins at i, inside depth containers, and returns the index after it.
func (s *scanner) value(i, depth int) int {
	switch c := s.buf[i]; c {
	case '"':
		return s.str(i + 1)
	case '{', '[':
		return s.container(i, depth)
	}
	return s.scalar(i)
}

// scalar checks the number or literal at i.
func (s *scanner) scalar(i int) int {
	switch c := s.buf[i]; {
	case c-'0' <= 9 || c == '-':
		return s.number(i)
	case c == 't' || c == 'f' || c == 'n':
		return s.literal(i)
	}
	return s.fail(i, unexpectedByte)
}

// container checks the object or list that begins at i, inside depth others, and returns the index after it. It uses a
// loop with a stack of bits instead of recursion, because deep nesting could exhaust the goroutine's stack.
func (s *scanner) container(i, depth int) int {
	buf, outer, inObject := s.buf, depth, false
	for {
		// A value begins at i.
		switch c := buf[i]; c {
		case '"':
			if i = s.str(i + 1); i < 0 {
				return -1
			}
		case '{', '[':
			if depth++; depth > deepLine {
				if s.deep = true; depth > maxDepth {
					return s.fail(i, tooDeep)
				}
			}
			inObject = c == '{'
			s.push(depth, inObject)
			i = skipRareSpace(buf, i+1)
			if buf[i] != c+2 { // '{' and '}', and '[' and ']', are two apart
				if inObject {
					goto key
				}
				continue
			}
			i++
			depth--
			inObject = s.isObject(depth)
		default:
			if i = s.scalar(i); i < 0 {
				return -1
			}
		}

		// A value ended before i: close the containers that end with it, then continue with the next value.
		for {
			if depth == outer {
				return i
			}
			i = skipRareSpace(buf, i)
			c := buf[i]
			if c == ',' {
				break
			}
			if inObject && c != '}' || !inObject && c != ']' {
				return s.fail(i, unexpectedByte)
			}
			i++
			depth--
			inObject = s.isObject(depth)
		}
		i = skipRareSpace(buf, i+1)
		if !inObject {
			continue
		}

	key:
		if buf[i] != '"' {
			return s.fail(i, unexpectedByte)
		}
		if i = s.str(i + 1); i < 0 {
			return -1
		}
		if i = skipRareSpace(buf, i); buf[i] != ':' {
			return s.fail(i, unexpectedByte)
		}
		i = skipRareSpace(buf, i+1)
	}
}

// skipRareSpace is skipSpace for places that rarely have any.
func skipRareSpace(buf []byte, i int) int {
	if buf[i] <= ' ' {
		return skipSpace(buf, i)
	}
	return i
}

func (s *scanner) push(depth int, object bool) {
	if object {
		s.open[depth>>6] |= 1 << (depth & 63)
	} else {
		s.open[depth>>6] &^= 1 << (depth & 63)
	}
}

func (s *scanner) isObject(depth int) bool { return s.open[depth>>6]>>(depth&63)&1 == 1 }

// str checks the string whose first byte is at i and returns the index after its closing quote.
func (s *scanner) str(i int) int {
	if word := s.marks.special[uint(i)/blockSize] >> (uint(i) % blockSize); word != 0 {
		if end := i + bits.TrailingZeros64(word); s.buf[end] == '"' {
			return end + 1
		}
	}
	return s.longString(i)
}

// longString is str for any string. It goes from mark to mark.
func (s *scanner) longString(i int) int {
	buf, special := s.buf, s.marks.special
	block := i / blockSize
	word := special[block] >> (i % blockSize) << (i % blockSize)
	for {
		for word == 0 {
			block++
			word = special[block]
		}
		i = block*blockSize + bits.TrailingZeros64(word)
		if buf[i] == '"' {
			return i + 1
		}
		if s.escape(i) < 0 {
			return -1
		}
		word &= word - 1
	}
}

// escapes holds 1 for the characters that end a two-byte escape.
var escapes = [256]uint8{'"': 1, '\\': 1, '/': 1, 'b': 1, 'f': 1, 'n': 1, 'r': 1, 't': 1}

// escape checks the marked byte at i: the u of \uXXXX, the only escape of more than two bytes, or one that is wrong.
func (s *scanner) escape(i int) int {
	buf := s.buf
	if buf[i] < ' ' && (buf[i-1] != '\\' || escapesNext(buf[:i]) == 0) {
		return s.fail(i, controlInString)
	}
	if buf[i] != 'u' {
		return s.fail(i, badEscape)
	}
	s.surrogates = s.surrogates || buf[i+1]|0x20 == 'd' && buf[i+2] >= '8'
	for range 4 {
		if i++; !isHex(buf[i]) {
			return s.fail(i, badEscape)
		}
	}
	return i
}

func isHex(c byte) bool { return isDigit(c) || (c|0x20 >= 'a' && c|0x20 <= 'f') }

func isDigit(c byte) bool { return c-'0' <= 9 }

func (s *scanner) literal(i int) int {
	word := "true"
	switch s.buf[i] {
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	}
	for j := 1; j < len(word); j++ {
		if s.buf[i+j] != word[j] {
			return s.fail(i+j, badLiteral)
		}
	}
	return i + len(word)
}

func (s *scanner) number(i int) int {
	buf := s.buf
	if buf[i] == '-' {
		i++
	}
	if buf[i] == '0' {
		i++
	} else if i = s.digits(i); i < 0 {
		return -1
	}
	if buf[i] == '.' {
		if i = s.digits(i + 1); i < 0 {
			return -1
		}
	}
	if buf[i]|0x20 == 'e' {
		if i++; buf[i] == '+' || buf[i] == '-' {
			i++
		}
		return s.digits(i)
	}
	return i
}

// digits skips at least one digit. It looks at eight bytes at a time, because the lengths of numbers are hard to
// predict.
func (s *scanner) digits(i int) int {
	if !isDigit(s.buf[i]) {
		return s.fail(i, badNumber)
	}
	for {
		n := leadingDigits(binary.LittleEndian.Uint64(s.buf[i:]))
		if i += n; n < 8 {
			return i
		}
	}
}

// leadingDigits returns how many of eight bytes are digits, up to the first that is not. Adding 0x76 to the distance
// from '0' sets the highest bit of a byte from 10 on, as far as it is ASCII.
func leadingDigits(word uint64) int {
	distance := word ^ '0'*ones
	return bits.TrailingZeros64((distance&lows+0x76*ones|distance)&highs) / 8
}

// skipSpace skips JSON white space except the newline, which ends the line.
func skipSpace(buf []byte, i int) int {
	for buf[i] == ' ' || buf[i] == '\t' || buf[i] == '\r' {
		i++
	}
	return i
}
