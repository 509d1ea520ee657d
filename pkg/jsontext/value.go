package jsontext

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"iter"
	"math/bits"
	"strconv"
	"sync"

	"github.com/tidwall/gjson"
)

// A Value is the JSON text of a value in a scanned record, and known to be well-formed. It is a view: nothing is
// decoded or copied until it is needed, and it is valid as long as its record. The nil Value is a missing one. If a key
// is repeated the last one counts, as in every program that writes transcripts (gjson's own paths use the first).
type Value []byte

// Exists reports whether there is a value. null is a value.
func (v Value) Exists() bool { return len(v) > 0 }

// IsString reports whether the value is a string.
func (v Value) IsString() bool { return len(v) > 0 && v[0] == '"' }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return len(v) > 0 && v[0] == '{' }

// IsArray reports whether the value is an array.
func (v Value) IsArray() bool { return len(v) > 0 && v[0] == '[' }

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return len(v) > 0 && v[0] == 'n' }

// IsTrue reports whether the value is true.
func (v Value) IsTrue() bool { return len(v) > 0 && v[0] == 't' }

// IsNumber reports whether the value is a number.
func (v Value) IsNumber() bool { return len(v) > 0 && (v[0] == '-' || isDigit(v[0])) }

// String decodes a string, and returns "" for every other value. A lone surrogate becomes U+FFFD, and so does a byte
// that is not UTF-8.
func (v Value) String() string {
	if !v.IsString() {
		return ""
	}
	v = ReplaceBadUTF8(v)
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	if bytes.Contains(v, []byte(`\ud`)) || bytes.Contains(v, []byte(`\uD`)) {
		var s string // Decode keeps halves of pairs apart
		_ = json.Unmarshal(v, &s)
		return s
	}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	text := Decode((*buffer)[:0], v[1:len(v)-1])
	if cap(text) <= maxBuffer {
		*buffer = text
	}
	return string(text)
}

// buffers hold texts until they are copied. Buffers larger than maxBuffer are not kept.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxBuffer = 64 << 10

// Bytes decodes a string as String does. It copies nothing if there is nothing to decode.
func (v Value) Bytes() []byte {
	if !v.IsString() {
		return nil
	}
	if bytes.IndexByte(v, '\\') < 0 && ValidUTF8(v) {
		return v[1 : len(v)-1]
	}
	return []byte(v.String())
}

// Is reports whether the value is a string with this ASCII text.
func (v Value) Is(text string) bool {
	if bytes.IndexByte(v, '\\') < 0 {
		return v.IsString() && string(v[1:len(v)-1]) == text
	}
	return v.String() == text
}

// UTF8 returns the value as valid UTF-8. Invalid bytes become U+FFFD, as in JavaScript programs.
func (v Value) UTF8() Value { return ReplaceBadUTF8(v) }

// Int returns a number without its fraction, or 0 for every other value.
func (v Value) Int() int64 {
	if !v.IsNumber() {
		return 0
	}
	if n, ok := parseShort(v); ok {
		return n
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n
	}
	return gjson.ParseBytes(v).Int()
}

// parseShort reads an integer of at most 18 digits, which nearly every number in a transcript is.
func parseShort(digits []byte) (n int64, ok bool) {
	if len(digits) > 18 {
		return 0, false
	}
	for _, c := range digits {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// Float returns a number, or 0 for every other value.
func (v Value) Float() float64 {
	if !v.IsNumber() {
		return 0
	}
	if n, ok := parseDecimal(v); ok {
		return n
	}
	n, _ := strconv.ParseFloat(string(v), 64) // infinite if it is too large
	return n
}

// parseDecimal reads a number such as 0.0182, as most prices are. Up to 15 digits and the power of ten are floating
// point numbers themselves, so the result of one division is the nearest one.
func parseDecimal(text []byte) (n float64, ok bool) {
	point := bytes.IndexByte(text, '.')
	if point < 0 || len(text) > 16 {
		return 0, false
	}
	whole, ok := parseShort(text[:point])
	if !ok {
		return 0, false
	}
	places := text[point+1:]
	part, ok := parseShort(places)
	scale := powersOfTen[len(places)]
	return (float64(whole)*scale + float64(part)) / scale, ok
}

// powersOfTen has as many powers as parseDecimal needs.
var powersOfTen = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// Strings returns the strings of an array.
func (v Value) Strings() (list []string) {
	for e := range v.Elements() {
		if e.IsString() {
			list = append(list, e.String())
		}
	}
	return list
}

// Get returns the value of a key of an object, or nil if there is none.
func (v Value) Get(key string) (value Value) {
	for k, member := range v.members() {
		if string(PlainKey(k)) == key {
			value = member
		}
	}
	return value
}

// Members returns the keys and values of an object in order, including repeated keys.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for key, value := range v.members() {
			if !yield(string(ReplaceBadUTF8(PlainKey(key))), value) {
				return
			}
		}
	}
}

