package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/internal/testkit"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// storedTexts are the texts of transcripts by key, as a store would open them.
type storedTexts map[string]string

func (s storedTexts) openText(t *storedTranscript) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(s[t.Key])), nil
}

func TestDecide(t *testing.T) {
	const key, id = "agent:main:a", "11111111-1111-4111-8111-111111111111"
	const head = `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}` + "\n"
	sumOf := func(text string) string {
		sum := sha256.Sum256([]byte(head + text))
		return hex.EncodeToString(sum[:])
	}
	type stored struct {
		key, generation, text string
		sum                   string // of another text, if the rows have changed
	}
	for name, test := range map[string]struct {
		stored   []stored
		kind     source.Kind
		text     string
		want     Verdict
		existing string // the key of the transcript that has the text, or a beginning of it
		replaced string // the key of the transcript that has the name
		unsound  int
	}{
		"nothing is stored":       {text: "1\n", want: New},
		"the same text":           {stored: []stored{{key: key, text: "1\n2\n"}}, text: "1\n2\n", want: Copy, existing: key},
		"the beginning of a text": {stored: []stored{{key: key, text: "1\n2\n"}}, text: "1\n", want: Copy, existing: key},
		"a text with more lines":  {stored: []stored{{key: key, text: "1\n"}}, text: "1\n2\n", want: Grown, existing: key},
		"another text, in a newer file": {stored: []stored{{key: key, text: "1\n"}}, text: "x\ny\n", want: Generation,
			replaced: key},
		"another text, in an archive": {stored: []stored{{key: key, text: "1\n"}}, kind: source.Archive, text: "x\ny\n",
			want: Generation},
		"the longest of two": {stored: []stored{{key: key, generation: "g", text: "1\n"}, {key: key, text: "1\n2\n"}},
			text: "1\n2\n3\n", want: Grown, existing: key},
		"an archive makes no current text longer": {stored: []stored{{key: key, text: "1\n"}}, kind: source.Archive,
			text: "1\n2\n", want: Generation},
		"rows that lost their digest": {stored: []stored{{key: key, text: "1\nx\n", sum: sumOf("1\n2\n")}}, text: "1\n2\n",
			want: Generation, replaced: key, unsound: 1},
	} {
		t.Run(name, func(t *testing.T) {
			texts, c := storedTexts{}, newCatalog()
			for _, s := range test.stored {
				full := store.Name(s.key, s.generation)
				sum := s.sum
				if sum == "" {
					sum = sumOf(s.text)
				}
				texts[full] = head + s.text
				c.add(&storedTranscript{Transcript: &store.Transcript{Key: full, BaseKey: s.key, Generation: s.generation,
					SessionID: id, Bytes: int64(len(head + s.text)), Sum: sum}})
			}
			d := &decider{ctx: context.Background(), catalog: c, texts: texts}
			p, err := d.decide(sessionOf(t, key, id, test.kind, head+test.text))
			if err != nil || p.verdict != test.want || keyOf(p.existing) != test.existing ||
				keyOf(p.occupant) != test.replaced || len(p.unsound) != test.unsound {
				t.Errorf("got %s of %q for %q with %d unsound, %v", p.verdict, keyOf(p.existing), keyOf(p.occupant),
					len(p.unsound), err)
			}
		})
	}
}

func keyOf(t *storedTranscript) string {
	if t == nil {
		return ""
	}
	return t.Key
}

// sessionOf returns a session with a text, in a file.
func sessionOf(t *testing.T, key, id string, kind source.Kind, text string) *source.Session {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "agents", "main", "sessions")
	path := filepath.Join(folder, id+".jsonl")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, path, text)
	place, err := source.Find(context.Background(), folder, source.Options{})
	if err != nil || len(place.Sessions) != 1 {
		t.Fatal("no session", err)
	}
	t.Cleanup(func() { place.Close() })
	s := place.Sessions[0]
	s.Key, s.Modified = key, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if kind != "" {
		s.Kind = kind
	}
	return s
}
