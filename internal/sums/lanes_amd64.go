//go:build !purego

package sums

import "golang.org/x/sys/cpu"

var hasLanes = cpu.X86.HasAVX2

// hasInstructions reports whether the processor has instructions for SHA-256, which the standard library uses.
func hasInstructions() bool

// addBlocks adds blocks of eight texts to their states, which are ordered by word.
//
//go:noescape
func addBlocks(states *[8][Lanes]uint32, texts *[Lanes]*byte, constants *[64]uint32, blocks int)
