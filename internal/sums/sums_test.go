package sums

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"math/rand/v2"
	"testing"
)

// TestWrite writes texts of many lengths in pieces of many lengths, from one to eight texts at a time.
func TestWrite(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		count := 1 + round%Lanes
		hashes, pieces, whole := make([]hash.Hash, count), make([][]byte, count), make([][]byte, count)
		for i := range hashes {
			hashes[i] = sha256.New()
		}
		for range 1 + random.IntN(4) {
			for i := range pieces {
				pieces[i] = randomText(random, 700)
				whole[i] = append(whole[i], pieces[i]...)
			}
			Write(hashes, pieces)
		}
		for i, h := range hashes {
			if want := sha256.Sum256(whole[i]); !bytes.Equal(h.Sum(nil), want[:]) {
				t.Fatalf("round %d, text %d of %d, %d bytes: %x, want %x", round, i, count, len(whole[i]), h.Sum(nil), want)
			}
		}
	}
}

// randomText returns a text that often fills its blocks exactly.
func randomText(random *rand.Rand, most int) []byte {
	n := random.IntN(most)
	if random.IntN(3) == 0 {
		n = n / blockSize * blockSize
	}
	text := make([]byte, n)
	for i := range text {
		text[i] = byte(random.Uint32())
	}
	return text
}

func BenchmarkWrite(b *testing.B) {
	pieces := make([][]byte, Lanes)
	for i := range pieces {
		pieces[i] = bytes.Repeat([]byte{byte(i)}, 64<<10)
	}
	for _, count := range []int{1, 3, Lanes} {
		b.Run(string('0'+rune(count)), func(b *testing.B) {
			hashes := make([]hash.Hash, count)
			for i := range hashes {
				hashes[i] = sha256.New()
			}
			b.SetBytes(int64(count * len(pieces[0])))
			for b.Loop() {
				Write(hashes, pieces[:count])
			}
		})
	}
}
