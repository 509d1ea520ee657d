//go:build !purego

package textid

import (
	"encoding/binary"

	"golang.org/x/sys/cpu"
)

// hasPolynomial says that the processor multiplies in the field of the ids, and isWide that it does so with four blocks
// at a time.
var (
	hasPolynomial = cpu.X86.HasAVX && cpu.X86.HasPCLMULQDQ
	isWide        = hasPolynomial && cpu.X86.HasAVX512VPCLMULQDQ && cpu.X86.HasAVX512BW && cpu.X86.HasBMI2
)

// polynomial computes the id of a text.
func polynomial(id *ID, text []byte, p *powers) {
	if isWide {
		widePolynomial(id, text, p)
	} else {
		narrowPolynomial(id, text, p)
	}
}

// narrowPolynomial computes the same as widePolynomial. It copies the last blocks, so that their row is whole, and the
// length is in the row after it.
func narrowPolynomial(id *ID, text []byte, p *powers) {
	*id = ID{}
	rows := len(text) / rowSize
	if rows > 0 {
		addRows(id, &text[0], rows, p)
	}
	var end [2 * rowSize]byte
	rows = (copy(end[:], text[rows*rowSize:]) + rowSize - 1) / rowSize
	binary.LittleEndian.PutUint64(end[rows*rowSize:], uint64(len(text)))
	addRows(id, &end[0], rows+1, p)
}

// rowSize is the size of four blocks.
const rowSize = 64

// widePolynomial needs isWide.
//
//go:noescape
func widePolynomial(id *ID, text []byte, p *powers)

// addRows goes on with a sum of rows.
//
//go:noescape
func addRows(sum *ID, text *byte, rows int, p *powers)
