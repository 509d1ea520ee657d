package tokens

import (
	"encoding/base64"
	"encoding/binary"
	"strings"

	"clawctl/pkg/jsonl"
)

// A Counter counts the tokens of a text. It is safe for concurrent use.
type Counter interface{ Count(text string) int }

// What a message costs, everywhere in clawctl:
//
//   - its texts and its thinking, as the counter counts them;
//   - of a tool call the name of the tool and the arguments as they stand in JSON;
//   - of a tool result its texts and images;
//   - an image a token for every 750 pixels, as Anthropic counts, after it is scaled so that no side is longer than 1568;
//     1600 where its size cannot be told;
//   - 4 tokens for the message itself.
const (
	MessageOverhead = 4
	unknownImage    = 1600
	pixelsPerToken  = 750
	longestSide     = 1568
)

// A Part is one block of a message and what it costs.
type Part struct {
	Type   string // text, thinking, toolCall, toolResult, image, or the type that the block states
	Tool   string // of a call
	Tokens int
}

// EachPart gives the parts of a message's content.
func EachPart(m jsonl.Message, c Counter, yield func(Part)) {
	result := m.Role() == jsonl.RoleToolResult
	if content := m.Content(); content.IsObject() { // the only block, or a value of its own
		p := PartOf(jsonl.Block{Value: content}, c)
		if p.Type == "" {
			p = Part{Type: jsonl.BlockToolResult, Tokens: c.Count(string(content.UTF8()))}
		}
		yield(p)
		return
	}
	for b := range m.Blocks() {
		p := PartOf(b, c)
		if result && p.Type == jsonl.BlockText {
			p.Type = jsonl.BlockToolResult
		}
		yield(p)
	}
	switch m.Role() {
	case jsonl.RoleBashExecution:
		yield(Part{Type: jsonl.BlockText, Tokens: c.Count(m.Get("command").String()) + c.Count(m.Get("output").String())})
	}
}

// PartOf returns what one block costs.
func PartOf(b jsonl.Block, c Counter) Part {
	p := Part{Type: b.Type()}
	call, isCall := b.ToolCall()
	image, isImage := b.Image()
	switch {
	case isCall:
		p.Tool, p.Tokens = call.Name, c.Count(call.Name)+c.Count(call.Arguments)
	case isImage:
		p.Tokens = ImageTokens(image.Data)
	case p.Type == jsonl.BlockToolResult:
		for inner := range jsonl.BlocksOf(b.Get("content")) {
			p.Tokens += PartOf(inner, c).Tokens
		}
	default:
		p.Tokens = c.Count(b.Text())
	}
	return p
}

// MessageTokens returns what a message costs.
func MessageTokens(m jsonl.Message, c Counter) int {
	tokens := MessageOverhead
	EachPart(m, c, func(p Part) { tokens += p.Tokens })
	return tokens
}

// ImageTokens returns what an image in base64 costs.
func ImageTokens(data string) int {
	width, height := imageSize(data)
	if width == 0 || height == 0 {
		return unknownImage
	}
	if long := max(width, height); long > longestSide {
		width, height = width*longestSide/long, height*longestSide/long
	}
	return max(1, (width*height+pixelsPerToken-1)/pixelsPerToken)
}

// headerSize is how much of an image is looked at for its size.
const headerSize = 48 << 10

// imageSize reads the size that the header of an image states, 0 where it cannot be told.
func imageSize(data string) (width, height int) {
	n := min(len(data), headerSize) / 4 * 4
	head, err := base64.StdEncoding.DecodeString(strings.TrimRight(data[:n], "="))
	if err != nil {
		head, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(data[:n], "="))
	}
	switch text := string(head); {
	case err != nil:
	case strings.HasPrefix(text, "\x89PNG\r\n\x1a\n") && len(head) >= 24:
		return int(binary.BigEndian.Uint32(head[16:])), int(binary.BigEndian.Uint32(head[20:]))
	case strings.HasPrefix(text, "GIF8") && len(head) >= 10:
		return int(binary.LittleEndian.Uint16(head[6:])), int(binary.LittleEndian.Uint16(head[8:]))
	case strings.HasPrefix(text, "RIFF") && len(head) >= 30 && text[8:12] == "WEBP":
		return webpSize(head)
	case strings.HasPrefix(text, "\xff\xd8"):
		return jpegSize(head)
	}
	return 0, 0
}

// webpSize knows the three kinds of WebP.
func webpSize(head []byte) (width, height int) {
	switch string(head[12:16]) {
	case "VP8 ":
		return int(binary.LittleEndian.Uint16(head[26:]) & 0x3fff), int(binary.LittleEndian.Uint16(head[28:]) & 0x3fff)
	case "VP8L":
		bits := binary.LittleEndian.Uint32(head[21:])
		return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1
	case "VP8X":
		return int(head[24]) | int(head[25])<<8 | int(head[26])<<16 + 1, int(head[27]) | int(head[28])<<8 | int(head[29])<<16 + 1
	}
	return 0, 0
}

// jpegSize looks for the frame of a JPEG.
func jpegSize(head []byte) (width, height int) {
	for i := 2; i+9 < len(head) && head[i] == 0xff; {
		marker := head[i+1]
		if marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc {
			return int(binary.BigEndian.Uint16(head[i+7:])), int(binary.BigEndian.Uint16(head[i+5:]))
		}
		i += 2 + int(binary.BigEndian.Uint16(head[i+2:]))
	}
	return 0, 0
}
