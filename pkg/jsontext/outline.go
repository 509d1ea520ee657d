package jsontext

import "iter"

// A Pair is where a key, without its quotes, and its value are.
type Pair struct{ Key, Value Span }

// An Outline is an object with the places that a scan has noted in it, so that nobody has to search for them again. A
// long line takes longer to search than to scan. What was not noted is searched for, and an Outline with nothing but
// its text has no notes at all.
type Outline struct {
	Text    Value
	Members []Pair // of the object
	Inner   Part   // one of its values, which is an object
	Only    Part   // the only element of a list in it
	List    Span   // that list
	Copies  []Copy // what Append has appended
}

// A Copy is where a value of the object was appended to a text.
type Copy struct {
	Start, End int
	IsList     bool // it is the noted list
}

// shortestCopy is the least length of a copy that is noted. A shorter one is searched as quickly.
const shortestCopy = 32

// Append appends a value of the object to a text, and notes where, so that nobody has to search for its end.
func (o *Outline) Append(dst []byte, v Value) []byte {
	if len(v) >= shortestCopy {
		isList := v.IsArray() && o.isAt(v, o.List)
		o.Copies = append(o.Copies, Copy{len(dst), len(dst) + len(v), isList})
	}
	return append(dst, v...)
}

// A Part is an object inside another one.
type Part struct {
	At      Span
	Members []Pair
}

// Fields returns the keys and values of the object or of an object inside it, as Value.Fields does.
func (o *Outline) Fields(v Value) iter.Seq2[[]byte, Value] {
	return func(yield func([]byte, Value) bool) {
		places := o.placesOf(v)
		if len(places) == 0 {
			v.Fields()(yield)
			return
		}
		for i := range places {
			if !yield(PlainKey(o.Text[places[i].Key.Start:places[i].Key.End]), o.at(places[i].Value)) {
				return
			}
		}
	}
}

// Get returns the value of a key of the object or of an object inside it, or nil if there is none.
func (o *Outline) Get(v Value, key string) (value Value) {
	for k, member := range o.Fields(v) {
		if string(k) == key {
			value = member
		}
	}
	return value
}

// OnlyElement returns the element of a list inside the object, or nil unless it has exactly one.
func (o *Outline) OnlyElement(list Value) Value {
	var only Value
	if o.Only.At.End > 0 && list.IsArray() && o.isAt(list, o.List) {
		return o.at(o.Only.At)
	}
	for element := range list.Elements() {
		if only != nil {
			return nil
		}
		only = element
	}
	return only
}

// placesOf returns the noted members of a value, or nil.
func (o *Outline) placesOf(v Value) []Pair {
	switch {
	case len(v) == 0:
	case &v[0] == &o.Text[0]:
		return o.Members
	case o.isAt(v, o.Inner.At):
		return o.Inner.Members
	case o.isAt(v, o.Only.At):
		return o.Only.Members
	}
	return nil
}

// isAt reports whether a value is the one at a place of the text, and not only an equal one.
func (o *Outline) isAt(v Value, at Span) bool {
	return at.End > 0 && len(v) > 0 && &v[0] == &o.Text[at.Start]
}

func (o *Outline) at(s Span) Value { return o.Text[s.Start:s.End:s.End] }
