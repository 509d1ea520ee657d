//go:build !amd64 || purego

package sums

const hasLanes = false

func hasInstructions() bool { return false }

func addBlocks(*[8][Lanes]uint32, *[Lanes]*byte, *[64]uint32, int) {}
