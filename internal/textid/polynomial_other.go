//go:build !amd64 || purego

package textid

const hasPolynomial = false

func polynomial(*ID, []byte, *powers) {}
