package repair

import (
	"clawctl/pkg/jsonl"
)

// with returns an object in which a key has a value. A new key comes last, and a repeated key occurs once.
func with(object jsonl.Value, key string, value []byte) jsonl.Value {
	return edited(object, key, value)
}

func without(object jsonl.Value, key string) jsonl.Value { return edited(object, key, nil) }

// edited replaces the value of a key, or removes the key if value is nil.
func edited(object jsonl.Value, key string, value []byte) jsonl.Value {
	out, done := []byte{'{'}, value == nil
	add := func(name string, v []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(jsonl.AppendQuote(out, name), ':')
		out = append(out, v...)
	}
	for name, v := range object.Members() {
		switch {
		case name != key:
			add(name, v)
		case !done:
			add(name, value)
			done = true
		}
	}
	if !done {
		add(key, value)
	}
	return append(out, '}')
}

func withText(object jsonl.Value, key, text string) jsonl.Value {
	return with(object, key, []byte(jsonl.Quote(text)))
}

func inMessage(record jsonl.Value, change func(message jsonl.Value) jsonl.Value) jsonl.Value {
	return with(record, "message", change(record.Get("message")))
}

// list returns an array of values.
func list(values []jsonl.Value) jsonl.Value {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
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
