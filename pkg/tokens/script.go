package tokens

import (
	"math"
	"strconv"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// scriptChars returns the length of a value after JavaScript's JSON.stringify: without white space, with as few escapes
// as possible, and with the last value of a repeated key. length measures a text.
func scriptChars(v jsonl.Value, length func(string) int) int {
	var chars int
	switch {
	case v.IsString():
		return scriptString(v, length)
	case v.IsObject():
		return scriptObject(v, length)
	case v.IsArray():
		chars = 1
		for element := range v.Elements() {
			chars += scriptChars(element, length) + len(",")
		}
		return max(chars, 2)
	case v.IsNumber():
		return scriptNumber(v)
	}
	return len(v)
}

func scriptObject(v jsonl.Value, length func(string) int) int {
	members := map[string]int{}
	for key, member := range v.Fields() {
		members[string(key)] = quotedChars(string(key), length) + len(":,") + scriptChars(member, length)
	}
	chars := 1
	for _, n := range members {
		chars += n
	}
	return max(chars, 2)
}

// scriptNumber is scriptChars for a number, which JavaScript writes in its shortest form.
func scriptNumber(v jsonl.Value) int {
	if len(v) <= 15 && v[0] != '-' && !strings.ContainsAny(string(v), ".eE") {
		return len(v) // nearly always
	}
	switch f := v.Float(); {
	case f == 0:
		return len("0")
	case math.IsInf(f, 0):
		return len("null")
	case math.Abs(f) >= 1e-6 && math.Abs(f) < 1e21:
		return len(strconv.FormatFloat(f, 'f', -1, 64))
	default:
		text := strconv.FormatFloat(f, 'e', -1, 64)
		return len(text) - strings.Count(text, "e-0") // JavaScript writes 1e-7, Go 1e-07
	}
}

// scriptString is scriptChars for a string. A string without a backslash keeps its length. Half of a character is
// written as an escape.
func scriptString(v jsonl.Value, length func(string) int) int {
	text := v.String()
	if strings.IndexByte(string(v), '\\') < 0 {
		return length(text) + len(`""`)
	}
	const halfGrows = len(`\ud83d`) - 1
	return quotedChars(text, length) + halfGrows*jsontext.CountLoneSurrogates(v)
}

// quotedChars returns the length of a text as a JSON string.
func quotedChars(text string, length func(string) int) int {
	n := length(text) + len(`""`)
	for _, r := range text {
		n += jsontext.QuotedLen(r) - 1
	}
	return n
}
