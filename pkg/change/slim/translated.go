package slim

import (
	"bytes"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// recordPieces returns the pieces of a record, in the order of its line. What a program writes in a form of its own is
// known from the translation of the line, and is a piece only if the line has the same bytes.
func recordPieces(rec *jsonl.Record) []piece {
	list := pieces(rec.Text())
	if len(list) > 0 || rec.Translator() == nil {
		return list
	}
	form := rec.Value()
	if list = slimmable(pieces(form)); len(list) == 0 {
		return nil
	}
	f := &finder{text: rec.Text(), form: form, wanted: list}
	f.search(jsontext.SkipSpace(f.text, 0), 0)
	return f.found
}

// slimmable returns the pieces of a translation that can be recognized in a line. A short result may equal the value of
// any other field. What replaces a thought depends on what the program writes beside it.
func slimmable(list []piece) (kept []piece) {
	for _, p := range list {
		if p.kind == Images || p.kind != Thinking && p.end-p.start > smallest {
			kept = append(kept, p)
		}
	}
	return kept
}

// A finder finds the pieces of a translation in the line. A value that the line has twice is found twice, because
// programs repeat a result in its details.
type finder struct {
	text, form []byte
	wanted     []piece // of the form
	found      []piece // of the line
}

// deepest is how many levels of a line are searched. No program writes results that are deeper.
const deepest = 8

// search looks for the pieces in the value at an index, and in what it consists of.
func (f *finder) search(at, depth int) {
	if depth > deepest {
		return
	}
	switch f.text[at] {
	case '{':
		for m := range jsontext.Members(f.text, at) {
			f.check(m.Value, m.End, depth)
		}
	case '[':
		for start, end := range jsontext.Elements(f.text, at) {
			f.check(start, end, depth)
		}
	}
}

// check notes a value that is a piece, or searches what it consists of.
func (f *finder) check(start, end, depth int) {
	for _, p := range f.wanted {
		if bytes.Equal(f.text[start:end], f.form[p.start:p.end]) {
			f.found = append(f.found, f.place(p, start, end))
			return
		}
	}
	f.search(start, depth+1)
}

// place returns a piece of the form as one of the line. Its key stays, because programs expect it.
func (f *finder) place(p piece, start, end int) piece {
	if move := start - p.start; p.data[1] > 0 {
		p.data[0], p.data[1] = p.data[0]+move, p.data[1]+move
	}
	p.start, p.end, p.only = start, end, true
	return p
}
