package tokens

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// machineEnds returns the ends of the pieces that a machine finds, and in between those that only a splitter finds.
func machineEnds(e *Encoding, text string) (ends []int) {
	var found [batch]int
	for at := 0; at < len(text); at = ends[len(ends)-1] {
		n := e.machine().split(text, at, &found)
		if n == 0 {
			n = e.splitBatch(e.machine(), text, at, &found)
		}
		ends = append(ends, found[:n]...)
	}
	return ends
}

// splitEnds returns the ends of the pieces that a splitter finds.
func splitEnds(e *Encoding, text string) (ends []int) {
	for at := 0; at < len(text); at = ends[len(ends)-1] {
		ends = append(ends, e.split(text, at))
	}
	return ends
}

// compareSplit splits a text with a machine and with a splitter.
func compareSplit(t *testing.T, text string) {
	t.Helper()
	for _, e := range []*Encoding{CL100K, O200K} {
		if got, want := machineEnds(e, text), splitEnds(e, text); !slices.Equal(got, want) {
			t.Fatalf("%s: pieces end at %d, want %d, in %q", e.Name(), got, want, text)
		}
	}
}

// A machine splits every text of up to four bytes as a splitter does, with a byte of every kind in every place.
func TestMachineShort(t *testing.T) {
	texts := []string{""}
	for range 4 {
		var longer []string
		for _, text := range texts {
			for i := range len(samples) {
				longer = append(longer, text+samples[i:i+1])
			}
		}
		texts = longer
		for _, text := range texts {
			compareSplit(t, text)
		}
	}
}

// Bytes of the same kind are split in the same way, after a letter, an apostrophe, or both.
func TestMachineKinds(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			two := string([]byte{byte(a), byte(b)})
			compareSplit(t, two)
			compareSplit(t, "'"+two)
			compareSplit(t, "A'"+two)
		}
	}
}

// A machine splits long texts as a splitter does, wherever a batch ends.
func TestMachineLong(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		var b strings.Builder
		for b.Len() < 32*batch {
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		compareSplit(t, b.String())
	}
}

// FuzzMachine compares how any text is split.
func FuzzMachine(f *testing.F) {
	for _, text := range odd {
		f.Add(text)
	}
	f.Fuzz(compareSplit)
}
