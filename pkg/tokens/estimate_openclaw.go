package tokens

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
)

// OpenClaw's estimate of a message: a token for every four characters, as in pi's. But a character of Chinese, Japanese
// or Korean counts as several, an image as many, and what a summary leaves out or adds counts with the words for it.
const (
	openClawImage = 8000 // characters, which are 2,000 tokens

	omittedImage = "[image data omitted from summary input]"
	omittedOther = "[non-text data omitted from summary input]"
	omittedLabel = 17 // characters that go with either
)

// EstimateOpenClaw returns OpenClaw's estimate of a record that its model sees. role is that of the message that
// OpenClaw makes of a message record. What OpenClaw fails on counts nothing.
func EstimateOpenClaw(rec *jsonl.Record, role string) int {
	return (openClawRecord(rec, role) + 3) / 4
}

// EstimateOpenClawText returns OpenClaw's estimate of a text, such as the summary of a compaction.
func EstimateOpenClawText(text string) int { return (weightedChars(text) + 3) / 4 }

func openClawRecord(rec *jsonl.Record, role string) int {
	m, ok := rec.Message()
	switch {
	case !ok && rec.Type() == jsonl.TypeCustomMessage:
		return openClawContent(rec.Get("content"))
	case !ok:
		return weightedChars(rec.Get("summary").String())
	case m.Get("excludeFromContext").IsTrue():
		return 0
	}
	switch role {
	case jsonl.RoleAssistant:
		return openClawAnswer(m.Content())
	case jsonl.RoleUser:
		return openClawContent(m.Content()) + senderChars(m.Get("__openclaw"))
	case jsonl.RoleCustom, jsonl.RoleToolResult:
		return openClawContent(m.Content())
	case jsonl.RoleBashExecution:
		return weightedChars(m.Get("command").String()) + weightedChars(m.Get("output").String())
	}
	return 0
}

// openClawAnswer counts the blocks of an answer. OpenClaw knows calls only by their newest name. An answer that is a
// bare string has become a text.
func openClawAnswer(content jsonl.Value) int {
	var chars int
	if content.IsString() {
		return weightedChars(content.String())
	}
	for b := range content.Elements() {
		switch kind := b.Get("type"); {
		case kind.Is("text"):
			chars += weightedChars(b.Get("text").String())
		case kind.Is("thinking"):
			chars += weightedChars(b.Get("thinking").String())
		case kind.Is("toolCall"):
			chars += weightedChars(b.Get("name").String()) + openClawArguments(b.Get("arguments"))
		}
	}
	return chars
}

// openClawArguments counts the arguments of a call as JSON. JavaScript has a word for missing ones.
func openClawArguments(v jsonl.Value) int {
	if !v.Exists() {
		return len("undefined")
	}
	return scriptChars(v, weightedChars)
}

// openClawContent counts the content of any message except an answer: its texts, with a line end between two of them,
// its images, and the words for what a summary omits.
func openClawContent(content jsonl.Value) int {
	if content.IsString() {
		return weightedChars(content.String())
	}
	chars, texts, images, others := 0, 0, 0, 0
	for b := range elementsOf(content) {
		switch text := openClawText(b); {
		case text != "":
			chars += weightedChars(text)
			texts++
		case b.Get("type").Is("image"):
			images++
		case !b.Get("type").Is("text"):
			others++
		}
	}
	return chars + max(0, texts-1) + images*openClawImage + omissionChars(images > 0, others > 0)
}

// elementsOf returns the blocks of a content. The content of an old result may be one of them.
func elementsOf(content jsonl.Value) iter.Seq[jsonl.Value] {
	if content.IsObject() {
		return slices.Values([]jsonl.Value{content})
	}
	return content.Elements()
}

// openClawText returns the text of a block that is a text or the result of a tool.
func openClawText(b jsonl.Value) string {
	kind := b.Get("type")
	isResult := kind.Is("toolResult") || kind.Is("tool_result")
	if !isResult && !kind.Is("text") {
		return ""
	}
	text := b.Get("text").String()
	if text == "" && isResult {
		return b.Get("content").String()
	}
	return text
}

