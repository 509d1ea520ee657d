package slim

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
)

// The errors of restoring.
var (
	errChanged  = different("the copy was changed since it was made")
	errContent  = different("a content file is damaged")
	errManifest = different("the manifest is not one of slim")
)

// different is an error of a copy that is not what slim made.
func different(text string) error {
	return &failure.Sentinel{Code: failure.Differs, Text: text, Exit: failure.ExitDamaged}
}

// Restore writes the original of a copy, and what was appended to the copy since. open opens a content file by its
// name. added is how many bytes were appended.
func (m *Manifest) Restore(
	in io.Reader, out io.Writer, open func(name string) ([]byte, error),
) (added int64, err error) {
	if m.Version != 1 || m.Original.SHA256 == "" {
		return 0, errManifest
	}
	r := &restorer{in: bufio.NewReaderSize(in, 1<<20), out: out, copied: newCounter(), original: newCounter(),
		largest: m.Original.Bytes}
	for _, cut := range m.Cuts {
		if err := r.cut(cut, open); err != nil {
			return 0, err
		}
	}
	if err := r.pass(m.Copy.Bytes - r.copied.n); err != nil {
		return 0, err
	}
	if r.copied.digest() != m.Copy || r.original.digest() != m.Original {
		return 0, errChanged
	}
	return io.Copy(out, r.in)
}

// A restorer is a copy that is being turned into its original.
type restorer struct {
	in               *bufio.Reader
	out              io.Writer
	copied, original counter
	largest          int64 // size of the original: a manifest may name a content file again and again
}

// pass copies bytes that are the same in both.
func (r *restorer) pass(n int64) error {
	if n < 0 {
		return errManifest
	}
	_, err := io.CopyN(io.MultiWriter(r.out, r.copied.hash, r.original.hash), r.in, n)
	r.copied.n += n
	r.original.n += n
	return orChanged(err)
}

// orChanged says that a copy that ends early was changed.
func orChanged(err error) error {
	if errors.Is(err, io.EOF) {
		return errChanged
	}
	return err
}

// cut puts a piece back.
func (r *restorer) cut(cut Cut, open func(name string) ([]byte, error)) error {
	if err := r.pass(cut.At - r.copied.n); err != nil {
		return err
	}
	if _, err := io.CopyN(r.copied.hash, r.in, cut.Length); err != nil {
		return orChanged(err)
	}
	r.copied.n += cut.Length
	content, err := contentFile(cut.File, open)
	if err != nil {
		return err
	}
	piece := []byte(cut.Before + cut.Form.encode(content) + cut.After)
	r.original.add(piece)
	if r.original.n > r.largest {
		return errChanged
	}
	_, err = r.out.Write(piece)
	return err
}

// contentFile returns a content file, if it has the content that its name promises.
func contentFile(name string, open func(string) ([]byte, error)) ([]byte, error) {
	if path.Base(name) != name || strings.ContainsAny(name, `\:`) {
		return nil, errManifest
	}
	content, err := open(name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	if !strings.HasPrefix(name, hex.EncodeToString(sum[:])) {
		return nil, fmt.Errorf("%w: %s", errContent, name)
	}
	return content, nil
}

// encode writes the content of a file as it was in the transcript.
func (e Encoding) encode(content []byte) string {
	switch e {
	case Base64:
		return base64.StdEncoding.EncodeToString(content)
	case Quoted:
		return jsonl.Quote(string(content))
	}
	return string(content)
}
