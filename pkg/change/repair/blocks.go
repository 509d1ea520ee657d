package repair

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/read/media"
	"clawctl/pkg/rebuild"
)

// blankBlocks stands for every text block of a message that consists of white space.
const blankBlocks = -1

// contentOwner returns the object of a record that has the content, and a function that puts it back.
func contentOwner(record jsonl.Value) (owner jsonl.Value, putBack func(owner jsonl.Value) jsonl.Value) {
	if message := record.Get("message"); message.IsObject() {
		return message, func(owner jsonl.Value) jsonl.Value { return record.With("message", owner) }
	}
	return record, func(owner jsonl.Value) jsonl.Value { return owner }
}

// withBlocks changes the blocks of a message. A block that becomes nil is removed.
func withBlocks(message jsonl.Value, change func(at int, block jsonl.Value) jsonl.Value) jsonl.Value {
	content := message.Get("content")
	if content.IsObject() {
		content = jsontext.List([]jsonl.Value{content})
	}
	if !content.IsArray() {
		return message
	}
	blocks, at := []jsonl.Value{}, 0
	for block := range content.Elements() {
		if block = change(at, block); block != nil {
			blocks = append(blocks, block)
		}
		at++
	}
	return message.With("content", jsontext.List(blocks))
}

// isBlank reports whether a block is text that consists of white space.
func isBlank(block jsonl.Value) bool {
	if block.Get("type").String() != jsonl.BlockText.String() {
		return false
	}
	text := block.Get("text")
	return !text.IsString() || jsontext.IsWhite(text[1:len(text)-1])
}

// dropBlocks removes blocks that cannot be sent. If nothing is left to send, the message keeps them and is left out of
// the context instead.
func (m *conversationMender) dropBlocks(rec *jsonl.Record, value jsonl.Value, dropped map[int]failure.Code) (
	_ jsonl.Value, isKept bool,
) {
	owner, putBack := contentOwner(value)
	isResult := owner.Get("role").String() == jsonl.RoleToolResult
	var costs []blockCost
	rest := 0 // blocks that can be sent
	changed := withBlocks(owner, func(at int, block jsonl.Value) jsonl.Value {
		code, isDropped := dropped[at]
		if !isDropped && isBlank(block) {
			code, isDropped = dropped[blankBlocks]
		}
		if !isDropped {
			if kind := block.Get("type").String(); !isBlank(block) && !strings.HasSuffix(kind, "thinking") {
				rest++
			}
			return block
		}
		costs = append(costs, blockCost{code, block})
		return nil
	})
	if rest == 0 && !isResult {
		return m.hide(rec, value, rebuild.Fix{Code: firstCode(dropped), Remedy: rebuild.Remedy{Block: -1}},
			", because nothing in it can be sent")
	}
	isOdd := slices.ContainsFunc(costs, func(c blockCost) bool { return c.code == rebuild.OddBlock })
	if isResult && !isOdd {
		return putBack(m.fillResult(rec, changed, firstCode(dropped))), true
	}
	if isOdd { // nobody knows what is in it
		m.sheet.quarantined = append(m.sheet.quarantined, bytes.Clone(rec.Raw))
	}
	for _, c := range costs {
		m.sheet.note(c.code, rec, c.words(), c.cost())
	}
	return putBack(changed), true
}

// firstCode returns the code of the first block. Those that blankBlocks stands for come last.
func firstCode(dropped map[int]failure.Code) failure.Code {
	blocks := slices.Collect(maps.Keys(dropped))
	return dropped[slices.MinFunc(blocks, func(a, b int) int { return cmp.Compare(uint(a), uint(b)) })]
}

// A blockCost is a block that is removed.
type blockCost struct {
	code  failure.Code
	block jsonl.Value
}

func (c blockCost) words() string {
	switch c.code {
	case rebuild.BadSignature:
		return "remove the thinking block"
	case rebuild.NoContent:
		return "remove the blank text"
	case rebuild.OddBlock:
		return "remove the block of type " + jsonl.Quote(c.block.Get("type").String()) +
			" and keep the line as it was in the quarantine file"
	}
	return "remove the unfinished tool call"
}

func (c blockCost) cost() string {
	switch c.code {
	case rebuild.BadSignature:
		return "drops " + countOf(len(c.block.Get("thinking").String()), "byte") + " of thinking"
	case rebuild.NoContent:
		return ""
	case rebuild.OddBlock:
		return "drops " + countOf(len(c.block), "byte")
	}
	return "drops " + countOf(len(c.block), "byte") + " of an unfinished call"
}

// noOutput is the text of a failed result that has none.
const noOutput = "(no output)"

// fillResult mends a result without content. Only one that reports an error needs a text.
func (m *conversationMender) fillResult(rec *jsonl.Record, message jsonl.Value, code failure.Code) jsonl.Value {
	content := message.Get("content")
	if content.IsString() {
		content = jsonl.Value("[]")
	}
	hasBlocks := false
	for range content.Elements() {
		hasBlocks = true
	}
	if message.Get("isError").IsTrue() && !hasBlocks {
		m.sheet.note(code, rec, `give the failed result the text "`+noOutput+`"`, "")
		return message.With("content", jsontext.List([]jsonl.Value{textBlock(noOutput)}))
	}
	m.sheet.note(code, rec, blockCost{code: code}.words(), "")
	return message.With("content", content)
}

// maxImage is the maximum size of an image in base64 that the API accepts.
const maxImage = 5 << 20

// badImage is the text instead of an image that is none.
const badImage = "[An image was left out: its data was damaged.]"

// mendImages corrects the types of images, and replaces data that is not an image.
func (m *conversationMender) mendImages(rec *jsonl.Record, value jsonl.Value) jsonl.Value {
	owner, putBack := contentOwner(value)
	changed := withBlocks(owner, func(_ int, block jsonl.Value) jsonl.Value {
		if block.Get("type").String() != "image" {
			return block
		}
		mime, data := imageOf(block)
		text := jsonl.Value(jsonl.Quote(data))
		actual := media.ImageType(text)
		isImage := actual != "" && media.IsBase64(text[1:len(text)-1])
		switch {
		case len(data) > maxImage || isImage && actual == mime:
			return block
		case isImage:
			m.sheet.note(rebuild.BadImage, rec, fmt.Sprintf("correct the type of the image to %s", actual), "")
			return withImageType(block, actual)
		}
		m.sheet.note(rebuild.BadImage, rec, "replace the damaged image with a line of text",
			"drops "+countOf(len(data), "byte")+" of image data")
		return textBlock(badImage)
	})
	return putBack(changed)
}

// imageOf returns the type and the data of an image, in OpenClaw's form or the API's.
func imageOf(block jsonl.Value) (mime, data string) {
	if source := block.Get("source"); source.IsObject() {
		return source.Get("media_type").String(), source.Get("data").String()
	}
	return block.Get("mimeType").String(), block.Get("data").String()
}

func withImageType(block jsonl.Value, mime string) jsonl.Value {
	if source := block.Get("source"); source.IsObject() {
		return block.With("source", source.WithText("media_type", mime))
	}
	return block.WithText("mimeType", mime)
}
