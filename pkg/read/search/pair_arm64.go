//go:build !purego

package search

const hasVectors = true // NEON is part of arm64
