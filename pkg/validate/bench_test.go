package validate

import (
	"io"
	"os"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/validate/validatetest"
)

// BenchmarkSession checks the transcript that CLAWCTL_BENCH names, or a generated one.
func BenchmarkSession(b *testing.B) {
	data := validatetest.Healthy(1)
	if path := os.Getenv("CLAWCTL_BENCH"); path != "" {
		var err error
		if data, err = os.ReadFile(path); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(data)))
	reader := &jsonl.Reader{}
	for b.Loop() {
		reader.Reset(&slowReader{data: data}, jsonl.Options{})
		if _, err := Session(reader, source.Stream(nil, "bench"), Selection{}); err != nil {
			b.Fatal(err)
		}
	}
}

// slowReader returns its data in pieces, as reading a file does.
type slowReader struct{ data []byte }

func (r *slowReader) Read(p []byte) (int, error) {
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}
