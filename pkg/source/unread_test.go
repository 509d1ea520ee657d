package source

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

const oneRecord = `{"type":"session","version":3,"id":"a","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/"}` + "\n"

func gzipOf(text string, change func(*gzip.Writer)) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	change(w)
	if _, err := w.Write([]byte(text)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

func TestUnread(t *testing.T) {
	long := strings.Repeat(oneRecord, 5000)
	plain := func(*gzip.Writer) {}
	cold := filepath.Join("cold", strings.Repeat("ab", 32)+".jsonl")
	header := `{"kind":"header","version":1,"sessionId":"a","generation":"g"}` + "\n"
	for _, c := range []struct{ name, data, want string }{
		{"plain.jsonl", oneRecord, ""},
		{"empty.jsonl", "", ""},
		{"a.jsonl.zst", zstdOf(t, oneRecord), ""},
		{"a.jsonl.zst", zstdOf(t, long), ""},
		{"a.jsonl.zst", zstdOf(t, strings.Repeat("\n", 1<<20)), ""}, // blocks of one repeated byte
		{"a.jsonl.zst", zstdOf(t, oneRecord) + zstdOf(t, oneRecord), ""},
		{"a.jsonl.zst", zstdOf(t, oneRecord) + "\x50\x2a\x4d\x18\x01\x00\x00\x00x", "a skippable zstd frame"},
		{"a.jsonl.zst", "\x50\x2a\x4d\x18\x01\x00\x00\x00x" + zstdOf(t, oneRecord), "a skippable zstd frame"},
		{"a.jsonl.zst", zstdOf(t, oneRecord) + "abc", "bytes behind the last zstd frame"},
		{"a.jsonl.gz", gzipOf(oneRecord, plain), ""},
		{"a.jsonl.gz", gzipOf(oneRecord, plain) + gzipOf(oneRecord, plain), ""},
		{"a.jsonl.gz", gzipOf(oneRecord, func(w *gzip.Writer) { w.Name = "a.jsonl" }), ""},
		{"a.jsonl.gz", gzipOf(oneRecord, func(w *gzip.Writer) { w.Name = "b.jsonl" }), "another file name in gzip"},
		{"a.jsonl.gz", gzipOf(oneRecord, func(w *gzip.Writer) { w.Comment = "x" }), "a comment of gzip"},
		{"a.jsonl.gz", gzipOf(oneRecord, func(w *gzip.Writer) { w.Extra = []byte("x") }), "an extra field of gzip"},
		{"a.jsonl.gz", gzipOf(oneRecord, plain) + gzipOf("", func(w *gzip.Writer) { w.Comment = "x" }),
			"a comment of gzip"},
		{"a.jsonl.gz", gzipOf(oneRecord, plain) + "abc", "bytes behind the last gzip member"},
		{cold, header + `{"kind":"event","row":{"seq":0,"event_json":"{}","created_at":1}}` + "\n", ""},
		{cold, header + `{"kind":"event","row":{"seq":0,"event_json":"{}","created_at":1,"x":2}}` + "\n",
			"more than the transcript in line 2"},
		{cold, header + `{"kind":"event","row":{"event_json":"{\"a\":1}","event_json":"{}"}}` + "\n",
			"more than the transcript in line 2"},
		{cold, header + `{"kind":"fts","row":{"text":"x"}}` + "\n", "more than the transcript in line 2"},
		{cold, oneRecord, ""},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		testkit.Write(t, path, c.data)
		if got, err := File(path).Unread(t.Context()); got != c.want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestUnreadOfCutFile(t *testing.T) {
	for _, whole := range []string{zstdOf(t, strings.Repeat(oneRecord, 100)), gzipOf(oneRecord, func(*gzip.Writer) {})} {
		for cut := 5; cut < len(whole); cut += 7 {
			path := filepath.Join(t.TempDir(), "a.jsonl")
			testkit.Write(t, path, whole[:cut])
			if got, err := File(path).Unread(t.Context()); got == "" && err == nil {
				t.Errorf("cut at %d of %d: nothing is wrong", cut, len(whole))
			}
		}
	}
}
