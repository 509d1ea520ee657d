package parts

import (
	"strconv"
	"time"

	"clawctl/pkg/jsonl"
)

// A Position says where an entry is in its tree.
type Position struct {
	OnPath    bool // between the root and the leaf
	InContext bool // the model sees it
	// Marked is set for the entry that a reader looks for.
	Marked bool
	// Unknown is set if only a part of the transcript was read, which does not tell.
	Unknown bool
}

// AppendJSON appends a part as a JSON object. Its text is copied from the record, not decoded and encoded again. What
// the entry was paid for is in its first part only, so that sums over parts are right.
func AppendJSON(dst []byte, e *Entry, p *Part, at Position) []byte {
	o := object{dst: append(dst, `{"schema_version":1,"kind":"`...), isValid: e.Record.Damage == nil}
	o.dst = append(append(o.dst, p.Kind...), '"')
	o.text("entry", e.ID)
	o.text("parent", e.Parent)
	o.number("part", int64(p.Number))
	if e.Line > 0 {
		o.number("line", e.Line)
	}
	if e.Offset >= 0 {
		o.number("offset", e.Offset)
	}
	if !e.Time.IsZero() {
		o.key("time")
		o.dst = append(e.Time.UTC().AppendFormat(append(o.dst, '"'), time.RFC3339Nano), '"')
	}
	o.text("role", e.Role)
	o.text("provider", e.Provider)
	o.text("model", e.Model)
	o.text("stop_reason", e.Stop)
	o.text("harness", e.Harness)
	o.text("path", e.Path)
	if p.Number == 0 && e.HasUsage {
		o.usage(e.Usage)
	}
	if !at.Unknown {
		o.flag("on_path", at.OnPath)
		o.flag("in_context", at.InContext && !p.Hidden)
	}
	if at.Marked {
		o.flag("marked", true)
	}
	if p.Failed {
		o.flag("failed", true)
	}
	if p.Added {
		o.flag("added", true)
	}
	o.value(nameKey(p.Kind), p.Name)
	o.value("call", p.Call)
	for _, f := range p.Fields {
		o.value(f.Name, f.Value)
	}
	o.body(p)
	return append(o.dst, '}')
}

// nameKey returns what the name of a part is called in JSON.
func nameKey(kind Kind) string {
	switch kind {
	case Call, Result:
		return "tool"
	case Image:
		return "mime_type"
	}
	return "name"
}

// An object is a JSON object that is being written. Empty values are left out.
type object struct {
	dst     []byte
	isValid bool // values are known to be UTF-8
}

func (o *object) key(name string) {
	o.dst = append(o.dst, ',', '"')
	o.dst = append(o.dst, name...)
	o.dst = append(o.dst, '"', ':')
}

func (o *object) text(name, value string) {
	if value != "" {
		o.key(name)
		o.dst = jsonl.AppendQuote(o.dst, value)
	}
}

func (o *object) number(name string, n int64) {
	o.key(name)
	o.dst = strconv.AppendInt(o.dst, n, 10)
}

func (o *object) flag(name string, set bool) {
	o.key(name)
	o.dst = strconv.AppendBool(o.dst, set)
}

func (o *object) value(name string, v jsonl.Value) {
	if v.Exists() {
		o.key(name)
		if !o.isValid {
			v = v.UTF8()
		}
		o.dst = append(o.dst, v...)
	}
}

func (o *object) usage(u jsonl.Usage) {
	o.key("tokens")
	o.dst = append(o.dst, `{"input":`...)
	o.dst = strconv.AppendInt(o.dst, u.Input, 10)
	o.number("output", u.Output)
	o.number("cache_read", u.CacheRead)
	o.number("cache_write", u.CacheWrite)
	o.number("total", u.Total)
	o.dst = append(o.dst, '}')
	if u.HasCost {
		o.key("cost_usd")
		o.dst = strconv.AppendFloat(o.dst, u.Cost, 'f', -1, 64)
	}
}

// body writes the body under a name that says what it is. An image is represented by its size.
func (o *object) body(p *Part) {
	switch {
	case p.Kind == Image:
		o.number("bytes", ImageSize(p.Body))
	case p.Body.IsString():
		o.value("text", p.Body)
	case p.Kind == Call:
		o.value("arguments", p.Body)
	default:
		o.value("value", p.Body)
	}
}

// ImageSize returns the number of bytes that the base64 text of an image stands for.
func ImageSize(data jsonl.Value) int64 {
	n := int64(len(data)) - int64(len(`""`))
	if n <= 0 || !data.IsString() {
		return 0
	}
	for n > 0 && data[n] == '=' {
		n--
	}
	return n * 3 / 4
}
