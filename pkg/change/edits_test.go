package change

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/iotest"
)

// apply returns a text after edits, in the plainest way.
func apply(text []byte, edits Edits) []byte {
	text = slices.Clone(text)
	for _, e := range slices.Backward(edits) {
		text = slices.Replace(text, int(e.From), int(e.To), e.New...)
	}
	return text
}

func randomEdits(dice *rand.Rand, size int) (edits Edits) {
	for at := 0; at <= size; {
		from := at + dice.IntN(size+2)
		to := from + dice.IntN(4)
		if to > size {
			break
		}
		edits = append(edits, Edit{int64(from), int64(to), []byte("ABCDEF"[:dice.IntN(7)])})
		at = to + 1
	}
	return edits
}

func TestEditsCompose(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		text := bytes.Repeat([]byte("abcdefghij"), 4)[:dice.IntN(40)]
		first := randomEdits(dice, len(text))
		middle := apply(text, first)
		second := randomEdits(dice, len(middle))
		want := apply(middle, second)
		both := first.Then(second, int64(len(text)))
		got, err := io.ReadAll(both.Reader(bytes.NewReader(text), int64(len(text))))
		if err != nil || !bytes.Equal(got, want) || both.newSize(int64(len(text))) != int64(len(want)) {
			t.Fatalf("%q, %v, then %v: %q, want %q", text, first, second, got, want)
		}
	}
}

// The new text can be read like a file, from any place.
func TestEditedTextIsLikeAFile(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		text := bytes.Repeat([]byte("abcdefghij"), 4)[:dice.IntN(40)]
		edits := randomEdits(dice, len(text))
		new := edits.Reader(bytes.NewReader(text), int64(len(text)))
		if err := iotest.TestReader(new, apply(text, edits)); err != nil {
			t.Fatalf("%q with %v: %v", text, edits, err)
		}
	}
}

func TestReplaceIsSmall(t *testing.T) {
	for _, test := range []struct {
		old, new string
		want     Edit
	}{
		{"abc", "abc", Edit{13, 13, nil}},
		{"abc", "axc", Edit{11, 12, []byte("x")}},
		{"aaa", "aaaa", Edit{13, 13, []byte("a")}},
		{"aaaa", "aa", Edit{12, 14, nil}},
		{"", "x", Edit{10, 10, []byte("x")}},
	} {
		got := Replace(10, []byte(test.old), []byte(test.new))
		if got.From != test.want.From || got.To != test.want.To || string(got.New) != string(test.want.New) {
			t.Errorf("%q to %q: %+v, want %+v", test.old, test.new, got, test.want)
		}
	}
}

func TestOrigins(t *testing.T) {
	edits := Edits{{0, 0, []byte("++")}, {3, 5, []byte("x")}, {8, 9, nil}}
	origin := edits.Origins() // 0123456789 becomes ++012x5679
	for at, want := range []int64{0, 0, 0, 1, 2, 3, 5, 6, 7, 9} {
		if got := origin(int64(at)); got != want {
			t.Errorf("%d comes from %d, want %d", at, got, want)
		}
	}
}