// omissionChars counts the words for images and for other blocks without a text.
func omissionChars(image, other bool) int {
	switch {
	case image && other:
		return len(omittedImage) + len("\n") + len(omittedOther) + omittedLabel
	case image:
		return len(omittedImage) + omittedLabel
	case other:
		return len(omittedOther) + omittedLabel
	}
	return 0
}

// senderChars counts what OpenClaw writes about the sender of a message: ` sender={"id":"1","name":"Ann"}`. It writes
// nothing if it does not know the id.
func senderChars(metadata jsonl.Value) int {
	var chars int
	for _, f := range [...]struct{ name, key string }{
		{"id", "senderId"}, {"name", "senderName"}, {"username", "senderUsername"},
	} {
		text := javascript.Trim(strings.ReplaceAll(metadata.Get(f.key).String(), "\x00", ""))
		switch {
		case text != "":
			chars += len(`"":,`) + len(f.name) + quotedChars(text, weightedChars)
		case f.name == "id":
			return 0
		}
	}
	return chars + len(` sender={}`) - len(",")
}

// weightedChars returns the length of a text in UTF-16, in which OpenClaw counts the characters of Chinese, Japanese
// and Korean several times.
func weightedChars(text string) int {
	n := len(text)
	for _, r := range text {
		if r >= 0x80 {
			n += weight(r)
		}
	}
	return n
}

// weight returns the length of a character besides its bytes in UTF-8.
func weight(r rune) int {
	n := 1
	if r > 0xffff {
		n = 2
	}
	return n + extraWeight(r) - utf8.RuneLen(r)
}

// extraWeight returns how many characters more than its length in UTF-16 OpenClaw counts.
func extraWeight(r rune) int {
	if r < weightedRanges[0].first {
		return 0
	}
	at, _ := slices.BinarySearchFunc(weightedRanges, r, func(w weightedRange, r rune) int {
		return cmp.Compare(w.last, r)
	})
	if at < len(weightedRanges) && r >= weightedRanges[at].first {
		return weightedRanges[at].extra
	}
	return 0
}

// A weightedRange is a range of characters that OpenClaw counts more than once.
type weightedRange struct {
	first, last rune
	extra       int
}

// The characters that a common character, a rare one, one of two tokens, and those outside the basic plane count in
// addition to their length.
const (
	common   = 3
	twoToken = 7
	rare     = 11
	counting = 10
	beyond   = 14
)

// weightedRanges are in order.
var weightedRanges = []weightedRange{
	{0xb7, 0xb7, common},
	{0x2c7, 0x2c7, twoToken}, {0x2c9, 0x2cb, twoToken}, {0x2d9, 0x2d9, twoToken}, {0x2ea, 0x2eb, twoToken},
	{0x305, 0x305, twoToken}, {0x323, 0x323, twoToken},
	{0x1100, 0x11ff, rare}, {0x2e80, 0x2fff, rare}, {0x3000, 0x319f, common}, {0x31a0, 0x4dff, rare},
	{0x4e00, 0x9fa5, common}, {0x9fa6, 0x9fff, rare}, {0xa000, 0xa4ff, rare}, {0xa700, 0xa707, rare},
	{0xa960, 0xa97f, rare}, {0xac00, 0xd7af, common}, {0xd7b0, 0xd7ff, rare}, {0xf900, 0xfaff, rare},
	{0xfe10, 0xfe4f, twoToken}, {0xff01, 0xff60, common}, {0xff61, 0xffdc, twoToken}, {0xffe0, 0xffe6, twoToken},
	{0x16fe0, 0x16fff, beyond}, {0x1aff0, 0x1b16f, beyond}, {0x1d360, 0x1d371, counting}, {0x1f200, 0x1f2ff, beyond},
	{0x20000, 0x2fa1f, beyond}, {0x30000, 0x3347f, beyond},
}
