package jsonl

import "math/bits"

// MaxDepth is the maximum nesting of a record, the same as in encoding/json.
const MaxDepth = 10000

// A field is a position in a record that the scan notes.
type field uint8

const (
	noField field = iota
	fieldType
	fieldID
	fieldParentID
	fieldTimestamp
	fieldTS
	fieldCreated
	fieldVersion
	fieldKey
	fieldContent
	fieldFirstKept
	fieldAppendMode
	fieldMessage

	// Fields of the object under "message". They are cleared when "message" appears again.
	fieldRole
	fieldMsgContent
	fieldMsgTimestamp
	fieldUsage
	fieldModel
	fieldProvider
	fieldStopReason
	fieldToolCallID
	fieldToolName
	fieldCustomType
	fieldIsError
	fieldExclude
	fieldDetails
	fieldAPI
	fieldCommand
	fieldOutput
	fieldMsgTS
	fieldClaw0Error
	fieldResponseModel
	fieldToolUseID
	fieldClaw0CallID
	fieldClaw0UseID
	fieldCallID
	fieldOtherCallID

	fieldCount
)

func recordField(key []byte) field {
	switch string(key) {
	case "type":
		return fieldType
	case "id":
		return fieldID
	case "parentId":
		return fieldParentID
	case "timestamp":
		return fieldTimestamp
	case "ts":
		return fieldTS
	case "created":
		return fieldCreated
	case "version":
		return fieldVersion
	case "key":
		return fieldKey
	case "content":
		return fieldContent
	case "firstKeptEntryId":
		return fieldFirstKept
	case "appendMode":
		return fieldAppendMode
	case "message":
		return fieldMessage
	}
	return noField
}

func messageField(key []byte) field {
	switch string(key) {
	case "role":
		return fieldRole
	case "content":
		return fieldMsgContent
	case "timestamp":
		return fieldMsgTimestamp
	case "usage":
		return fieldUsage
	case "model":
		return fieldModel
	case "provider":
		return fieldProvider
	case "stopReason":
		return fieldStopReason
	case "toolCallId":
		return fieldToolCallID
	case "toolName":
		return fieldToolName
	case "customType":
		return fieldCustomType
	case "isError":
		return fieldIsError
	case "excludeFromContext":
		return fieldExclude
	case "details":
		return fieldDetails
	case "api":
		return fieldAPI
	case "command":
		return fieldCommand
	case "output":
		return fieldOutput
	case "ts":
		return fieldMsgTS
	case "is_error":
		return fieldClaw0Error
	case "responseModel":
		return fieldResponseModel
	case "toolUseId":
		return fieldToolUseID
	case "tool_call_id":
		return fieldClaw0CallID
	case "tool_use_id":
		return fieldClaw0UseID
	case "callId":
		return fieldCallID
	case "call_id":
		return fieldOtherCallID
	}
	return noField
}

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
	buf    []byte
	marks  marks // of buf
	fields [fieldCount]span
	parts  []blockMember // of the blocks of the message's content
	object bool          // the value is an object
	// repeated is set if one of the fields occurs twice.
	repeated bool
	// surrogates is set if an escape may be half of a surrogate pair.
	surrogates bool

	failedAt int
	failure  failure

	open [MaxDepth/64 + 1]uint64 // one bit for every open container: 1 for an object
}

// padding is the number of bytes that must follow the text in a buffer: room for a newline and for complete blocks of
// marks.
const padding = 2 * blockSize

// A failure is the reason why a line is not JSON.
type failure uint8

