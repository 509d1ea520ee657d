package bundle

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// packGrouped writes a bundle with several files in a frame.
func packGrouped(t testing.TB, sources []Source, group int64) ([]byte, []Place) {
	t.Helper()
	m, err := Measure(t.Context(), sources, false)
	if err != nil {
		t.Fatal(err)
	}
	m.Group(group)
	m.Stored = []byte(`[1]`)
	var out bytes.Buffer
	places, err := Write(t.Context(), &out, m, sources)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), places
}

// Files of any sizes come back from their frame, with the manifest and without it.
func TestGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 40 {
		var sources []Source
		var contents []string
		for i := range random.IntN(12) {
			content := strings.Repeat(fmt.Sprintf("{\"line\":%d}\n", random.IntN(50)), random.IntN(3000))
			sources = append(sources, text(fmt.Sprintf("%s%03d%s.jsonl", sessions, i, strings.Repeat("n", random.IntN(120))),
				Transcript, content))
			contents = append(contents, content)
		}
		data, places := packGrouped(t, sources, random.Int64N(60_000))
		r, err := open(data)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		file := filepath.Join(t.TempDir(), "a.tar.zst")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for i, want := range slices.Backward(contents) {
			if got := contentOf(t, r, i); got != want {
				t.Errorf("round %d: file %d has %d bytes, want %d", round, i, len(got), len(want))
			}
			if place, err := r.PlaceOf(i); err != nil || place != places[i] {
				t.Errorf("round %d: file %d is at %+v, not at %+v: %v", round, i, place, places[i], err)
			}
			in, err := OpenAt(file, places[i])
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(in)
			if err != nil || string(got) != want {
				t.Errorf("round %d: the place of file %d has %d bytes, want %d: %v", round, i, len(got), len(want), err)
			}
			in.Close()
		}
	}
}

// A grouped bundle in which one byte differs is refused, or has the same files.
func TestFlippedGroups(t *testing.T) {
	var sources []Source
	for i := range 6 {
		sources = append(sources, text(fmt.Sprintf("%s%d.jsonl", sessions, i), Transcript, strings.Repeat("line\n", 20*i)))
	}
	data, _ := packGrouped(t, sources, 200)
	for at := range data {
		flipped := slices.Clone(data)
		flipped[at] ^= 0x10
		r, err := NewReader(context.Background(), bytes.NewReader(flipped), int64(len(flipped)))
		if err != nil {
			continue
		}
		for i := range sources {
			if got := contentOf(t, r, i); got != strings.Repeat("line\n", 20*i) {
				t.Fatalf("byte %d: file %d has %q", at, i, got)
			}
		}
	}
}

// Frames that are not those of the files are refused.
func TestBadGroups(t *testing.T) {
	sources := examples()
	m, err := Measure(t.Context(), sources, false)
	if err != nil {
		t.Fatal(err)
	}
	for name, frames := range map[string][]int{
		"none": nil, "too few": {1, 2}, "too many": {4, 1}, "empty": {4, 0}, "negative": {-1, 5}, "huge": {1 << 40},
	} {
		bad := *m
		bad.Version, bad.Frames = groupedVersion, frames
		if err := bad.check(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	old := *m
	if old.Frames = []int{4}; old.check() == nil {
		t.Error("a bundle of version 1 has frames")
	}
}
