package jsontext

// A Walker walks over the members of an object, and of objects inside it, without looking at anything twice.
type Walker struct {
	text []byte
	at   int    // the beginning of an object, a value, or what follows a value
	key  []byte // of the current member, as it is written
}

// NewWalker returns a walker before the first member of an object.
func NewWalker(object Value) *Walker { return &Walker{text: object} }

// Key returns the key of the current member, without escapes.
func (w *Walker) Key() []byte { return PlainKey(w.key) }

// AtObject reports whether the current value is an object, which Next enters.
func (w *Walker) AtObject() bool { return w.text[w.at] == '{' }

// Next moves to the value of the next member. It reports false at the end of the object, which it passes.
func (w *Walker) Next() bool {
	i := next(w.text, w.at)
	if w.text[i] != '}' {
		i = next(w.text, i+1) // after a brace or a comma
	}
	if w.text[i] == '}' {
		w.at = i + 1
		return false
	}
	end := skipString(w.text, i+1)
	w.key = w.text[i+1 : end]
	w.at = next(w.text, next(w.text, end+1)+1)
	return true
}

// Value returns the current value and passes it.
func (w *Walker) Value() Value {
	start := w.at
	w.at = skipValue(w.text, start)
	return Value(w.text[start:w.at:w.at])
}
