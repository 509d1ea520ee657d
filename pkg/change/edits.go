package change

import (
	"cmp"
	"slices"
	"sort"
)

// An Edit replaces the bytes of a text from From to To by New. If From is To, it inserts New there.
type Edit struct {
	From, To int64
	New      []byte
}

// Replace returns the edit that turns old, which begins at offset, into new. It leaves out what both begin and end
// with.
func Replace(offset int64, old, new []byte) Edit {
	start := 0
	for start < len(old) && start < len(new) && old[start] == new[start] {
		start++
	}
	end := 0
	for end < len(old)-start && end < len(new)-start && old[len(old)-1-end] == new[len(new)-1-end] {
		end++
	}
	return Edit{offset + int64(start), offset + int64(len(old)-end), new[start : len(new)-end]}
}

// Edits are the edits of one text, in order. They do not overlap.
type Edits []Edit

// Sort puts edits in order. Insertions at one place keep their order, and come before what replaces the bytes there.
func (e Edits) Sort() {
	slices.SortStableFunc(e, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
}

// newSize returns the size of a text after the edits.
func (e Edits) newSize(size int64) int64 {
	for _, edit := range e {
		size += int64(len(edit.New)) - (edit.To - edit.From)
	}
	return size
}

// A piece of a new text is a part of the old one, or new.
type piece struct {
	from, to int64
	new      []byte
}

func (p piece) len() int64 { return p.to - p.from + int64(len(p.new)) }

// cut returns the part of a piece from one place in it to another.
func (p piece) cut(from, to int64) piece {
	if p.new != nil {
		return piece{new: p.new[from:to]}
	}
	return piece{from: p.from + from, to: p.from + to}
}

// pieces returns the new text of an old one of this size.
func (e Edits) pieces(size int64) []piece {
	var list []piece
	at := int64(0)
	for _, edit := range e {
		if edit.From > at {
			list = append(list, piece{from: at, to: edit.From})
		}
		if len(edit.New) > 0 {
			list = append(list, piece{new: edit.New})
		}
		at = edit.To
	}
	if size > at {
		list = append(list, piece{from: at, to: size})
	}
	return list
}

// Then returns the edits that do what e does to a text of this size, and then what next does to the result.
func (e Edits) Then(next Edits, size int64) Edits {
	var result []piece
	rest := e.pieces(size)
	take := func(n int64, keep bool) {
		for n > 0 && len(rest) > 0 {
			whole := rest[0].len()
			length := min(n, whole)
			if keep {
				result = append(result, rest[0].cut(0, length))
			}
			if n -= length; length == whole {
				rest = rest[1:]
			} else {
				rest[0] = rest[0].cut(length, whole)
			}
		}
	}
	at := int64(0)
	for _, edit := range next {
		take(edit.From-at, true)
		take(edit.To-edit.From, false)
		at = edit.To
		if len(edit.New) > 0 {
			result = append(result, piece{new: edit.New})
		}
	}
	take(e.newSize(size)-at, true)
	return editsOf(result, size)
}

func editsOf(pieces []piece, size int64) Edits {
	var edits Edits
	at := int64(0) // in the old text
	var inserted []byte
	close := func(to int64) {
		if to > at || len(inserted) > 0 {
			edits = append(edits, Edit{at, to, inserted})
		}
		inserted = nil
	}
	for _, p := range pieces {
		if p.new != nil {
			inserted = append(inserted[:len(inserted):len(inserted)], p.new...)
			continue
		}
		close(p.from)
		at = p.to
	}
	close(size)
	return edits
}

// Origins returns a function that finds the place in the old text that a place in the new text comes from. Of inserted
// text, that is where it was inserted.
func (e Edits) Origins() func(at int64) int64 {
	starts := make([]int64, len(e)) // of the edits in the new text
	shift := int64(0)
	for i, edit := range e {
		starts[i] = edit.From + shift
		shift += int64(len(edit.New)) - (edit.To - edit.From)
	}
	return func(at int64) int64 {
		i := sort.Search(len(starts), func(i int) bool { return starts[i] > at }) - 1
		if i < 0 {
			return at
		}
		if behind := at - starts[i] - int64(len(e[i].New)); behind >= 0 {
			return e[i].To + behind
		}
		return e[i].From
	}
}
