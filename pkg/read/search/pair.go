package search

// caseBit returns the bit that differs between the cases of a lower-case letter, and 0 for every other byte.
func caseBit(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return 0x20
	}
	return 0
}

// indexPair returns the first index at which both chosen bytes of a needle are in their places and the needle fits, or
// -1.
func indexPair(text []byte, n *needle) int {
	last := len(text) - len(n.text) // the last index at which it fits
	if last < 0 {
		return -1
	}
	p := pair{a: n.text[n.rare], b: n.text[n.second]}
	if n.fold {
		p.aBit, p.bBit = caseBit(p.a), caseBit(p.b)
	}
	return findPair(text[n.rare:n.rare+last+1], text[n.second:n.second+last+1], p)
}

// A pair is two bytes to find at the same index of two texts. A text is compared after its byte was combined with the
// bit of case.
type pair struct{ a, aBit, b, bBit byte }

// findPairGo returns the first index at which the texts, which have the same length, have the bytes of the pair.
func findPairGo(x, y []byte, p pair) int {
	y = y[:len(x)]
	for i, c := range x {
		if c|p.aBit == p.a && y[i]|p.bBit == p.b {
			return i
		}
	}
	return -1
}
