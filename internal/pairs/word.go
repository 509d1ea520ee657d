// Package pairs finds words in large texts. It looks for two bytes of a word at a time, the rarest, with vector
// instructions.
package pairs

import "bytes"

// A Word is a text to find.
type Word struct {
	Text []byte // in lower case if case is ignored
	Fold bool   // ASCII letters match in either case

	rare   int // the index of the byte that is searched first
	second int // the index of the byte that is compared next
}

// NewWord returns a word to find. fold makes ASCII letters match in either case.
func NewWord(text string, fold bool) Word {
	w := Word{Text: []byte(text), Fold: fold}
	if fold {
		for i, c := range w.Text {
			w.Text[i] = Lower(c)
		}
	}
	w.chooseRare()
	return w
}

// chooseRare chooses the two bytes of the word that are the least frequent in transcripts.
func (w *Word) chooseRare() {
	for i, c := range w.Text {
		if commonness(c) < commonness(w.Text[w.rare]) {
			w.rare = i
		}
	}
	w.second = -1
	for i, c := range w.Text {
		if i != w.rare && (w.second < 0 || commonness(c) < commonness(w.Text[w.second])) {
			w.second = i
		}
	}
	w.second = max(w.second, 0)
}

// frequent lists the characters of English text and source code in JSON, the most frequent last.
const frequent = "@%^&~`#!$?<>|+QZXJVKYWUHGBFqzjPLNMDOARTISEC=;[]{}()*-/_9876543210xkvbywgpfmudhlc.,:rsnoiate\"\\ "

// commonness returns how frequent a byte is: 0 for rare ones.
func commonness(c byte) int { return bytes.IndexByte([]byte(frequent), c) + 1 }

// Next returns the start of the first occurrence at or after an index, or -1.
func (w *Word) Next(text []byte, from int) int {
	for from+len(w.Text) <= len(text) {
		at := w.MayBeAt(text[from:], none)
		if at < 0 {
			return -1
		}
		from += at
		if w.IsAt(text[from:]) {
			return from
		}
		from++
	}
	return -1
}

// MayBeAt returns the first index at which both chosen bytes of the word are in their places and the word fits, or at
// which another pair is. It returns -1 if there is none.
func (w *Word) MayBeAt(text []byte, other Pair) int {
	last := len(text) - max(len(w.Text), len(other)) // the last index at which it fits
	if last < 0 {
		if w.IsAt(text) {
			return 0
		}
		return -1
	}
	p := pair{a: w.Text[w.rare], b: w.Text[w.second], other: other}
	if w.Fold {
		p.aBit, p.bBit = caseBit(p.a), caseBit(p.b)
	}
	at := findPair(text[w.rare:w.rare+last+1], text[w.second:w.second+last+1], text[:last+2], p)
	if at < 0 && w.IsAt(text[last+1:]) {
		return last + 1
	}
	return at
}

// IsAt reports whether a text begins with the word.
func (w *Word) IsAt(text []byte) bool {
	if len(text) < len(w.Text) {
		return false
	}
	if w.Fold {
		return equalFold(text[:len(w.Text)], w.Text)
	}
	return bytes.Equal(text[:len(w.Text)], w.Text)
}

// Lower returns an ASCII letter in lower case.
func Lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// equalFold reports whether a text equals another one in lower case, apart from the case of ASCII letters.
func equalFold(text, small []byte) bool {
	for i, c := range small {
		if Lower(text[i]) != c {
			return false
		}
	}
	return true
}
