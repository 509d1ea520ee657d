//go:build !purego

package media

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2
