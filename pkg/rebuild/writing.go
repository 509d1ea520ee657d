package rebuild

import (
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
)

// inner returns the inside of a JSON string: text that can be joined with other such text.
func inner(v jsonl.Value) string {
	if !v.IsString() {
		return ""
	}
	return string(v.UTF8()[1 : len(v.UTF8())-1])
}

// quoteInner returns a text as the inside of a JSON string.
func quoteInner(text string) string {
	q := jsonl.Quote(text)
	return q[1 : len(q)-1]
}

// An object is a JSON object that is being modified: its members in order, each key once. The zero object is empty.
type object struct {
	keys   []string
	values map[string]string
}

// objectOf parses an object. For a repeated key, the last value counts, in the position of the first.
func objectOf(v jsonl.Value) *object {
	o := &object{}
	for key, value := range v.Members() {
		o.set(key, string(value.UTF8()))
	}
	return o
}

func (o *object) set(key, value string) {
	if o.values == nil {
		o.values = map[string]string{}
	}
	if _, known := o.values[key]; !known {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

// replace sets a value, or deletes it if it is "".
func (o *object) replace(key, value string) {
	if value == "" {
		o.delete(key)
		return
	}
	o.set(key, value)
}

func (o *object) delete(key string) {
	delete(o.values, key)
	o.keys = slices.DeleteFunc(o.keys, func(k string) bool { return k == key })
}

func (o *object) String() string {
	var members []string
	for _, key := range o.keys {
		members = append(members, jsonl.Quote(key)+":"+o.values[key])
	}
	return "{" + strings.Join(members, ",") + "}"
}

// textBlock returns a text block whose text is the inside of a JSON string.
func textBlock(inside string) string { return `{"type":"text","text":"` + inside + `"}` }

// textList returns a content that is a text, the inside of a JSON string.
func textList(inside string) string { return list([]string{textBlock(inside)}) }

// contentList returns a content in which a text is a list of one block.
func contentList(content jsonl.Value) string {
	if content.IsString() {
		return textList(inner(content))
	}
	return string(content.UTF8())
}

// elements returns the elements of an array as they are written.
func elements(v jsonl.Value) (list []string) {
	for e := range v.Elements() {
		list = append(list, string(e.UTF8()))
	}
	return list
}

// list joins JSON values into an array.
func list(values []string) string { return "[" + strings.Join(values, ",") + "]" }
