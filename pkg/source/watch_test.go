package source

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
)

// Every byte of a file counts once, however many goroutines read it.
func TestWatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	long := `{"type":"user","content":"` + strings.Repeat("x", 1<<20) + `"}` + "\n"
	text := strings.Repeat(strings.Repeat(`{"type":"user","content":"x"}`+"\n", 20_000)+long, 8)
	testkit.Write(t, path, text)
	for _, jobs := range []int{1, 2, 4} {
		in, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var read atomic.Int64
		in.watch(func(n int64) { read.Add(n) })
		for _, err := range jsonl.Records(in.Reader, jsonl.Options{Jobs: jobs}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if n := read.Load(); n != int64(len(text)) {
			t.Errorf("%d jobs: %d bytes are reported, want %d", jobs, n, len(text))
		}
		in.Close()
	}
}
