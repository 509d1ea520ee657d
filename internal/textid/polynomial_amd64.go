//go:build !purego

package textid

import "golang.org/x/sys/cpu"

// hasPolynomial says that the processor multiplies in the field of the ids four blocks at a time.
var hasPolynomial = cpu.X86.HasAVX512VPCLMULQDQ && cpu.X86.HasAVX512BW && cpu.X86.HasBMI2

// polynomial computes the id of a text.
//
//go:noescape
func polynomial(id *ID, text []byte, p *powers)
