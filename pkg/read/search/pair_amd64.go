//go:build !purego

package search

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2
