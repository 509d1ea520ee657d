package repair

import "clawctl/pkg/jsonl"

func inMessage(record jsonl.Value, change func(message jsonl.Value) jsonl.Value) jsonl.Value {
	return record.With("message", change(record.Get("message")))
}

func textBlock(text string) jsonl.Value {
	return jsonl.Value(`{"type":"text","text":` + jsonl.Quote(text) + `}`)
}

// linkOf returns an id as the value of a link, null if it is "".
func linkOf(id string) []byte {
	if id == "" {
		return []byte("null")
	}
	return []byte(jsonl.Quote(id))
}
