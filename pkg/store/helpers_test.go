package store_test

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

func newHash() hash.Hash { return sha256.New() }

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
