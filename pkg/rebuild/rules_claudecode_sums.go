package rebuild

import (
	"bytes"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
)

// The roles of the messages that Claude Code sends.
const (
	sentUser      = "user"
	sentAssistant = "assistant"
)

// claudePlainRole returns the role of a message that consists of nothing but the blocks of its rows, or "".
func claudePlainRole(g *group) string {
	switch {
	case len(g.open) > 0:
	case g.made == claudeAnswer && !g.bare:
		return sentAssistant
	case g.made == claudeUser && g.part == 0:
		return sentUser
	}
	return ""
}

// claudePiece reads the blocks of a row. Those of a row that may change others are not known: see claudePrompt.
func claudePiece(p *sentPiece, rec *jsonl.Record) {
	role := sentUser
	if rec.Role() == jsonl.RoleAssistant {
		role = sentAssistant
	}
	if rec.Damage != nil || isAddedRecord(rec) {
		return
	}
	content := rec.StatedContent()
	p.blocks = slices.Grow(p.blocks, len(content)+len(textBlock("")))
	if content.IsString() && role == sentUser {
		p.add(append(p.space[:0], jsonl.Member{Key: typeKey, Value: textType}, jsonl.Member{Key: textKey, Value: content}))
	}
	for members := range rec.StatedBlocks(&p.space) {
		if len(members) == 0 || role == sentUser && namesTool(members) {
			return
		}
		p.add(members)
	}
	if len(p.blocks) > 0 {
		p.role = role
	}
	if role == sentAssistant {
		p.beginsText = false // only texts of the user end their lines
	}
}

// isAddedRecord reports whether a record adds something that may become a part of the result before it.
func isAddedRecord(rec *jsonl.Record) bool {
	if rec.Type() == jsonl.TypeCustomMessage {
		return rec.Get("role").Exists()
	}
	return rec.Role() == jsonl.RoleUser && rec.Get("sentAs").Exists()
}

// The members of a text block.
var (
	typeKey, textKey = []byte("type"), []byte("text")
	textType         = jsonl.Value(`"text"`)
)

// afterText is what follows the text of a block that has nothing else, in the form whose hash is logged.
const afterText = `","type":"text"}`

// add adds a block.
func (p *sentPiece) add(members []jsonl.Member) {
	p.endsText, p.endsLine, p.after = isText(members), false, ""
	if len(p.blocks) > 0 {
		p.blocks = append(p.blocks, ',')
	} else {
		p.beginsText = p.endsText
	}
	p.blocks = javascript.AppendSortedMembers(p.blocks, members) // the text comes first
	if text := members[0]; p.endsText && len(members) == 2 && string(text.Key) == "text" && text.Value.IsString() {
		p.after, p.endsLine = afterText, bytes.HasSuffix(text.Value, []byte(`\n"`))
	}
}

// isText reports whether a block is a text. The last value of a key counts.
func isText(members []jsonl.Member) (is bool) {
	for _, m := range members {
		if string(m.Key) == "type" {
			is = m.Value.Is("text")
		}
	}
	return is
}

// namesTool reports whether a block may refer to a tool, which adds a text after the results.
func namesTool(members []jsonl.Member) bool {
	const name = `"tool_reference"`
	for _, m := range members {
		if string(m.Key) == name[1:len(name)-1] || string(m.Value) == name {
			return true
		}
		if !m.Value.IsString() && bytes.Contains(m.Value, []byte(name)) {
			return true
		}
	}
	return false
}
