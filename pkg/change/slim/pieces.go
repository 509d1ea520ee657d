package slim

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// A piece is a part of a line that may go.
type piece struct {
	kind       Kind
	start, end int    // of the value: a block, a string, or an object
	from, to   int    // of what goes if it is dropped, with its comma
	only       bool   // it cannot go without something in its place, such as the only block of a message
	mime       string // of an image
	data       [2]int // of the base64 text of an image, without its quotes
}

// pieces returns the pieces of a record, in order.
func pieces(text []byte) []piece {
	at := jsontext.SkipSpace(text, 0)
	root := membersOf(text, at)
	if message, ok := root.get("message"); ok && text[message.Value] == '{' {
		return messagePieces(text, membersOf(text, message.Value))
	}
	return messagePieces(text, root)
}

// members are those of an object. Of a repeated key the last counts.
type members []jsontext.Member

func membersOf(text []byte, at int) (list members) {
	for m := range jsontext.Members(text, at) {
		list = append(list, m)
	}
	return list
}

func (list members) get(key string) (m jsontext.Member, ok bool) {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Key == key {
			return list[i], true
		}
	}
	return m, false
}

func (list members) text(text []byte, key string) string {
	m, ok := list.get(key)
	if !ok || text[m.Value] != '"' {
		return ""
	}
	return jsonl.Value(text[m.Value:m.End]).String()
}

func messagePieces(text []byte, message members) []piece {
	var list []piece
	role := message.text(text, "role")
	isResult := role == jsonl.RoleToolResult || role == jsonl.RoleBashExecution ||
		message.text(text, "type") == "tool_result" // a line that is itself a result
	for i, m := range message {
		switch {
		case m.Key == "content" && text[m.Value] == '[':
			list = append(list, blockPieces(text, m.Value, isResult)...)
		case (m.Key == "content" || m.Key == "output") && text[m.Value] == '"' && isResult:
			list = append(list, piece{kind: Results, start: m.Value, end: m.End})
		case m.Key == "details" && isResult && (text[m.Value] == '{' || text[m.Value] == '['):
			p := piece{kind: Details, start: m.Value, end: m.End, from: m.Start, to: m.End}
			if i > 0 {
				p.from = message[i-1].End
			} else if len(message) > 1 {
				p.to = message[1].Start
			}
			list = append(list, p)
		}
	}
	return list
}

func blockPieces(text []byte, at int, isResult bool) []piece {
	var list []piece
	var spans [][2]int
	var thoughts []int
	for start, end := range jsontext.Elements(text, at) {
		span := [2]int{start, end}
		spans = append(spans, span)
		if text[start] != '{' {
			continue
		}
		if p, ok := blockPiece(text, span, isResult); ok {
			list = append(list, p)
			if p.kind == Thinking {
				thoughts = append(thoughts, len(spans)-1)
			}
		}
	}
	if len(thoughts) > 0 {
		withCommas(list, spans, thoughts)
	}
	return list
}

// withCommas decides what goes with each of the thoughts, if all of them go: the comma after it, or the one before it
// if nothing else follows. A message is never empty, so the last of thoughts only is replaced.
func withCommas(list []piece, spans [][2]int, thoughts []int) {
	rest := len(spans) // the thoughts from here on end the list
	for i := len(thoughts) - 1; i >= 0 && thoughts[i] == rest-1; i-- {
		rest--
	}
	n := 0
	for i := range list {
		p := &list[i]
		if p.kind != Thinking {
			continue
		}
		at := thoughts[n]
		n++
		switch {
		case at == len(spans)-1 && rest == 0:
			p.only = true
		case at >= rest && rest > 0:
			p.from, p.to = spans[at-1][1], p.end
		default:
			p.from, p.to = p.start, spans[at+1][0]
		}
	}
}

func blockPiece(text []byte, span [2]int, isResult bool) (p piece, ok bool) {
	b := jsonl.ReadBlock(jsonl.Value(text[span[0]:span[1]]))
	p = piece{start: span[0], end: span[1]}
	switch {
	case b.Kind == jsonl.BlockImage:
		mime, data := b.Image()
		p.kind, p.mime = Images, mime.String()
		if start, end := b.DataPlace(); data.IsString() {
			p.data = [2]int{span[0] + start + 1, span[0] + end - 1}
		}
		return p, true
	case b.Kind == jsonl.BlockThinking || b.Kind == jsonl.BlockRedacted:
		p.kind = Thinking
		return p, true
	case b.Kind == jsonl.BlockText && isResult:
		start, end := b.TextPlace()
		p.kind, p.start, p.end = Results, span[0]+start, span[0]+end
		return p, b.Text().IsString()
	}
	return p, false
}
