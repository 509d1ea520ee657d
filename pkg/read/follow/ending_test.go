package follow

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/source"
)

// countParts counts as tail does.
func countParts(rec *jsonl.Record) int {
	var m parts.Maker
	if e := m.Entry(rec); e != nil {
		return len(e.Parts)
	}
	return 0
}

// describe lists what an ending keeps.
func describe(e *Ending) string {
	var b strings.Builder
	fmt.Fprintf(&b, "surplus %d\n", e.Surplus())
	for _, rec := range e.Records() {
		fmt.Fprintf(&b, "%d %d %q %v\n", rec.Line, rec.Offset, rec.Raw, rec.Damage)
	}
	return b.String()
}

// withSmallWindows makes reading from the end take many steps.
func withSmallWindows(t *testing.T) {
	t.Helper()
	first := jsonl.FirstEnd
	jsonl.FirstEnd = 16
	t.Cleanup(func() { jsonl.FirstEnd = first })
}

// checkEnding compares the end of a text with the end of everything that reading all of it returns.
func checkEnding(t *testing.T, name string, text []byte, wants ...int) {
	t.Helper()
	for _, want := range wants {
		all := &Ending{Want: want, Count: countParts, Numbered: want%2 == 1}
		end := &Ending{Want: want, Count: countParts, Numbered: all.Numbered}
		if err := LastOf(t.Context(), bytes.NewReader(text), all); err != nil {
			t.Fatal(err)
		}
		if _, err := readLast(t.Context(), bytes.NewReader(text), int64(len(text)), end); err != nil {
			t.Fatal(err)
		}
		if got, must := describe(end), describe(all); got != must {
			t.Errorf("%s, %d parts: from the end\n%sfrom the start\n%s", name, want, got, must)
		}
	}
}

func TestLastOfEveryTranscript(t *testing.T) {
	withSmallWindows(t)
	files, err := filepath.Glob("../../../testdata/transcripts/*.jsonl")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text := testkit.Read(t, name)
		checkEnding(t, filepath.Base(name), text, 0, 1, 2, 3, 5, 10, 1000)
	}
}

// pieces are what random transcripts are made of.
var pieces = []string{
	"\n", "\r\n", "\n", "\n", " ", "\x00", "\xff", "{", "}", `{"type":"message","message":{"role":"user","content":"hi"}}`,
	`{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"` + strings.Repeat("long ", 40) +
		`"},{"type":"toolCall","id":"c","name":"ls","arguments":{}}]}}`, `[1]`, "\ufeff", `{"type":"session"}`,
	"\xff\xfe{\x00",
}

func TestLastOfRandomTranscripts(t *testing.T) {
	withSmallWindows(t)
	rounds, err := strconv.Atoi(os.Getenv("CLAWCTL_ROUNDS"))
	if err != nil {
		rounds = 2000
	}
	random := rand.New(rand.NewPCG(1, 2))
	for n := range rounds {
		var text []byte
		for range random.IntN(20) {
			text = append(text, pieces[random.IntN(len(pieces))]...)
		}
		checkEnding(t, fmt.Sprintf("text %d", n), text, random.IntN(5))
	}
}

// The end of a long file is found without reading the file.
func TestLastReadsLittle(t *testing.T) {
	line := pieces[9] + "\n"
	text := &countingReader{from: bytes.NewReader(bytes.Repeat([]byte(line), 200_000))}
	e := &Ending{Want: 10, Count: countParts}
	if _, err := readLast(t.Context(), text, text.from.Size(), e); err != nil || len(e.Records()) != 10 {
		t.Fatal(err, len(e.Records()))
	}
	if text.read > 8*jsonl.FirstEnd {
		t.Errorf("%d of %d bytes were read", text.read, text.from.Size())
	}
}

type countingReader struct {
	from *bytes.Reader
	read int64
}

func (r *countingReader) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.from.ReadAt(p, at)
	r.read += int64(n)
	return n, err
}

// A last line that is still being written is left out if the file grows.
func TestLastOfGrowingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, line("a")+line("b")+`{"type":"mess`)
	var g Group
	defer g.Close()
	for growing, want := range map[bool]string{true: "a b", false: "a b damage"} {
		e := &Ending{Want: 5, Count: countParts, Growing: growing}
		if err := g.Add(source.File(path)).Source.Last(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, rec := range e.Records() {
			got = append(got, name(rec))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("growing %v: %q", growing, got)
		}
	}
}
