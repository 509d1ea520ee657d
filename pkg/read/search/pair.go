package search

// caseBit returns the bit that differs between the cases of a lower-case letter, and 0 for every other byte.
func caseBit(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return 0x20
	}
	return 0
}

// indexPair returns the first index at which both chosen bytes of a needle are in their places and the needle fits, or
// at which the two other bytes are. It returns -1 if there is none.
func indexPair(text []byte, n *needle, other bytePair) int {
	last := len(text) - max(len(n.text), len(other)) // the last index at which it fits
	if last < 0 {
		if n.isAt(text) {
			return 0
		}
		return -1
	}
	p := pair{a: n.text[n.rare], b: n.text[n.second], other: other}
	if n.fold {
		p.aBit, p.bBit = caseBit(p.a), caseBit(p.b)
	}
	at := findPair(text[n.rare:n.rare+last+1], text[n.second:n.second+last+1], text[:last+2], p)
	if at < 0 && n.isAt(text[last+1:]) {
		return last + 1
	}
	return at
}

// A bytePair is two bytes that follow each other.
type bytePair [2]byte

// noOther is for whoever looks for a needle only. Text in UTF-8 does not have these bytes.
var noOther = bytePair{0xff, 0xff}

func (b bytePair) index(text []byte) int {
	if len(text) < len(b) {
		return -1
	}
	never := pair{a: 0, b: 1, other: b} // no byte is both
	places := text[:len(text)-1]
	return findPair(places, places, text, never)
}

// A pair is two bytes to find at the same index of two texts. A text is compared after its byte was combined with the
// bit of case. The other pair is searched in a third text: memory is slower than two searches, so that costs nothing.
type pair struct {
	a, aBit, b, bBit byte
	other            bytePair
}

// findPairGo returns the first index at which x and y, which have the same length, have the bytes of the pair, or at
// which z, which is one byte longer, has the other ones.
func findPairGo(x, y, z []byte, p pair) int {
	y, z = y[:len(x)], z[:len(x)+1]
	for i, c := range x {
		if c|p.aBit == p.a && y[i]|p.bBit == p.b || z[i] == p.other[0] && z[i+1] == p.other[1] {
			return i
		}
	}
	return -1
}