// Fields is Members without copies: keys are bytes, valid as long as the value.
func (v Value) Fields() iter.Seq2[[]byte, Value] {
	return func(yield func([]byte, Value) bool) {
		for key, value := range v.members() {
			if !yield(PlainKey(key), value) {
				return
			}
		}
	}
}

// members returns the keys as they are written, without copying them.
func (v Value) members() iter.Seq2[[]byte, Value] {
	return func(yield func([]byte, Value) bool) {
		for key, value := range v.Spans() {
			if !yield(v[key.Start:key.End], v[value.Start:value.End:value.End]) {
				return
			}
		}
	}
}

// A Span is a part of a value.
type Span struct{ Start, End uint32 }

// Spans returns where the keys and values of an object are.
func (v Value) Spans() iter.Seq2[Span, Span] {
	return func(yield func(key, value Span) bool) {
		if !v.IsObject() {
			return
		}
		for i := next(v, 1); v[i] == '"'; {
			end := skipString(v, i+1)
			key := Span{uint32(i + 1), uint32(end)}
			i = next(v, next(v, end+1)+1)
			end = AfterValue(v, i)
			if !yield(key, Span{uint32(i), uint32(end)}) {
				return
			}
			i = afterComma(v, end)
		}
	}
}

// Elements returns the values of an array in order.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if !v.IsArray() {
			return
		}
		for start, end := range Elements(v, 0) {
			if !yield(v[start:end:end]) {
				return
			}
		}
	}
}

// next skips white space.
func next(text []byte, i int) int {
	for text[i] <= ' ' {
		i++
	}
	return i
}

// skipString returns the index of the quote that closes the string whose first byte is at i. It looks at eight bytes at
// a time, and leaves long strings and those with escapes to a search.
func skipString(text []byte, i int) int {
	for at := i; at+8 <= len(text) && at < i+32; at += 8 {
		word := binary.LittleEndian.Uint64(text[at:])
		if found := firstZero(word^quotes) | firstZero(word^slashes); found != 0 {
			if at += bits.TrailingZeros64(found) / 8; text[at] == '"' {
				return at
			}
			break
		}
	}
	return StringEnd(text, i)
}

// firstZero sets the highest bit of the first byte that is 0. The bytes behind it may be set too.
func firstZero(word uint64) uint64 { return (word - ones) &^ word & highs }

// AfterValue returns the index after the value at an index of a well-formed text.
func AfterValue(text []byte, i int) int {
	switch text[i] {
	case '"':
		return skipString(text, i+1) + 1
	case '{', '[':
		return skipContainer(text, i)
	}
	for i < len(text) && !endsScalar[text[i]] {
		i++
	}
	return i
}

// endsScalar says which bytes end a number or a literal.
var endsScalar = func() (ends [256]bool) {
	for c := range ends {
		ends[c] = c <= ' ' || c == ',' || c == '}' || c == ']'
	}
	return ends
}()

func skipContainer(text []byte, i int) int {
	for depth := 0; ; i++ {
		switch text[i] {
		case '"':
			i = skipString(text, i+1)
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// PlainKey returns the text of an object's key without escapes.
func PlainKey(key []byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key
	}
	quoted := append(append([]byte{'"'}, key...), '"')
	return []byte(Value(quoted).String())
}

// Eight equal bytes, for comparing eight bytes at a time.
const (
	ones    = 0x0101010101010101
	highs   = 0x80 * ones
	lows    = 0x7f * ones
	quotes  = '"' * ones
	slashes = '\\' * ones
)

func isDigit(c byte) bool { return c-'0' <= 9 }
