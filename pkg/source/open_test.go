package source

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"clawctl/internal/testkit"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/source/packed"
)

const text = `{"type":"user","content":"a","ts":1}` + "\n"

func compress(t *testing.T, format string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if format == "zstd" {
		var err error
		if w, err = zstd.NewWriter(&b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestOpen(t *testing.T) {
	for name, data := range map[string][]byte{
		"plain": []byte(text), "empty": nil, "short": []byte("{}"), "zstd": compress(t, "zstd", []byte(text)),
		"gzip":       compress(t, "gzip", []byte(text)),
		"two frames": append(compress(t, "zstd", []byte(text)), compress(t, "zstd", []byte(text))...),
		"skipped":    append([]byte("\x50\x2a\x4d\x18\x02\x00\x00\x00xx"), compress(t, "zstd", []byte(text))...),
	} {
		want := map[string]string{"empty": "", "short": "{}", "two frames": text + text}
		expected, ok := want[name]
		if !ok {
			expected = text
		}
		path := filepath.Join(t.TempDir(), "transcript")
		testkit.Write(t, path, data)
		in, err := Open(path)
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := io.ReadAll(in)
		if err != nil || string(got) != expected || in.Size != int64(len(data)) {
			t.Errorf("%s: %q %v, size %d", name, got, err, in.Size)
		}
		if err := in.Close(); err != nil {
			t.Error(name, err)
		}
		// The same from a stream that cannot seek.
		in, err = Wrap(io.MultiReader(bytes.NewReader(data)), "stdin")
		if err != nil {
			t.Fatal(name, err)
		}
		if got, err := io.ReadAll(in); err != nil || string(got) != expected {
			t.Errorf("%s as a stream: %q %v", name, got, err)
		}
		in.Close()
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, errIsDirectory) {
		t.Error(err)
	}
}

// Torn or altered data ends in an error with its position, after all data before it.
func TestDamagedCompression(t *testing.T) {
	data := []byte(strings.Repeat(text, 100000))
	for _, format := range []string{"zstd", "gzip"} {
		whole := compress(t, format, data)
		in, err := Wrap(bytes.NewReader(whole[:len(whole)/2]), "torn")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(in)
		var damage *packed.Error
		if !errors.As(err, &damage) || damage.Format != format || damage.Offset != int64(len(got)) ||
			!bytes.HasPrefix(data, got) {
			t.Errorf("%s: %d bytes, then %v", format, len(got), err)
		}
	}
}

func TestBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses hundreds of megabytes")
	}
	t.Parallel()
	for _, format := range []string{"zstd", "gzip"} {
		bomb := compress(t, format, make([]byte, bundle.FreeExpansion+32<<20))
		in, err := Wrap(bytes.NewReader(bomb), "bomb")
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, in)
		if !errors.Is(err, packed.ErrBomb) || n > bundle.FreeExpansion+10<<20 {
			t.Errorf("%s: %d bytes, then %v", format, n, err)
		}
	}
}

// An input that is a file can be read from any place, so that readers can look ahead. A compressed one cannot.
func TestInputIsLikeAFile(t *testing.T) {
	for _, format := range []string{"plain", "gzip"} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		data := []byte(text)
		if format != "plain" {
			data = compress(t, format, data)
		}
		testkit.Write(t, path, data)
		in, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if format == "plain" {
			if err := iotest.TestReader(in, data); err != nil {
				t.Error(err)
			}
			continue
		}
		_, seekErr := in.Seek(0, io.SeekCurrent)
		if _, err := in.ReadAt(make([]byte, 1), 0); !errors.Is(err, errors.ErrUnsupported) ||
			!errors.Is(seekErr, errors.ErrUnsupported) {
			t.Errorf("%s: %v, %v", format, err, seekErr)
		}
	}
}
