package javascript

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// AppendSorted appends a value as JSON.stringify writes it if the keys of every object are sorted. If a key is
// repeated, its last value counts.
func AppendSorted(dst []byte, v jsonl.Value) []byte {
	switch {
	case v.IsString():
		return appendString(dst, v[1:len(v)-1])
	case v.IsNumber():
		return appendNumber(dst, v.Float())
	case v.IsArray():
		return appendArray(dst, v)
	case v.IsObject():
		return appendObject(dst, v)
	}
	return append(dst, v...)
}

func appendArray(dst []byte, v jsonl.Value) []byte {
	dst = append(dst, '[')
	first := true
	for element := range v.Elements() {
		if !first {
			dst = append(dst, ',')
		}
		dst, first = AppendSorted(dst, element), false
	}
	return append(dst, ']')
}

func appendObject(dst []byte, v jsonl.Value) []byte {
	var space [16]jsonl.Member
	members := space[:0]
	for key, value := range v.Fields() {
		members = append(members, jsonl.Member{Key: key, Value: value})
	}
	return AppendSortedMembers(dst, members)
}

// AppendSortedMembers is AppendSorted for an object whose members are known. It sorts them.
func AppendSortedMembers(dst []byte, members []jsonl.Member) []byte {
	slices.SortStableFunc(members, func(a, b jsonl.Member) int { return compareUnits(a.Key, b.Key) })
	dst = append(dst, '{')
	for i, m := range members {
		if i+1 < len(members) && bytes.Equal(m.Key, members[i+1].Key) {
			continue // the last value counts
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = AppendSorted(append(appendDecoded(dst, m.Key), ':'), m.Value)
	}
	return append(dst, '}')
}

// compareUnits compares texts by their units of UTF-16, as JavaScript does. Characters beyond the first 65,536 are
// written with surrogates, which come before the last of the others.
func compareUnits(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) || n == len(b) {
		return len(a) - len(b)
	}
	if x, y := a[n], b[n]; x >= 0xee && y >= 0xee && (x >= 0xf0) != (y >= 0xf0) {
		return int(y) - int(x)
	}
	return int(a[n]) - int(b[n])
}

// appendString appends a string. Nearly every one is already written as JavaScript writes it.
func appendString(dst, inside []byte) []byte {
	if !hasPlainEscapes(inside) || !jsontext.ValidUTF8(inside) {
		return appendDecoded(dst, jsontext.Decode(nil, inside))
	}
	return append(append(append(dst, '"'), inside...), '"')
}

// hasPlainEscapes reports whether JavaScript writes every escape of a string as it is.
func hasPlainEscapes(inside []byte) bool {
	for {
		at := bytes.IndexByte(inside, '\\')
		if at < 0 {
			return true
		}
		if c := inside[at+1]; c == 'u' || c == '/' {
			return false
		}
		inside = inside[at+2:]
	}
}

// appendDecoded appends a text as a string. Halves of characters are escaped.
func appendDecoded(dst, text []byte) []byte {
	dst = append(dst, '"')
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1 && isHalf(text):
			unit := int64(text[0]&15)<<12 | int64(text[1]&63)<<6 | int64(text[2]&63)
			dst = strconv.AppendInt(append(dst, `\u`...), unit, 16)
			size = 3
		case r == utf8.RuneError && size == 1:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		case jsontext.QuotedLen(r) > 1:
			quoted := jsontext.Quote(string(r))
			dst = append(dst, quoted[1:len(quoted)-1]...)
		default:
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
	return append(dst, '"')
}

// isHalf reports whether a text begins with half of a character, as jsontext.Decode writes it.
func isHalf(text []byte) bool {
	return len(text) >= 3 && text[0] == 0xed && text[1] >= 0xa0 && text[2]&0xc0 == 0x80
}

// appendNumber appends a number as JavaScript writes it.
func appendNumber(dst []byte, n float64) []byte {
	size := math.Abs(n)
	switch {
	case n == 0:
		return append(dst, '0') // without the sign
	case math.IsInf(n, 0):
		return append(dst, "null"...)
	case size >= 1e-6 && size < 1e21:
		return strconv.AppendFloat(dst, n, 'f', -1, 64)
	}
	text := strconv.AppendFloat(nil, n, 'e', -1, 64)
	if at := bytes.IndexByte(text, 'e') + 2; text[at] == '0' { // the exponent has at least two digits in Go
		text = slices.Delete(text, at, at+1)
	}
	return append(dst, text...)
}
