package tokens

import "clawctl/pkg/jsonl"

// estimatedImage is the size that pi assumes for an image, in characters.
const estimatedImage = 4800

// Estimate returns pi's estimate of a message, which decides what a compaction keeps: a token for every four characters
// of its texts, thinking, calls and results, in UTF-16 units. Images count only in results and custom messages. It is
// not a token count. It makes clawctl cut where pi cuts.
func Estimate(m jsonl.Message) int { return (estimatedChars(m) + 3) / 4 }

func estimatedChars(m jsonl.Message) int {
	var chars int
	switch role := m.Role(); role {
	case jsonl.RoleUser, jsonl.RoleToolResult, jsonl.RoleCustom:
		chars = units(m.Content().String())
		chars += listChars(m.Content(), role != jsonl.RoleUser)
	case jsonl.RoleAssistant:
		for v := range m.Content().Elements() {
			chars += answerChars(jsonl.ReadBlock(v))
		}
	case jsonl.RoleBashExecution:
		chars = units(m.Get("command").String()) + units(m.Get("output").String())
	}
	return chars
}

// EstimateRecord is Estimate as pi 1.5 makes it, of everything that its model sees: images count in user messages too,
// and so do system messages, custom messages and the summaries of branches.
func EstimateRecord(rec *jsonl.Record) int {
	m, ok := rec.Message()
	switch {
	case !ok:
		return (contentChars(rec.Get("content")) + units(rec.Get("summary").String()) + 3) / 4
	case m.Role() == jsonl.RoleUser:
		return (contentChars(m.Content()) + 3) / 4
	case m.Role() == jsonl.RoleSystem:
		return (systemChars(rec.Get("message")) + 3) / 4
	}
	return Estimate(m)
}

// contentChars counts the texts and images of a content.
func contentChars(content jsonl.Value) int {
	return units(content.String()) + listChars(content, true)
}

// systemChars counts a system message of pi.
func systemChars(m jsonl.Value) int {
	chars := contentChars(m.Get("content"))
	for _, text := range m.Get("sections").Fields() {
		chars += units(text.String())
	}
	if tools := m.Get("toolsAdded"); tools.IsArray() {
		chars += scriptChars(tools, units)
	}
	return chars
}

// listChars counts the blocks of any message except an answer.
func listChars(content jsonl.Value, images bool) int {
	var chars int
	for v := range content.Elements() {
		switch b := jsonl.ReadBlock(v); {
		case b.Value.IsString(): // pi ignores it
		case b.Kind == jsonl.BlockText:
			chars += units(b.Text().String())
		case b.Kind == jsonl.BlockImage && images:
			chars += estimatedImage
		}
	}
	return chars
}

// answerChars counts a block of an answer. pi knows calls only by their newest name, and ignores an answer that is a
// bare string.
func answerChars(b jsonl.Block) int {
	switch {
	case b.Value.IsString():
	case b.Kind == jsonl.BlockText, b.Kind == jsonl.BlockThinking:
		return units(b.Text().String())
	case b.Kind == jsonl.BlockToolCall && b.StatedType().String() == jsonl.BlockToolCall.String():
		return units(b.ToolName().String()) + scriptChars(b.Arguments(), units)
	}
	return 0
}
