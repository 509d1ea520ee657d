// Package content compares lines of transcripts by what they say instead of how they are written.
package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// A Sum identifies a line by its content: a record by its value, any other line by its bytes.
//
// Two records have the same content if they differ only in what JSON does not count: white space, escapes, the order of
// keys, and the spelling of numbers with equal decimal values, such as 1.0 and 1. A number that a program has rounded
// is another value, and so is null instead of 1e999, or another lone surrogate. An object with a repeated key is
// compared as written, because a program that rewrites it loses a member.
type Sum [sha256.Size]byte

// Of returns the sum of a line. The buffer is reused.
func Of(rec *jsonl.Record, buf *[]byte) Sum {
	if rec.Damage != nil || rec.Blank {
		return sha256.Sum256(append(append((*buf)[:0], lineTag), rec.Text()...))
	}
	return OfValue(rec.Stated(), buf)
}

// OfValue returns the sum of a value. Values of different lines with the same content have the same sum. The buffer is
// reused.
func OfValue(v jsonl.Value, buf *[]byte) Sum {
	e := encoder{text: v, out: append((*buf)[:0], recordTag)}
	e.value()
	*buf = e.out
	return sha256.Sum256(e.out)
}

// The tags of an encoder. They keep different kinds of values apart.
const (
	lineTag byte = iota
	recordTag
	literalTag
	numberTag
	stringTag
	arrayTag
	objectTag
)

// An encoder encodes a well-formed JSON text in one pass, so that equal content has equal bytes. Containers are encoded
// as sums, which keeps the time linear however deep they are nested.
type encoder struct {
	text []byte
	at   int
	out  []byte
}

// value encodes the value at the current position.
func (e *encoder) value() {
	e.at = jsontext.SkipSpace(e.text, e.at)
	switch e.text[e.at] {
	case '{':
		e.object()
	case '[':
		e.array()
	case '"':
		e.leaf(stringTag, func(dst, text []byte) []byte { return jsontext.Decode(dst, text[1:len(text)-1]) })
	case 't', 'f', 'n':
		e.leaf(literalTag, func(dst, text []byte) []byte { return append(dst, text...) })
	default:
		e.leaf(numberTag, appendDecimal)
	}
}

// leaf encodes the value at the current position with a tag and its length, and moves behind it.
func (e *encoder) leaf(tag byte, encode func(dst, text []byte) []byte) {
	start, begin := len(e.out), e.at
	e.at = jsontext.AfterValue(e.text, begin)
	e.out = encode(append(e.out, tag, 0, 0, 0, 0), e.text[begin:e.at])
	binary.LittleEndian.PutUint32(e.out[start+1:], uint32(len(e.out)-start-5))
}

func (e *encoder) array() {
	start := len(e.out)
	for e.at++; !e.ends(']'); {
		e.value()
	}
	e.seal(start, arrayTag, sha256.Sum256(e.out[start:]))
}

// A member is where the key and the value of an object's member are encoded.
type member struct{ key, value, end int }

func (e *encoder) object() {
	begin, start := e.at, len(e.out)
	var list []member
	for e.at++; !e.ends('}'); {
		m := member{key: len(e.out)}
		e.value()
		m.value = len(e.out)
		e.at = jsontext.SkipSpace(e.text, e.at) + 1 // after the colon
		e.value()
		m.end = len(e.out)
		list = append(list, m)
	}
	e.seal(start, objectTag, e.objectSum(list, e.text[begin:e.at]))
}

// objectSum is the sum of the members in the order of their keys, or that of the text if a key is repeated.
func (e *encoder) objectSum(list []member, text []byte) Sum {
	var sum Sum
	keyOf := func(m member) []byte { return e.out[m.key:m.value] }
	slices.SortFunc(list, func(a, b member) int { return bytes.Compare(keyOf(a), keyOf(b)) })
	h := sha256.New()
	for i, m := range list {
		if i > 0 && bytes.Equal(keyOf(m), keyOf(list[i-1])) {
			return sha256.Sum256(append([]byte{lineTag}, text...))
		}
		h.Write(e.out[m.key:m.end])
	}
	h.Sum(sum[:0])
	return sum
}

// seal replaces the encoding of a container's parts with their sum.
func (e *encoder) seal(start int, tag byte, sum Sum) {
	e.out = append(append(e.out[:start], tag), sum[:]...)
}

// ends reports whether the container ends here, and moves behind its end or the comma before the next part.
func (e *encoder) ends(bracket byte) bool {
	e.at = jsontext.SkipSpace(e.text, e.at)
	if e.text[e.at] == ',' {
		e.at++
		return false
	}
	if e.text[e.at] != bracket {
		return false
	}
	e.at++
	return true
}

// appendDecimal appends a number as its digits, without zeros at either end, and an exponent. All spellings of a
// decimal value give the same text. A number whose exponent is beyond 64 bits is appended as written.
func appendDecimal(dst, number []byte) []byte {
	mantissa, exponent := number, int64(0)
	if at := bytes.IndexAny(number, "eE"); at >= 0 {
		var err error
		if exponent, err = strconv.ParseInt(string(number[at+1:]), 10, 64); err != nil {
			return append(dst, number...)
		}
		mantissa = number[:at]
	}
	mantissa, negative := bytes.CutPrefix(mantissa, []byte("-"))
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := slices.Concat(whole, fraction)
	significant := bytes.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(significant) - len(fraction))
	if significant = bytes.TrimLeft(significant, "0"); len(significant) == 0 {
		return append(dst, '0') // also for -0
	}
	if negative {
		dst = append(dst, '-')
	}
	return strconv.AppendInt(append(append(dst, significant...), 'e'), exponent, 10)
}
