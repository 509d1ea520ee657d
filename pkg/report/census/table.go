package census

import (
	"cmp"
	"strings"
	"sync"

	"clawctl/pkg/dialect"
	"clawctl/pkg/dialect/shape"
)

// A place is what is known of the objects in one place of a line, in a form for lookups.
type place struct {
	open   bool // it may have fields that are not listed
	name   string
	by     string // the key that says what kind of object it is, or ""
	kinds  map[string]*place
	fields map[string]*field
}

// A field is what is known of a member of an object.
type field struct {
	values map[string]bool // nil if it is not an enumeration
	holds  string
	inside *place // nil if nobody looks into it
}

// A table has the places by their names.
type table map[string]*place

// tables are made at their first use.
var tables sync.Map

// tableOf returns what is known of the lines that a program translates, or of all others if it is nil.
func tableOf(p *dialect.Program) table {
	known, ok := tables.Load(p)
	if !ok {
		known, _ = tables.LoadOrStore(p, newTable(dialect.Known(p)))
	}
	return known.(table)
}

func newTable(objects []shape.Object) table {
	t := table{}
	for _, o := range objects {
		t.add(o)
	}
	for _, p := range t {
		t.link(p)
	}
	for _, p := range t {
		p.share()
	}
	return t
}

// add adds an object to those in the same place.
func (t table) add(o shape.Object) {
	p := t[o.Place]
	if p == nil {
		p = &place{name: o.Place, fields: map[string]*field{}}
		t[o.Place] = p
	}
	p.by = cmp.Or(p.by, o.By)
	p.open = p.open || o.Open
	for _, f := range o.Fields {
		p.add(f)
	}
}

func (p *place) add(f shape.Field) {
	known := p.fields[f.Name]
	if known == nil {
		known = &field{}
		p.fields[f.Name] = known
	}
	known.holds = cmp.Or(known.holds, f.Holds)
	for _, value := range f.Values {
		if known.values == nil {
			known.values = map[string]bool{}
		}
		known.values[value] = true
	}
}

// link finds the places inside a place, and its kinds.
func (t table) link(p *place) {
	for _, f := range p.fields {
		f.inside = t[f.holds]
	}
	if p.by == "" {
		return
	}
	p.kinds = map[string]*place{}
	for name, kind := range t {
		if value, ok := strings.CutSuffix(name, " "+p.name); ok {
			p.kinds[value] = kind
		}
	}
}

// share gives the kinds of a place the fields that all of them have.
func (p *place) share() {
	for _, kind := range p.kinds {
		kind.fields[p.by] = &field{}
		for name, f := range p.fields {
			if kind.fields[name] == nil {
				kind.fields[name] = f
			}
		}
	}
}
