//go:build !purego

package media

const hasVectors = true // NEON is part of arm64
