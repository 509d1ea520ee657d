package jsonl

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// BenchmarkReader reads lines of several lengths, from a file that allows looking ahead and from a pipe.
func BenchmarkReader(b *testing.B) {
	for _, size := range []struct {
		name          string
		length, lines int
	}{{"2KB", 2 << 10, 8 << 10}, {"1MB", 1 << 20, 32}, {"32MB", 32 << 20, 2}} {
		line := `{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"` +
			strings.Repeat("abcd ef", size.length/7) + `"}}` + "\n"
		data := []byte(strings.Repeat(line, size.lines))
		b.Run(size.name+"/file", func(b *testing.B) {
			readAll(b, data, func() io.Reader { return bytes.NewReader(data) })
		})
		b.Run(size.name+"/pipe", func(b *testing.B) {
			readAll(b, data, func() io.Reader { return struct{ io.Reader }{bytes.NewReader(data)} })
		})
	}
}

// BenchmarkTranslation reads lines that are translated.
func BenchmarkTranslation(b *testing.B) {
	line := `{"type":"user","content":"` + strings.Repeat("abcd ef", 300) + `","ts":1777629601.5}` + "\n"
	data := []byte(strings.Repeat(line, 8<<10))
	readAll(b, data, func() io.Reader { return bytes.NewReader(data) })
}

// readAll reads data repeatedly with one reader.
func readAll(b *testing.B, data []byte, open func() io.Reader) {
	b.SetBytes(int64(len(data)))
	var r Reader
	for b.Loop() {
		r.Reset(open(), Options{})
		for _, err := range r.All() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