const (
	ok failure = iota
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
func (s *scanner) fail(i int, why failure) int {
	if s.buf[i] == '\n' {
		why = unexpectedEnd
	}
	s.failedAt, s.failure = i, why
	return -1
}

// scan checks that the line at start is a single value, and notes its fields. It returns the index of the newline that
// ends the line, or -1 with failedAt and failure set.
func (s *scanner) scan(buf []byte, start int) int {
	s.parts = s.parts[:0]
	s.buf, s.fields, s.failure, s.repeated, s.surrogates = buf, [fieldCount]span{}, ok, false, false
	i := skipSpace(buf, start)
	s.object = buf[i] == '{'
	if i = s.value(i, start); i < 0 {
		return -1
	}
	if i = skipSpace(buf, i); buf[i] != '\n' {
		return s.fail(i, trailingBytes)
	}
	return i
}

// value checks the value that begins at i and returns the index after it. It uses a loop with a stack of bits instead
// of recursion, because deep nesting could exhaust the goroutine's stack.
func (s *scanner) value(i, base int) int {
	var (
		buf       = s.buf
		depth     = 0
		inObject  = false
		inMessage = false
		inContent = false  // inside the list of blocks of the message
		wanted    [3]field // the field whose value is being read, at depths 1 and 2
		begun     [5]int   // where the value being read begins, at depths 1 to 4
		key       span     // of the block member being read
	)
	for {
		// A value begins at i.
		if inContent && depth == 3 {
			begun[3] = i
		}
		switch c := buf[i]; c {
		case '"':
			if i = s.str(i + 1); i < 0 {
				return -1
			}
			i++
		case '{', '[':
			if depth++; depth > MaxDepth {
				return s.fail(i, tooDeep)
			}
			inObject = c == '{'
			s.push(depth, inObject)
			if depth == 2 {
				inMessage = inObject && wanted[1] == fieldMessage
			} else if depth == 3 {
				if inContent = inMessage && !inObject && wanted[2] == fieldMsgContent; inContent {
					s.parts = s.parts[:0]
				}
			}
			if i++; buf[i] <= ' ' {
				i = skipSpace(buf, i)
			}
			if buf[i] != c+2 { // '{' and '}', and '[' and ']', are two apart
				if inObject {
					goto key
				}
				continue
			}
			i++
			depth--
			inObject = s.isObject(depth)
		case 't', 'f', 'n':
			if i = s.literal(i); i < 0 {
				return -1
			}
		default:
			if c != '-' && (c < '0' || c > '9') {
				return s.fail(i, unexpectedByte)
			}
			if i = s.number(i); i < 0 {
				return -1
			}
		}

		// A value ended before i: close the containers that end with it, then continue with the next value.
		for {
			if depth == 0 {
				return i
			}
			if depth <= 2 {
				inContent = false
				if f := wanted[depth]; f != noField {
					s.repeated = s.repeated || s.fields[f].end != 0
					s.fields[f] = span{uint32(begun[depth] - base), uint32(i - base)}
					wanted[depth] = noField
				}
			} else if inContent && (depth == 3 || depth == 4 && inObject) {
				if depth == 3 {
					key = span{}
				}
				s.parts = append(s.parts, blockMember{key, span{uint32(begun[depth] - base), uint32(i - base)}})
			}
			c := buf[i]
			if c <= ' ' {
				i = skipSpace(buf, i)
				c = buf[i]
			}
			if c == ',' {
				if i++; buf[i] <= ' ' {
					i = skipSpace(buf, i)
				}
				break
			}
			if (inObject && c == '}') || (!inObject && c == ']') {
				i++
				depth--
				inObject = s.isObject(depth)
				continue
			}
			return s.fail(i, unexpectedByte)
		}
		if !inObject {
			continue
		}

	key:
		if buf[i] != '"' {
			return s.fail(i, unexpectedByte)
		}
		keyStart := i + 1
		if i = s.str(keyStart); i < 0 {
			return -1
		}
		if depth == 1 {
			wanted[1] = recordField(plainKey(buf[keyStart:i]))
			if wanted[1] == fieldMessage {
				clear(s.fields[fieldRole:])
			}
		} else if depth == 2 && inMessage {
			wanted[2] = messageField(plainKey(buf[keyStart:i]))
		} else if depth == 4 && inContent {
			key = span{uint32(keyStart - base), uint32(i - base)}
		}
		if i++; buf[i] <= ' ' {
			i = skipSpace(buf, i)
		}
		if buf[i] != ':' {
			return s.fail(i, unexpectedByte)
		}
		if i++; buf[i] <= ' ' {
			i = skipSpace(buf, i)
		}
		if depth <= 4 {
			begun[depth] = i
		}
	}
}

func (s *scanner) push(depth int, object bool) {
	if object {
		s.open[depth>>6] |= 1 << (depth & 63)
	} else {
		s.open[depth>>6] &^= 1 << (depth & 63)
	}
}

func (s *scanner) isObject(depth int) bool { return s.open[depth>>6]>>(depth&63)&1 == 1 }

// str checks the string whose first byte is at i and returns the index of its closing quote. It goes from mark to mark.
func (s *scanner) str(i int) int {
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
			return i
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

// digits skips at least one digit.
func (s *scanner) digits(i int) int {
	if !isDigit(s.buf[i]) {
		return s.fail(i, badNumber)
	}
	for i++; isDigit(s.buf[i]); i++ {
	}
	return i
}

// skipSpace skips JSON white space except the newline, which ends the line.
func skipSpace(buf []byte, i int) int {
	for buf[i] == ' ' || buf[i] == '\t' || buf[i] == '\r' {
		i++
	}
	return i
}
