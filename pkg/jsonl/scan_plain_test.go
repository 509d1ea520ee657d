package jsonl

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/pkg/jsontext"
)

// A plainScanner finds the same as a scanner with one loop for all levels.
type plainScanner struct{ scanner }

func (s *plainScanner) scan(buf []byte, start int) int {
	s.buf, s.fields = buf, &[fieldCount]span{}
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

func (s *plainScanner) value(i, base int) int {
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
			if i = s.longString(i + 1); i < 0 {
				return -1
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return s.fail(i, tooDeep)
			}
			inObject = c == '{'
			s.push(depth, inObject)
			if depth == 2 {
				inMessage = inObject && wanted[1] == fieldMessage
			} else if depth == 3 {
				if inContent = inMessage && !inObject && wanted[2] == FieldContent; inContent {
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
		if i = s.longString(keyStart); i < 0 {
			return -1
		}
		i--
		if depth == 1 {
			wanted[1] = recordFields().find(jsontext.PlainKey(buf[keyStart:i]))
			if wanted[1] == fieldMessage {
				clear(s.fields[FieldRole:])
			}
		} else if depth == 2 && inMessage {
			wanted[2] = messageFields().find(jsontext.PlainKey(buf[keyStart:i]))
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

// checkScan compares a scanner with a plain one: the verdict, its position, and all notes.
func checkScan(t testing.TB, line []byte) {
	t.Helper()
	buf := append(append([]byte("xyz"), line...), make([]byte, padding+1)...)
	buf[len(line)+3] = '\n'
	var got scanner
	var want plainScanner
	got.marks.set(buf, 0, len(line)+4)
	want.marks = got.marks
	end, wantEnd := got.scan(buf, 3, &[fieldCount]span{}), want.scan(buf, 3)
	if end != wantEnd || got.failure != want.failure || got.failedAt != want.failedAt || got.object != want.object {
		t.Fatalf("%q: got %d %d at %d, want %d %d at %d", line, end, got.failure, got.failedAt, wantEnd, want.failure,
			want.failedAt)
	}
	if *got.fields != *want.fields || got.repeated != want.repeated || got.surrogates != want.surrogates ||
		len(got.parts)+len(want.parts) > 0 && !reflect.DeepEqual(got.parts, want.parts) {
		t.Fatalf("%q: got %+v, want %+v", line, got.fields, want.fields)
	}
}

func TestScanIsPlain(t *testing.T) {
	seeds := seedLines(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, line := range seeds {
		checkScan(t, line)
	}
	for range longtest.Rounds(t, "CLAWCTL_MUTATIONS", 60_000, 1_000_000) {
		line := append([]byte(nil), seeds[r.IntN(len(seeds))]...)
		for range 1 + r.IntN(3) {
			line = mutate(r, line)
		}
		checkScan(t, line)
	}
}

func FuzzScanIsPlain(f *testing.F) {
	for _, line := range seedLines(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) { checkScan(t, line) })
}
