package pairs

// caseBit returns the bit that differs between the cases of a lower-case letter, and 0 for every other byte.
func caseBit(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return 0x20
	}
	return 0
}

// A Pair is two bytes that follow each other.
type Pair [2]byte

// none is for whoever looks for a word only. Text in UTF-8 does not have these bytes.
var none = Pair{0xff, 0xff}

// Index returns where the pair is first, or -1.
func (b Pair) Index(text []byte) int {
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
	other            Pair
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
