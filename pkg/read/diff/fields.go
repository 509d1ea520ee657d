package diff

import (
	"bytes"
	"regexp"
	"strconv"
	"sync"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsonl/content"
)

// A Field is a difference between two records at one path. Its values are views of the records.
type Field struct {
	Path     string      // such as message.content[0].text; "" for the whole line
	Old, New jsonl.Value // nil if the side does not have it
}

// isText reports whether both values are texts that are worth comparing word by word: strings with white space.
func (f *Field) isText() bool {
	return f.Old.IsString() && f.New.IsString() && (hasSpace(f.Old) || hasSpace(f.New))
}

func hasSpace(v jsonl.Value) bool {
	return bytes.ContainsAny(v, " \t") || bytes.Contains(v, []byte(`\n`))
}

// isRounded reports whether a program has read a number and written the nearest one that JavaScript can hold.
func (f *Field) isRounded() bool {
	if !f.Old.IsNumber() || !f.New.IsNumber() {
		return false
	}
	before, err := strconv.ParseFloat(string(f.Old), 64)
	after, err2 := strconv.ParseFloat(string(f.New), 64)
	return err == nil && err2 == nil && before == after
}

// maxDepth is how deep values are compared member by member. A deeper value is compared as a whole, so that the time
// stays linear in the size of a record.
const maxDepth = 32

// Fields returns the differences between two records. If a line is damaged, or if the records differ only in how they
// are written, it is the whole line.
func Fields(a, b *jsonl.Record) []Field {
	var f fields
	if a.Legible() && b.Legible() {
		f.compare("", a.Value(), b.Value(), 0)
	}
	if len(f.list) == 0 {
		f.add("", a.Text(), b.Text())
	}
	return f.list
}

// fields collects differences.
type fields struct {
	list []Field
	buf  []byte
}

func (f *fields) add(path string, before, after jsonl.Value) {
	f.list = append(f.list, Field{path, before, after})
}

// isSame reports whether two values have the same content.
func (f *fields) isSame(a, b jsonl.Value) bool {
	if bytes.Equal(a, b) {
		return true
	}
	return a.Exists() && b.Exists() && content.OfValue(a, &f.buf) == content.OfValue(b, &f.buf)
}

func (f *fields) compare(path string, a, b jsonl.Value, depth int) {
	switch {
	case f.isSame(a, b):
	case depth < maxDepth && a.IsObject() && b.IsObject() && f.objects(path, a, b, depth):
	case depth < maxDepth && a.IsArray() && b.IsArray():
		f.arrays(path, a, b, depth)
	default:
		f.add(path, a, b)
	}
}

// objects compares objects by their keys, unless one of them repeats a key.
func (f *fields) objects(path string, a, b jsonl.Value, depth int) bool {
	before, after := membersOf(a), membersOf(b)
	if before == nil || after == nil {
		return false
	}
	for key, value := range a.Members() {
		f.compare(joinKey(path, key), value, after[key], depth+1)
	}
	for key, value := range b.Members() {
		if _, known := before[key]; !known {
			f.add(joinKey(path, key), nil, value)
		}
	}
	return true
}

// membersOf returns the members of an object, nil if a key is repeated.
func membersOf(v jsonl.Value) map[string]jsonl.Value {
	members := map[string]jsonl.Value{}
	for key, value := range v.Members() {
		if _, known := members[key]; known {
			return nil
		}
		members[key] = value
	}
	return members
}

// arrays compares the elements between those that both arrays begin and end with. An index is that of the array that
// has the element, the first one if both have it.
func (f *fields) arrays(path string, a, b jsonl.Value, depth int) {
	before, after := elementsOf(a), elementsOf(b)
	start := 0
	for start < min(len(before), len(after)) && f.isSame(before[start], after[start]) {
		start++
	}
	endA, endB := len(before), len(after)
	for endA > start && endB > start && f.isSame(before[endA-1], after[endB-1]) {
		endA, endB = endA-1, endB-1
	}
	for i := start; i < max(endA, endB); i++ {
		at := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case i >= endA:
			f.add(at, nil, after[i])
		case i >= endB:
			f.add(at, before[i], nil)
		default:
			f.compare(at, before[i], after[i], depth+1)
		}
	}
}

func elementsOf(v jsonl.Value) (list []jsonl.Value) {
	for e := range v.Elements() {
		list = append(list, e)
	}
	return list
}

var plainKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)
})

// joinKey returns the path of a member.
func joinKey(path, key string) string {
	switch {
	case !plainKey().MatchString(key):
		return path + "[" + jsonl.Quote(key) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}
