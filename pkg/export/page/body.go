package page

import (
	"math"
	"strconv"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
)

// A bodyMaker turns entries into the JSON that the script shows.
type bodyMaker struct {
	image func(base64 string) (number int, ok bool) // keeps an image
}

// appendEntry appends an entry as an object.
func (b *bodyMaker) appendEntry(dst []byte, e *parts.Entry) []byte {
	o := object{dst: append(dst, '{')}
	o.text("role", e.Role)
	o.text("provider", e.Provider)
	o.text("model", e.Model)
	o.text("stop", e.Stop)
	o.text("harness", e.Harness)
	if e.HasUsage {
		o.usage(e.Usage)
	}
	o.key("parts")
	o.dst = append(o.dst, '[')
	for i := range e.Parts {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = b.appendPart(o.dst, &e.Parts[i])
	}
	return append(o.dst, ']', '}')
}

func (b *bodyMaker) appendPart(dst []byte, p *parts.Part) []byte {
	o := object{dst: append(dst, '{')}
	o.text("kind", string(p.Kind))
	o.value("name", p.Name)
	o.value("call", p.Call)
	o.flag("failed", p.Failed)
	o.flag("hidden", p.Hidden)
	if p.Kind == parts.Image {
		b.appendImage(&o, p)
	} else {
		o.body(p)
	}
	if len(p.Fields) > 0 {
		o.key("fields")
		o.dst = append(o.dst, '[')
		for i, f := range p.Fields {
			if i > 0 {
				o.dst = append(o.dst, ',')
			}
			o.member(f.Name, f.Value)
		}
		o.dst = append(o.dst, ']')
	}
	return append(o.dst, '}')
}

// appendImage keeps the data of an image and appends where it is.
func (b *bodyMaker) appendImage(o *object, p *parts.Part) {
	o.key("bytes")
	o.dst = strconv.AppendInt(o.dst, parts.ImageSize(p.Body), 10)
	if number, ok := b.image(imageData(p)); ok {
		o.key("image")
		o.dst = strconv.AppendInt(o.dst, int64(number), 10)
	}
}

// imageData returns the base64 of an image. Some programs put it into a data URL.
func imageData(p *parts.Part) string {
	data := p.Body.String()
	if i := strings.Index(data, ";base64,"); i >= 0 && strings.HasPrefix(data, "data:") {
		return data[i+len(";base64,"):]
	}
	return data
}

// An object is a JSON object that is being written. Empty values are left out.
type object struct{ dst []byte }

func (o *object) key(name string) {
	if o.dst[len(o.dst)-1] != '{' {
		o.dst = append(o.dst, ',')
	}
	o.dst = append(append(append(o.dst, '"'), name...), '"', ':')
}

func (o *object) text(name, text string) {
	if text != "" {
		o.key(name)
		o.dst = jsonl.AppendQuote(o.dst, text)
	}
}

func (o *object) flag(name string, set bool) {
	if set {
		o.key(name)
		o.dst = append(o.dst, "true"...)
	}
}

// value writes a string as it is in the record. Other values are written as their JSON text, so that no number loses
// its digits and nothing is nested.
func (o *object) value(name string, v jsonl.Value) {
	if v.Exists() && !v.IsNull() {
		o.key(name)
		o.appendValue(v)
	}
}

func (o *object) appendValue(v jsonl.Value) {
	if v.IsString() {
		o.dst = append(o.dst, v.UTF8()...)
		return
	}
	o.dst = jsonl.AppendQuote(o.dst, string(v.UTF8()))
}

// body writes the body of a part: a text, the arguments of a call, or the JSON text of any other value.
func (o *object) body(p *parts.Part) {
	switch {
	case p.Body.IsString():
		o.value("text", p.Body)
	case p.Kind == parts.Call && p.Body.IsObject():
		o.key("arguments")
		o.dst = append(o.dst, '[')
		for name, v := range p.Body.Members() {
			if o.dst[len(o.dst)-1] != '[' {
				o.dst = append(o.dst, ',')
			}
			o.member(name, v)
		}
		o.dst = append(o.dst, ']')
	default:
		o.value("json", p.Body)
	}
}

// member writes a name and its value: ["path","a.txt"], or ["limit","10",1] if the value is JSON text.
func (o *object) member(name string, v jsonl.Value) {
	o.dst = jsonl.AppendQuote(append(o.dst, '['), name)
	o.dst = append(o.dst, ',')
	o.appendValue(v)
	if !v.IsString() {
		o.dst = append(o.dst, ",1"...)
	}
	o.dst = append(o.dst, ']')
}

// usage writes tokens: input, output, cache read, cache write, total, and the price if there is one.
func (o *object) usage(u jsonl.Usage) {
	o.key("usage")
	o.dst = append(o.dst, '[')
	for i, n := range []int64{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Total} {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = strconv.AppendInt(o.dst, n, 10)
	}
	if u.HasCost && !math.IsInf(u.Cost, 0) {
		o.dst = strconv.AppendFloat(append(o.dst, ','), u.Cost, 'f', -1, 64)
	}
	o.dst = append(o.dst, ']')
}
