package jsonl

import (
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

const (
	aHeader = `{"type":"session","version":3,"id":"a","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`
	anEntry = `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z",` +
		`"message":{"role":"user","content":"Hello, you"}}`
)

// utf16LE is a text in UTF-16 with a byte order mark.
func utf16LE(text string) string {
	b := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return string(b)
}

func TestRecognize(t *testing.T) {
	illegible := []string{"torn header", "torn message", "NUL bytes inside", "UTF-16", "two on a line", "a list",
		"control character", "torn after the version", "torn after the parent"}
	long := strings.Repeat("x", 3*mendedLine)
	for name, text := range map[string]string{
		"header":                 aHeader + "\n",
		"headerless":             anEntry + "\n",
		"nothing":                "",
		"blank lines":            "\n \n\r\n",
		"torn header":            aHeader[:40],
		"torn message":           anEntry[:len(anEntry)-5],
		"torn after the version": aHeader[:35],
		"torn after the parent":  anEntry[:60],
		"NUL bytes before":       strings.Repeat("\x00", 2*searchedLine) + "\n" + anEntry,
		"NUL bytes inside":       aHeader[:50] + "\x00\x00" + aHeader[50:],
		"UTF-16":                 utf16LE(aHeader + "\n" + anEntry),
		"byte order mark":        "\xef\xbb\xbf" + aHeader,
		"two on a line":          aHeader + anEntry,
		"a list":                 "[" + aHeader + "," + anEntry + "]",
		"control character":      strings.Replace(anEntry, ", you", ",\x01 you", 1),
		"invalid UTF-8":          strings.Replace(anEntry, ", you", "\xff", 1),
		"long first line":        strings.Replace(anEntry, ", you", long, 1),
		"longer first line":      strings.Replace(anEntry, ", you", strings.Repeat(long, searchedLine/mendedLine), 1),
		"long turn":              `{"type":"user","content":"` + long + `","ts":1777629601.5}`,
		"many damaged lines":     strings.Repeat("}\n", 2*mendedLines) + anEntry,
		"records of others":      strings.Repeat(`{"level":"info"}`+"\n", 2*mendedLines) + anEntry,
		"text before a record":   "-- cut here --\n" + anEntry,
		"a null role":            strings.Replace(anEntry, `"user"`, "null", 1),
	} {
		found, err := new(Reader).Recognize(iotest.OneByteReader(strings.NewReader(text)), nil)
		isIllegible := slices.Contains(illegible, name)
		if err != nil || !found.IsTranscript || found.IsIllegible != isIllegible {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

func TestRecognizeOthers(t *testing.T) {
	for name, text := range map[string]string{
		"log":          `{"ts":"2026-05-01T10:00:00Z","level":"info","msg":"hello"}` + "\n",
		"examples":     `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}` + "\n",
		"events":       `{"type":"event","id":"e1","parentId":null}` + "\n",
		"spans":        `{"type":"span","id":"e1","parentId":"e0","timestamp":"2026-05-01T10:00:00.000Z"}` + "\n",
		"lists":        "[1,2]\n[3,4]\n",
		"list":         `[{"role":"user","content":"hi"}]`,
		"numbers":      "1\n2\n",
		"objects":      "{}\n{}\n",
		"prose":        "Dear diary,\n\nnothing happened.\n",
		"NUL bytes":    strings.Repeat("\x00", 4096),
		"torn example": `{"messages":[{"role":"user","content":"hi"},{"role":"assi`,
		"torn type":    anEntry[:30],
		"torn header":  `{"type":"session","tool":"x","version":3,"id":"17776`,
		"torn row":     `{"type":"message","user":"U1","text":"hi","ts":"17776`,
		"brackets":     strings.Repeat("[", 100_000),
		"a quotation":  "As in " + aHeader + "\n",
	} {
		found, err := new(Reader).Recognize(strings.NewReader(text), nil)
		if err != nil || found.IsTranscript {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// What fits a dialect only because of its place is decided by the caller.
func TestRecognizeMore(t *testing.T) {
	isRow := func(rec *Record) bool { return rec.Get("row").IsObject() }
	text := "{\"kind\":\"header\"}\n{\"row\":{}}\n"
	if found, err := new(Reader).Recognize(strings.NewReader(text), isRow); err != nil || !found.IsTranscript {
		t.Errorf("%v, %v", found, err)
	}
}
