package page

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"

	"clawctl/pkg/read/rank"
)

// wordFiles are the files of an index, unpacked.
type wordFiles map[string][]byte

func (f wordFiles) create(name string, content []byte) error {
	text := strings.TrimSuffix(strings.TrimPrefix(string(content), "document.currentScript.chunk='"), "'\n")
	packed, err := base64.StdEncoding.DecodeString(text) // so nothing but base64 is in the script
	if err != nil {
		return err
	}
	chunk, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	f[name] = chunk
	return err
}

// postings reads the words of all files, each with the pieces that have it, and checks that they are in order.
func (f wordFiles) postings(t *testing.T, w *Words) map[string][]uint32 {
	t.Helper()
	all, last := map[string][]uint32{}, ""
	for n, file := range w.manifest.Words {
		chunk := f[fmt.Sprintf("search/words-%d.js", n)]
		for isFirst := true; len(chunk) > 0; isFirst = false {
			word, pieces := string(lengthAndBytes(&chunk)), lengthAndBytes(&chunk)
			if isFirst && word != file.First || word <= last {
				t.Fatalf("file %d: %q after %q, the manifest says %q", n, word, last, file.First)
			}
			for last = word; len(pieces) > 0; {
				difference, size := binary.Uvarint(pieces)
				if list := all[word]; len(list) > 0 {
					difference += uint64(list[len(list)-1])
				}
				all[word], pieces = append(all[word], uint32(difference)), pieces[size:]
			}
		}
	}
	return all
}

// lengthAndBytes takes a length and so many bytes from the beginning of a chunk.
func lengthAndBytes(chunk *[]byte) []byte {
	n, size := binary.Uvarint(*chunk)
	data := (*chunk)[size : size+int(n)]
	*chunk = (*chunk)[size+int(n):]
	return data
}

// texts reads the pieces of all files, each with its anchor.
func (f wordFiles) texts(t *testing.T, w *Words) (list [][2]string) {
	t.Helper()
	for n, first := range w.manifest.Texts {
		if int(first) != len(list) {
			t.Fatalf("file %d begins with piece %d, want %d", n, first, len(list))
		}
		var pieces [][2]string
		if err := json.Unmarshal(f[fmt.Sprintf("search/text-%d.js", n)], &pieces); err != nil {
			t.Fatal(err)
		}
		list = append(list, pieces...)
	}
	return list
}

// The index has exactly the words of the texts, however often words were put aside, and the texts are whole.
func TestWords(t *testing.T) {
	transcripts := [][]byte{richTranscript(), longTranscript(60, 40), richTranscript()}
	var usual map[string][]uint32
	for _, putsAside := range []bool{false, true} {
		files := wordFiles{}
		w := NewWords(t.TempDir(), files.create)
		defer w.Close()
		for _, transcript := range transcripts {
			pageOf(t, transcript, Options{Words: w})
			if putsAside {
				w.putAside()
			}
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		got, want := files.postings(t, w), map[string][]uint32{}
		for n, piece := range files.texts(t, w) {
			rank.EachKey(piece[1], func(key []byte) {
				if list := want[string(key)]; len(list) == 0 || list[len(list)-1] != uint32(n) {
					want[string(key)] = append(list, uint32(n))
				}
			})
		}
		if !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%d words, want %d", len(got), len(want))
		}
		if usual == nil {
			usual = got
		} else if !maps.EqualFunc(got, usual, slices.Equal) {
			t.Error("the index is another one if words were put aside")
		}
		if len(got["needle"]) != 7 || len(got["abandoned"]) != 2 || len(got["sk"]) != 0 {
			t.Errorf("needle is in %d, abandoned in %d", got["needle"], got["abandoned"])
		}
	}
}

// What is masked on the page is not in the index.
func TestWordsAreMasked(t *testing.T) {
	s := newScribe()
	s.user("my key is sk-ant-0123456789abcdefghijklmnop and my name is Ada")
	files := wordFiles{}
	w := NewWords(t.TempDir(), files.create)
	pageOf(t, s.Bytes(), Options{Words: w})
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	all := files.postings(t, w)
	if all["ada"] == nil || slices.ContainsFunc(slices.Collect(maps.Keys(all)), func(word string) bool {
		return strings.Contains(word, "0123456789")
	}) {
		t.Errorf("%v", all)
	}
	if text := files.texts(t, w)[1][1]; !strings.Contains(text, "sk-ant-[masked]") && !strings.Contains(text, "[masked]") {
		t.Error(text)
	}
}

// Long texts are cut into pieces, between words if possible, and nothing is lost.
func TestPieces(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("word ", 10000), strings.Repeat("x", 50000), strings.Repeat("語", 20000), "short",
		strings.Repeat("a\u00a0", 20000),
	} {
		joined := ""
		for rest := text; rest != ""; {
			n := endOfPiece(rest)
			if n <= 0 || n > maxPiece {
				t.Fatalf("a piece of %d bytes", n)
			}
			joined, rest = joined+rest[:n], rest[n:]
			if strings.HasPrefix(text, "word") && strings.Trim(rest, " word") != "" || strings.HasPrefix(rest, "ord") {
				t.Fatalf("a word is cut before %.20q", rest)
			}
		}
		if joined != text || strings.ToValidUTF8(joined, "?") != text {
			t.Error("the pieces are another text")
		}
	}
}

// A file that cannot be written is reported.
func TestWordsNotWritten(t *testing.T) {
	w := NewWords(t.TempDir(), func(string, []byte) error { return io.ErrShortWrite })
	pageOf(t, richTranscript(), Options{Words: w})
	if err := w.Finish(); err != io.ErrShortWrite {
		t.Error(err)
	}
}
