package bundle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// packGrouped writes a bundle with several files in a frame.
func packGrouped(t testing.TB, sources []Source, group int64) ([]byte, []Position) {
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
		testkit.Write(t, file, data)
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

// A large file has a frame for itself, and can be read in part. Small ones share theirs.
func TestLargeFileIsAlone(t *testing.T) {
	var sources []Source
	var contents []string
	for i, size := range []int{10_000, LargeFile, 20_000, 30_000, LargeFile - 1, 40_000, 3 * LargeFile} {
		content := strings.Repeat(fmt.Sprintf("%d-", i%10), size/2+1)[:size]
		sources = append(sources, text(fmt.Sprintf("%s%d.jsonl", sessions, i), Transcript, content))
		contents = append(contents, content)
	}
	data, places := packGrouped(t, sources, LargeFile)
	file := filepath.Join(t.TempDir(), "a.tar.zst")
	testkit.Write(t, file, data)
	frames := map[int64][]int{}
	for i, place := range places {
		frames[place.Frame] = append(frames[place.Frame], i)
		in, err := OpenAt(file, place)
		if err != nil {
			t.Fatal(err)
		}
		start := make([]byte, 100)
		if _, err := io.ReadFull(in, start); err != nil || string(start) != contents[i][:100] {
			t.Errorf("file %d begins with %q, %v", i, start, err)
		}
		in.Close()
		in.Close() // must not lend the decompressor twice
	}
	if got := slices.Sorted(maps.Keys(frames)); len(got) != 5 || len(frames[places[2].Frame]) != 3 {
		t.Errorf("frames have the files %v", frames)
	}
	for i, place := range places {
		if sum, err := DigestAt(file, place); err != nil || sum != digestOf(contents[i]) {
			t.Errorf("file %d: %s, %v", i, sum, err)
		}
	}
}

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
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
		r, err := newReader(context.Background(), bytes.NewReader(flipped), int64(len(flipped)))
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
