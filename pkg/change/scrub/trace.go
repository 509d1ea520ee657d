package scrub

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf16"

	"clawctl/pkg/change/secrets"
)

// A Value is a secret that somebody wants to be removed.
type Value struct {
	Text string
	Rule string // that found it, or "value" if the user named it
}

// Fingerprint names the value without showing it.
func (v Value) Fingerprint() string { return secrets.Fingerprint(v.Text) }

// A trace is where a text has a value, in whatever form.
type trace struct {
	Start, End int
	Value      int // the index of the value
}

// Forms says in which forms a Tracer finds values.
const Forms = `as it is, with the escapes of JSON (to any depth), \xNN and octal, in URLs, in HTML, over several ` +
	`lines, ` +
	"in hex, and in base64 (of UTF-8, of UTF-16 and of base64)"

// A tracer finds values in raw bytes. It shares no code with the rules that find secrets, so that it can check them.
type tracer struct {
	values  []Value
	needles []needle
}

// A needle is a text that gives a value away.
type needle struct {
	value  int
	text   []byte
	margin int  // how many characters of base64 around it may have bits of the value
	in     form // of the text that it is looked for in
}

// A form of a text is how it is looked at.
type form int

const (
	plainForm  form = iota // as it is
	foldedForm             // folded
	tightForm              // folded, and without spaces
	formCount
)

// shortestEncoded is how long a value must be to be looked for in base64. The code of a shorter one is in other data
// by chance.
const shortestEncoded = 8

// newTracer returns a tracer for values.
func newTracer(values []Value) *tracer {
	t := &tracer{values: values}
	for i, v := range values {
		t.add(needle{value: i, text: []byte(v.Text)})
		form := fold([]byte(v.Text))
		t.add(needle{value: i, text: form.text, in: foldedForm})
		if strings.Contains(v.Text, `\`) { // the letter after a backslash is no escape if the backslash is one
			t.add(needle{value: i, text: fold([]byte(strings.ReplaceAll(v.Text, `\`, ""))).text, in: foldedForm})
		}
		if tight := form.tight().text; strings.Contains(v.Text, " ") && len(tight) >= shortestWrapped {
			t.add(needle{value: i, text: tight, in: tightForm})
		}
		if len(v.Text) >= shortestEncoded {
			t.needles = append(t.needles, encodedNeedles(i, v.Text)...)
		}
	}
	slices.SortStableFunc(t.needles, needle.compare)
	t.needles = slices.CompactFunc(t.needles, func(a, b needle) bool { return a.compare(b) == 0 })
	return t
}

// compare orders needles. Equal ones find the same.
func (n needle) compare(other needle) int {
	return cmp.Or(cmp.Compare(n.value, other.value), cmp.Compare(n.in, other.in), bytes.Compare(n.text, other.text))
}

// add adds a needle, unless it is so short that it is in other words.
func (t *tracer) add(n needle) {
	if len(n.text) >= shortest {
		t.needles = append(t.needles, n)
	}
}

// shortest is how long the folded form of a value must be. It is that of values themselves.
const shortest = 4

// encodedNeedles returns what programs make of the bytes of a value: hex, base64, base64 of UTF-16 as PowerShell writes
// it, and base64 of base64.
func encodedNeedles(value int, text string) (list []needle) {
	add := func(code string, margin int) {
		list = append(list, needle{value: value, text: []byte(code), margin: margin, in: foldedForm})
	}
	add(hex.EncodeToString([]byte(text)), 0)
	add(strings.ToUpper(hex.EncodeToString([]byte(text))), 0)
	for _, code := range base64Of(text) {
		add(code, 1)
		for _, twice := range base64Of(code) {
			add(twice, 3)
		}
	}
	var wide []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		wide = binary.LittleEndian.AppendUint16(wide, unit)
	}
	for _, code := range base64Of(string(wide)) {
		add(code, 1)
	}
	return list
}

// base64Of returns the base64 of a text, wherever in a longer text it begins. Only the characters that depend on
// nothing else count.
func base64Of(text string) (codes []string) {
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			code := encoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + text))
			codes = append(codes, code[(8*shift+5)/6:8*(shift+len(text))/6])
		}
	}
	return codes
}

// has reports whether a text has a value.
func (t *tracer) has(raw []byte) bool { return len(t.search(raw, true)) > 0 }

// find returns where a text has values, in order and without overlaps.
func (t *tracer) find(raw []byte) []trace { return joined(t.search(raw, false)) }

func (t *tracer) search(raw []byte, first bool) []trace {
	var list []trace
	var forms [formCount]*foldedText
	for _, n := range t.needles {
		in := formOf(raw, n.in, &forms)
		for from := 0; ; {
			at := bytes.Index(in.text[from:], n.text)
			if at < 0 {
				break
			}
			start, end := n.origin(in, from+at)
			if from += at + 1; !n.isIn(raw, start, end) {
				continue
			}
			if list = append(list, trace{start, end, n.value}); first {
				return list
			}
		}
	}
	return list
}

// formOf returns a form of a text, which is made when it is needed first.
func formOf(raw []byte, as form, made *[formCount]*foldedText) *foldedText {
	if made[as] == nil {
		switch as {
		case plainForm:
			made[as] = &foldedText{text: raw}
		case foldedForm:
			made[as] = fold(raw)
		default:
			made[as] = formOf(raw, foldedForm, made).tight()
		}
	}
	return made[as]
}

// origin returns the range of a text that a needle was found in, at an index of a form.
func (n *needle) origin(in *foldedText, at int) (start, end int) {
	start, end = at, at+len(n.text)
	if n.margin > 0 {
		start, end = widen(in.text, start, end, n.margin)
	}
	return in.origin(start, end)
}

// isIn reports whether a range really has the value: it does not begin inside an escape, and a short one is not
// wrapped.
func (n *needle) isIn(raw []byte, start, end int) bool {
	if n.in == plainForm {
		return !isTail(raw, start)
	}
	return len(n.text) >= shortestWrapped || !isWrapped(raw[start:end])
}

// shortestWrapped is how long a value must be to be looked for across the end of a line.
const shortestWrapped = 12

// isWrapped reports whether a text has the end of a line in it, plain or as an escape.
func isWrapped(raw []byte) bool {
	return bytes.ContainsAny(raw, "\r\n") || bytes.Contains(raw, []byte(`\n`)) || bytes.Contains(raw, []byte(`\r`))
}

// isTail reports whether the character at an index is the last one of an escape such as \n, and not a letter.
func isTail(raw []byte, at int) bool {
	run := 0
	for run < at && raw[at-1-run] == '\\' {
		run++
	}
	return run%2 == 1 && bytes.IndexByte([]byte("bfnrtu"), raw[at]) >= 0
}

// widen adds the characters beside a piece of base64 that have a part of the value in them.
func widen(text []byte, start, end, margin int) (int, int) {
	for n := 0; n < margin && start > 0 && isBase64(text[start-1]); n++ {
		start--
	}
	for n := 0; n < margin && end < len(text) && isBase64(text[end]); n++ {
		end++
	}
	for end < len(text) && text[end] == '=' {
		end++
	}
	return start, end
}

func isBase64(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || bytes.IndexByte([]byte("+/-_"), c) >= 0
}

// joined sorts traces and joins those that overlap.
func joined(list []trace) []trace {
	slices.SortFunc(list, func(a, b trace) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.Value, b.Value))
	})
	out := list[:0]
	for _, t := range list {
		if n := len(out); n > 0 && t.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, t.End)
			continue
		}
		out = append(out, t)
	}
	return out
}
