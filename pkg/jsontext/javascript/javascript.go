// Package javascript reads values the way the JavaScript of OpenClaw and pi does: what counts as true, as a number, as
// white space, and as a date.
package javascript

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"clawctl/internal/regex"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// IsTruthy reports whether JavaScript treats a value as true.
func IsTruthy(v jsonl.Value) bool {
	switch {
	case !v.Exists(), v.IsNull(), string(v) == "false", string(v) == `""`:
		return false
	case v.IsNumber():
		return v.Float() != 0
	}
	return true
}

// IsBoolean reports whether a value is true or false.
func IsBoolean(v jsonl.Value) bool { return v.IsTrue() || string(v) == "false" }

// decimal matches the decimal numbers that JavaScript converts. Go takes more, such as 1_0 and inf.
var decimal = regex.Lazy(`^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$`)

// number returns the number that JavaScript converts a string to.
func number(text string) float64 {
	text = Trim(text)
	switch {
	case text == "":
		return 0
	case text == "Infinity" || text == "+Infinity":
		return math.Inf(1)
	case text == "-Infinity":
		return math.Inf(-1)
	case decimal().MatchString(text):
		n, _ := strconv.ParseFloat(text, 64) // infinite if it is too large, as in JavaScript
		return n
	}
	return prefixedNumber(text)
}

// prefixedNumber reads a hexadecimal, octal or binary number without a sign. Everything else is NaN.
func prefixedNumber(text string) float64 {
	bases := map[string]int{"0x": 16, "0o": 8, "0b": 2}
	if len(text) < 3 || bases[strings.ToLower(text[:2])] == 0 {
		return math.NaN()
	}
	n, ok := new(big.Int).SetString(text[2:], bases[strings.ToLower(text[:2])])
	if !ok || strings.ContainsAny(text[2:], "+-_") {
		return math.NaN()
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}

// VersionNumber returns the number that JavaScript uses when it compares a header's version.
func VersionNumber(v jsonl.Value) float64 {
	if !v.Exists() || v.IsNull() {
		return 1
	}
	if v.IsArray() {
		return arrayNumber(v)
	}
	switch {
	case v.IsNumber():
		return v.Float()
	case v.IsString():
		return number(v.String())
	case v.IsTrue():
		return 1
	case v.IsObject():
		return math.NaN()
	}
	return 0 // false
}

// arrayNumber returns the number of an array, which JavaScript converts to a string first: that of its only element, 0
// for an empty one, and none for a list, whose string has commas.
func arrayNumber(v jsonl.Value) float64 {
	for v.IsArray() {
		var only jsonl.Value
		n := 0
		for only = range v.Elements() {
			n++
		}
		switch {
		case n == 0:
			return 0
		case n > 1:
			return math.NaN()
		}
		v = only
	}
	switch {
	case v.IsNull():
		return 0
	case IsBoolean(v):
		return math.NaN()
	}
	return VersionNumber(v)
}

// Trim removes the white space at both ends of a text.
func Trim(text string) string { return strings.TrimFunc(text, isSpace) }

// IsBlank reports whether a text is empty after JavaScript's trim.
func IsBlank(text string) bool { return Trim(text) == "" }

func isSpace(r rune) bool { return jsontext.IsJavaScriptSpace(r) }
