package jsontext

// Eight equal bytes, for comparing eight bytes at a time.
const (
	ones    = 0x0101010101010101
	highs   = 0x80 * ones
	lows    = 0x7f * ones
	quotes  = '"' * ones
	slashes = '\\' * ones
)

func isDigit(c byte) bool { return c-'0' <= 9 }
