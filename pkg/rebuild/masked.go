package rebuild

import (
	"bytes"
	"strings"

	"clawctl/pkg/jsonl"
)

// OpenClaw masks what looks like a key in the texts that it writes. A short one becomes three asterisks. A longer one
// keeps its first six and its last four characters, with an ellipsis between them. What is inside of a private key
// becomes one word.
const (
	maskStars = "***"
	maskDots  = "…"
	maskBlock = "…redacted…"
	maskStart = 6
	maskEnd   = 4
)

// hasMask reports whether a text, or a list of blocks, has something that OpenClaw masked. What Markdown writes with
// three asterisks is no mask: a rule, or text that is bold and italic.
func hasMask(v jsonl.Value) bool { return hasStars(v) || hasDots(v) }

func hasStars(text []byte) bool {
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte(maskStars))
		if at < 0 {
			return false
		}
		start := from + at
		end := start
		for end < len(text) && text[end] == '*' {
			end++
		}
		if end-start == len(maskStars) && isStarMask(text, start, end) {
			return true
		}
		from = end
	}
}

// isStarMask reports whether the asterisks between two indexes stand for a value: something is before them that a value
// follows, or after them that ends one, and they are not alone on their line.
func isStarMask(text []byte, start, end int) bool {
	before, after := lineBefore(text[:start]), text[end:]
	endsLine := len(after) == 0 || after[0] == '"' || bytes.HasPrefix(after, []byte(`\n`)) ||
		bytes.HasPrefix(after, []byte(`\r`))
	said := bytes.TrimLeft(before, " \t") // white space alone is nothing that a value follows
	switch {
	case len(before) == 0 && endsLine:
		return isFieldValue(text, start, end)
	case len(said) == 0, bytes.HasPrefix(said, []byte(maskStars)): // a heading between asterisks
		return false
	}
	return strings.IndexByte("=:\"'`([{,&?<>|\\ \t", before[len(before)-1]) >= 0 &&
		(endsLine || strings.IndexByte("\"'`)]},;&@<>|\\ \t.!?:", after[0]) >= 0)
}

// nearMask is how far before asterisks the beginning of their line is looked for, so that the time stays linear.
const nearMask = 200

// lineBefore returns what is before a place on the same line of a JSON string. A line begins with the string.
func lineBefore(text []byte) []byte {
	text = text[max(0, len(text)-nearMask):]
	if at := bytes.LastIndex(text, []byte(`\n`)); at >= 0 {
		text = text[at+len(`\n`):]
	}
	if at := bytes.LastIndexByte(text, '"'); at >= 0 && (at == 0 || text[at-1] != '\\') {
		text = text[at+1:]
	}
	return text
}

// isFieldValue reports whether the asterisks are the whole value of a field. A text that consists of them is a rule.
func isFieldValue(text []byte, start, end int) bool {
	if start < 2 || end >= len(text) || text[start-1] != '"' || text[end] != '"' {
		return false
	}
	key := bytes.TrimRight(text[:start-1], " \t")
	return bytes.HasSuffix(key, []byte(":")) && !bytes.HasSuffix(key, []byte(`"text":`))
}

func hasDots(text []byte) bool {
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte(maskDots))
		if at < 0 {
			return false
		}
		start := from + at
		from = start + len(maskDots)
		if bytes.HasPrefix(text[start:], []byte(maskBlock)) || isDotMask(text[:start], text[from:]) {
			return true
		}
	}
}

// isDotMask reports whether an ellipsis stands for the middle of a key. Prose has ellipses between words, which look
// like neither a key nor the value of something.
func isDotMask(before, after []byte) bool {
	head, tail := before, after
	for len(head) > 0 && len(before)-len(head) <= maskStart+1 && isKeyChar(head[len(head)-1]) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && len(after)-len(tail) <= maskEnd && isKeyChar(tail[0]) {
		tail = tail[1:]
	}
	first, last := before[len(head):], after[:len(after)-len(tail)]
	if len(head) > 0 && head[len(head)-1] == '\\' && len(first) > 0 { // the letter of an escape
		first = first[1:]
	}
	if len(first) != maskStart || len(last) != maskEnd {
		return false
	}
	return beginsValue(head) || bytes.ContainsAny(first[1:], keySigns) || bytes.ContainsAny(last, keySigns)
}

// beginsValue reports whether the value of something follows a text. A quote that is not escaped begins a JSON string,
// which may be prose.
func beginsValue(text []byte) bool {
	if inside, isQuote := bytes.CutSuffix(text, []byte(`"`)); isQuote {
		return bytes.HasSuffix(inside, []byte(`\`)) ||
			bytes.HasSuffix(inside, []byte(`":`)) && !bytes.HasSuffix(inside, []byte(`"text":`))
	}
	return len(text) > 0 && bytes.IndexByte([]byte("='`:"), text[len(text)-1]) >= 0
}

// keySigns are characters of keys that words do not have after their first letter.
const keySigns = "0123456789-_ABCDEFGHIJKLMNOPQRSTUVWXYZ"

func isKeyChar(c byte) bool {
	return c-'0' <= 9 || c|0x20-'a' <= 'z'-'a' || c == '-' || c == '_' || c == '+' || c == '/'
}
