package jsonl

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// checkMarks compares the marks of vector instructions with plain ones, and both with the definition.
func checkMarks(t *testing.T, data []byte) {
	blocks := (len(data) + blockSize - 1) / blockSize
	if blocks == 0 {
		return
	}
	buf := append(slices.Clone(data), make([]byte, blocks*blockSize-len(data))...)
	special, high := make([]uint64, blocks), make([]byte, blocks)
	plainSpecial, plainHigh := make([]uint64, blocks), make([]byte, blocks)
	for _, escaped := range []uint64{1, 0} {
		markBlocks(buf, special, high, escaped)
		markBlocksGo(buf, plainSpecial, plainHigh, escaped)
		if !slices.Equal(special, plainSpecial) || !bytes.Equal(high, plainHigh) {
			t.Fatalf("%q: got %x %v, want %x %v", data, special, high, plainSpecial, plainHigh)
		}
	}
	escaped := false
	for i, c := range buf {
		isSpecial := c < ' ' || c == '"' && !escaped || escaped && !strings.ContainsRune(`"\/bfnrt`, rune(c))
		escaped = c == '\\' && !escaped
		if special[i/blockSize]>>(i%blockSize)&1 == 1 != isSpecial {
			t.Fatalf("%q: byte %d is marked wrongly", data, i)
		}
		if c >= 0x80 && high[i/blockSize] != 1 {
			t.Fatalf("%q: byte %d is not noted as high", data, i)
		}
	}
}

func TestMarks(t *testing.T) {
	all := make([]byte, 4*256)
	for i := range all {
		all[i] = byte(i)
	}
	for shift := range 64 {
		checkMarks(t, all[shift:])
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 4000 {
		data := make([]byte, r.IntN(400))
		for i := range data {
			data[i] = byte(r.IntN(256))
			if n%2 == 0 { // long runs of backslashes, and what may follow them
				data[i] = `\\\\\\\\"/bfnrtux`[r.IntN(17)]
			}
		}
		checkMarks(t, data)
	}
}

func FuzzMarks(f *testing.F) {
	f.Add([]byte("{\"a\": \"b\\n\"}\n\x00\x1f\x20\x7f\x80\xff"))
	f.Fuzz(checkMarks)
}

func BenchmarkMarks(b *testing.B) {
	buf := bytes.Repeat([]byte("the quick brown \"fox\" "), 3000)
	buf = buf[:len(buf)/blockSize*blockSize]
	special, high := make([]uint64, len(buf)/blockSize), make([]byte, len(buf)/blockSize)
	type marker = func([]byte, []uint64, []byte, uint64)
	for name, mark := range map[string]marker{"vector": markBlocks, "plain": markBlocksGo} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(buf)))
			for b.Loop() {
				mark(buf, special, high, 0)
			}
		})
	}
}
