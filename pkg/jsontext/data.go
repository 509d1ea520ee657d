package jsontext

// DataRun returns how many bytes of base64 a text begins with.
func DataRun(text []byte) int {
	checked := dataPrefix(text)
	for i, c := range text[checked:] {
		if !IsData(c) {
			return checked + i
		}
	}
	return len(text)
}

// IsData reports whether base64 has a byte.
func IsData(c byte) bool { return dataHalves[0][c&15]&dataHalves[1][c>>4] != 0 }

// dataHalves has the bytes of base64 by their lower and their upper half. Each upper half has a bit.
var dataHalves = func() (table [2][16]byte) {
	for c := byte('+'); c <= 'z'; c++ {
		if c == '+' || c >= '/' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' {
			table[0][c&15] |= 1 << (c >> 4)
			table[1][c>>4] |= 1 << (c >> 4)
		}
	}
	return table
}()
