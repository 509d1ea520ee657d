package slim

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// A piece is a part of a line that may go.
type piece struct {
	kind       Kind
	start, end int    // of the value: a block, a string, or an object
	part       int    // its number among the parts of what it is in, from 0
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
	var spans [][2]int
	for _, m := range message {
		spans = append(spans, [2]int{m.Start, m.End})
		switch {
		case m.Key == "content" && text[m.Value] == '[':
			list = append(list, blockPieces(text, m.Value, isResult)...)
		case (m.Key == "content" || m.Key == "output") && text[m.Value] == '"' && isResult:
			list = append(list, piece{kind: Results, start: m.Value, end: m.End})
		case m.Key == "details" && isResult && (text[m.Value] == '{' || text[m.Value] == '['):
			list = append(list, piece{kind: Details, start: m.Value, end: m.End, part: len(spans) - 1})
		}
	}
	cutOut(list, spans, Details)
	return list
}

func blockPieces(text []byte, at int, isResult bool) []piece {
	var list []piece
	var spans [][2]int
	for start, end := range jsontext.Elements(text, at) {
		span := [2]int{start, end}
		spans = append(spans, span)
		if text[start] != '{' {
			continue
		}
		if p, ok := blockPiece(text, span, isResult); ok {
			p.part = len(spans) - 1
			list = append(list, p)
		}
	}
	cutOut(list, spans, Thinking)
	return list
}

// cutOut decides what goes with each of the pieces of a kind, if all of them go. parts are where all members of the
// object are, or all elements of the array. A message is never empty, so one thought stays to be replaced.
func cutOut(list []piece, parts [][2]int, kind Kind) {
	goes := map[int]int{} // pieces, by their part
	for i, p := range list {
		if p.kind == kind {
			goes[p.part] = i
		}
	}
	isGone := func(i int) bool { _, ok := goes[i]; return ok }
	for part, cut := range jsontext.Cuts(parts, isGone) {
		p := &list[goes[part]]
		p.from, p.to = cut[0], cut[1]
		p.only = part == 0 && len(goes) == len(parts) && kind == Thinking
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
