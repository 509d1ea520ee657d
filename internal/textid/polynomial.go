package textid

import (
	"crypto/fips140"
	"crypto/rand"
	"encoding/binary"

	"clawctl/internal/lazy"
)

// powers are powers of the secret point: those for one to eight rows of four blocks, four times each, the first four,
// which join four sums or are for the blocks of one row, and the next four, which are for the row before it.
type powers [10][4]element

// processPowers returns the powers of this process, or nil if the processor has no instructions for them.
var processPowers = lazy.Value[*powers]{Make: func() *powers {
	if !hasPolynomial || fips140.Enforced() {
		return nil
	}
	var point ID
	rand.Read(point[:]) // it never fails
	return powersOf(elementOf(point))
}}

// powersOf returns the powers of a point.
func powersOf(point element) *powers {
	p := &powers{}
	power := point
	for exponent := 1; exponent <= 4*8; exponent++ {
		if exponent <= 8 {
			p[8+(exponent-1)/4][(8-exponent)%4] = power
		}
		if exponent%4 == 0 {
			p[exponent/4-1] = [4]element{power, power, power, power}
		}
		power = power.times(point)
	}
	return p
}

// An element of the field of 2^128 elements is a polynomial over the bits, the lowest of which is the lowest bit of the
// first word. Products are reduced by x^128 + x^7 + x^2 + x + 1, as in GMAC, which orders bits the other way.
type element [2]uint64

func elementOf(block [16]byte) element {
	return element{binary.LittleEndian.Uint64(block[:]), binary.LittleEndian.Uint64(block[8:])}
}

// times returns a product, one bit after the other.
func (e element) times(other element) (product element) {
	for i := range 128 {
		if other[i/64]>>(i%64)&1 != 0 {
			product[0] ^= e[0]
			product[1] ^= e[1]
		}
		carry := e[1] >> 63
		e[1] = e[1]<<1 | e[0]>>63
		e[0] = e[0]<<1 ^ carry*0x87
	}
	return product
}
