package page

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"

	"clawctl/internal/parallel"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
)

// errChanged says that a transcript became shorter while its page was written.
var errChanged = errors.New("the transcript changed while it was read")

// chunksPerBatch is how many chunks are compressed at the same time, unless they have more than maxBatch bytes. The
// bodies of tiny records are many times as long as the records.
const (
	chunksPerBatch = 16
	maxBatch       = 32 << 20
)

// A bodyWriter writes the bodies of the entries, chunk by chunk.
type bodyWriter struct {
	ctx    context.Context
	out    *bufio.Writer
	batch  [][]byte // JSON first, and base64 in the end
	n      int      // the chunks of the batch
	size   int      // the bytes of the chunks before the last
	number int      // of the first chunk of the batch
	images int
	body   bodyMaker
	script string // an element that follows the first chunk
	index  *index // what follows the first chunk, if anything
	words  *Words // nil: nobody searches
}

// writeBodies reads a transcript for the second time. Entries that were added in the meantime are left out, because the
// index does not have them. The script and the index follow the first chunk, so that a browser shows it at once.
func (w *bodyWriter) writeBodies(s *Document, sv *survey, m *redact.Masker) error {
	w.body.image = w.writeImage
	maker := parts.Maker{Mask: m.Record}
	entries, starts := int32(0), sv.columns.Chunks
	for rec, err := range s.Records() {
		if err != nil {
			return err
		}
		e := maker.Entry(rec)
		if e == nil {
			continue
		}
		if int(entries) == sv.totals.Entries {
			break
		}
		if len(starts) > 0 && starts[0] == entries {
			starts = starts[1:]
			if err := w.begin(); err != nil {
				return err
			}
		}
		w.add(e)
		if w.words != nil {
			w.words.add(e, sv.linkTo(e))
		}
		entries++
	}
	if int(entries) < sv.totals.Entries {
		return errChanged
	}
	return w.flush()
}

// begin begins a chunk.
func (w *bodyWriter) begin() error {
	if w.n > 0 {
		w.size += len(w.batch[w.n-1])
	}
	if w.n == len(w.batch) || w.n > 0 && w.number == 0 || w.size > maxBatch {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.batch[w.n] = append(w.batch[w.n][:0], '[')
	w.n++
	return nil
}

// add adds an entry to the current chunk.
func (w *bodyWriter) add(e *parts.Entry) {
	chunk := &w.batch[w.n-1]
	if len(*chunk) > len("[") {
		*chunk = append(*chunk, ',', '\n')
	}
	*chunk = w.body.appendEntry(*chunk, e)
}

// flush compresses the chunks and writes them.
func (w *bodyWriter) flush() error {
	none := func() struct{} { return struct{}{} }
	err := parallel.Run(w.ctx, w.n, 0, none, func(_ context.Context, _ struct{}, i int) (err error) {
		p := packers.Get().(*packer)
		defer packers.Put(p)
		w.batch[i], err = p.pack(append(w.batch[i], ']'))
		return err
	})
	if err != nil {
		return err
	}
	for i := range w.n {
		data(w.out, "application/octet-stream", fmt.Sprintf("chunk-%d", w.number+i), w.batch[i])
	}
	if w.number == 0 {
		w.writeScript()
	}
	w.number += w.n
	w.n, w.size = 0, 0
	return nil
}

// writeScript writes the script, and the index if that was not written before.
func (w *bodyWriter) writeScript() {
	w.out.WriteString(w.script)
	if w.index != nil {
		w.index.write(w.out, "index")
		w.index = nil
	}
}

// writeImage writes an image and returns its number. ok is false if its data is not base64 of an image.
func (w *bodyWriter) writeImage(base64 string) (number int, ok bool) {
	if !isBase64(base64) {
		return 0, false
	}
	data(w.out, "application/octet-stream", fmt.Sprintf("image-%d", w.images), []byte(base64))
	w.images++
	return w.images - 1, true
}

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

// isBase64 reports whether a text has only the characters of base64.
func isBase64(text string) bool { return text != "" && strings.Trim(text, base64Alphabet) == "" }

// A packer compresses chunks, one after another.
type packer struct {
	deflate *flate.Writer
	packed  bytes.Buffer
}

// packLevel is the level of compression. Higher levels take more time than they save bytes.
const packLevel = 5

// packers are used again, because one takes a megabyte, and a page may be small.
var packers = sync.Pool{New: func() any { return newPacker() }}

func newPacker() *packer {
	deflate, err := flate.NewWriter(nil, packLevel)
	if err != nil {
		panic(err) // only for a wrong level
	}
	return &packer{deflate: deflate}
}

// pack returns a chunk as base64 of raw deflate, in the place of the chunk if it fits.
func (p *packer) pack(chunk []byte) ([]byte, error) {
	p.packed.Reset()
	p.deflate.Reset(&p.packed)
	if _, err := p.deflate.Write(chunk); err != nil {
		return nil, err
	}
	if err := p.deflate.Close(); err != nil {
		return nil, err
	}
	return base64.StdEncoding.AppendEncode(chunk[:0], p.packed.Bytes()), nil
}

// marks are what Markdown adds to a text and a title does not need.
var marks = strings.NewReplacer("**", "", "`", "", "# ", "")

// preview returns the first characters of a text, on one line and without the marks of Markdown.
func preview(v jsonl.Value, most int) string {
	text := v.String()
	words := strings.Fields(marks.Replace(text[:min(len(text), 8*most)]))
	runes := []rune(strings.ToValidUTF8(strings.Join(words, " "), ""))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
