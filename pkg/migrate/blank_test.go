package migrate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of blank lines takes a few rows, also if it grows, and comes back byte for byte.
func TestBlankLines(t *testing.T) {
	b := newBench(t)
	b.register("main", idA)
	blank := strings.Repeat("\n \r\n\t\n\n", 20_000)
	text := transcript(idA, 1) + blank + "{\n" + blank
	name := idA + ".jsonl"
	for i, more := range []string{"", "  ", " \n", "\n\n", "{\"torn", "\":1}\n" + blank} {
		text += more
		b.write(name, text)
		o := b.run(Options{})[name]
		if o.Err != nil || i == 0 && (o.Lines != int64(strings.Count(text, "\n")) || o.Damage.Line != 80_003) {
			t.Fatalf("step %d: %d lines, %v, %v", i, o.Lines, o.Damage, o.Err)
		}
		b.exact()
		for _, p := range b.verify() {
			if !p.Complete() {
				t.Errorf("step %d: %+v", i, p)
			}
		}
	}
	if o := b.run(Options{})[name]; o.Verdict != Unchanged {
		t.Errorf("the last import was not complete: %v", o.Verdict)
	}
	info, err := os.Stat(filepath.Join(b.sessions(), name))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := os.Stat(b.store)
	if err != nil || stored.Size() > 2*info.Size()+2<<20 { // a new store takes 1.8 MB
		t.Errorf("%d bytes take %d in the store: %v", info.Size(), stored.Size(), err)
	}
}
