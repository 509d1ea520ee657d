package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Op says what becomes of a piece of text.
type Op int8

// The operations.
const (
	Delete Op = -1 // only in the first text
	keep   Op = 0
	insert Op = 1 // only in the second text
)

// An edit is a piece of text and what becomes of it.
type edit struct {
	Op   Op
	Text string
}

// wordLimit is the size of texts that are compared word by word. Longer texts are compared line by line, and then the
// lines that differ word by word.
const wordLimit = 256 << 10

// words returns the edits that turn a into b. All but the inserted pieces, joined, are a, and all but the deleted ones
// are b. The time is bounded by a constant for each byte: texts that need more have coarser edits.
func words(a, b string) []edit {
	var r runs
	if len(a)+len(b) <= wordLimit {
		r.compare(a, b, cutWord)
	} else {
		var lines runs
		lines.compare(a, b, cutLine)
		r.refine(a, b, lines)
	}
	return r.readable(a, b).edits(a, b)
}

// A run is an edit without its text: so many bytes of a, of b, or of both.
type run struct {
	op   Op
	size int
}

// runs collects runs. Neighbours with the same operation are joined.
type runs []run

func (r *runs) add(op Op, size int) {
	list := *r
	switch last := len(list) - 1; {
	case size == 0:
	case last >= 0 && list[last].op == op:
		list[last].size += size
	case last >= 0 && list[last].op == insert && op == Delete: // a deletion comes first
		if last > 0 && list[last-1].op == Delete {
			list[last-1].size += size
			return
		}
		*r = append(list[:last], run{Delete, size}, list[last])
	default:
		*r = append(list, run{op, size})
	}
}

// replace adds a deletion and an insertion.
func (r *runs) replace(before, after int) {
	r.add(Delete, before)
	r.add(insert, after)
}

// edits returns the runs with their texts.
func (r runs) edits(a, b string) []edit {
	var list []edit
	for _, x := range r {
		text := a
		if x.op == insert {
			text = b
		}
		list = append(list, edit{x.op, text[:x.size]})
		a, b = x.skip(a, b)
	}
	return list
}

// skip returns the rest of both texts after a run.
func (x run) skip(a, b string) (restA, restB string) {
	if x.op != insert {
		a = a[x.size:]
	}
	if x.op != Delete {
		b = b[x.size:]
	}
	return a, b
}

// refine compares lines that were replaced word by word, if there are not too many.
func (r *runs) refine(a, b string, lines runs) {
	for i := 0; i < len(lines); i++ {
		x := lines[i]
		restA, restB := x.skip(a, b)
		if i+1 < len(lines) && x.op == Delete && lines[i+1].op == insert && x.size+lines[i+1].size <= wordLimit {
			i++
			restA, restB = lines[i].skip(restA, restB)
			r.compare(a[:len(a)-len(restA)], b[:len(b)-len(restB)], cutWord)
		} else {
			r.add(x.op, x.size)
		}
		a, b = restA, restB
	}
}

// compare adds the runs between two texts, which cut cuts into pieces.
func (r *runs) compare(a, b string, cut func(string) int) {
	numbers := map[string]int32{}
	endsA, listA := pieces(a, cut, numbers)
	endsB, listB := pieces(b, cut, numbers)
	s := newScript(listA, listB)
	for i, j := 0, 0; i < len(listA) || j < len(listB); {
		fromA, fromB := i, j
		for i < len(listA) && s.deleted[i] {
			i++
		}
		for j < len(listB) && s.inserted[j] {
			j++
		}
		r.replace(endsA[i]-endsA[fromA], endsB[j]-endsB[fromB])
		kept := i
		for i < len(listA) && j < len(listB) && !s.deleted[i] && !s.inserted[j] {
			i, j = i+1, j+1
		}
		r.add(keep, endsA[i]-endsA[kept])
	}
}

// pieces cuts a text. Equal pieces have equal numbers. ends has where each piece begins and the last one ends.
func pieces(text string, cut func(string) int, numbers map[string]int32) (ends []int, list []int32) {
	ends = []int{0}
	for at := 0; at < len(text); {
		n := cut(text[at:])
		piece := text[at : at+n]
		number, known := numbers[piece]
		if !known {
			number = int32(len(numbers))
			numbers[piece] = number
		}
		at += n
		ends, list = append(ends, at), append(list, number)
	}
	return ends, list
}

// cutLine returns the length of the first line.
func cutLine(text string) int {
	if at := strings.IndexByte(text, '\n'); at >= 0 {
		return at + 1
	}
	return len(text)
}

// cutWord returns the length of the first word, run of blanks, or other character. Scripts without spaces between words
// are cut into characters.
func cutWord(text string) int {
	first, size := utf8.DecodeRuneInString(text)
	in := inWord
	if isBlank(first) {
		in = isBlank
	} else if !inWord(first) {
		return size
	}
	for size < len(text) {
		r, n := utf8.DecodeRuneInString(text[size:])
		if !in(r) {
			break
		}
		size += n
	}
	return size
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' }

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N) && r != utf8.RuneError &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// leastKept is the share of the longer text that must be kept for single edits to be readable.
const leastKept = 0.2

// readable joins edits that only white space separates. Texts that have little in common become one replacement.
func (r runs) readable(a, b string) runs {
	var joined runs
	kept, sizeA, sizeB := 0, len(a), len(b)
	for i, x := range r {
		isGap := x.op == keep && i > 0 && i < len(r)-1 && strings.TrimLeft(a[:x.size], " \t") == ""
		switch {
		case isGap:
			joined.replace(x.size, x.size)
		default:
			joined.add(x.op, x.size)
			if x.op == keep {
				kept += x.size
			}
		}
		a, b = x.skip(a, b)
	}
	if float64(kept) < leastKept*float64(max(sizeA, sizeB)) {
		joined = nil
		joined.replace(sizeA, sizeB)
	}
	return joined
}
