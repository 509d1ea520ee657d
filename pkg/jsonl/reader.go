package jsonl

import (
	"io"
	"iter"
	"sync"
)

// Default limits of the reader.
const (
	DefaultMaxLine = 256 << 20
	chunkSize      = 256 << 10
	smallChunk     = 64 << 10 // for streams whose records are prepared, which takes longer than the rest
	spareSize      = 4 << 20  // the largest buffer for long lines that is kept for the next stream
)

// Options change how a stream is read. The zero value reads leniently.
type Options struct {
	// Strict ends the stream with its first Damage as the error.
	Strict bool
	// MaxLine is the longest line that is held in memory. 0 means DefaultMaxLine. A longer line is damage (TooLong) and
	// is returned in pieces.
	MaxLine int
	// BeforeRead, if set, is called before every read of the stream, or before waiting for the goroutine that reads it,
	// which may block. Its error ends the stream.
	BeforeRead func() error
	// Jobs is how many goroutines check lines while All or Records returns the ones before. Up to 1, lines are checked
	// as they are returned.
	Jobs int
	// Prepare, if set, makes a function that is called with every record on the goroutine that has checked it. Its
	// result is Record.Prepared. Work that takes longer than reading belongs there. While the function runs,
	// Record.Prepared is its result for an earlier record that is no longer valid, or nil, and may be used again.
	Prepare func() func(*Record) any
	// Verbatim reads lines as they are, without translating them, for whoever only copies them.
	Verbatim bool
	// LinesBefore and BytesBefore are the lines and bytes before a stream that is the rest of another one.
	LinesBefore, BytesBefore int64
}

// A Reader splits a stream into records. Its memory grows only with the longest line, not with the stream. A filler
// reads the stream in batches of lines, and a cutter cuts a batch into records.
type Reader struct {
	filler  filler
	cutter  cutter
	chunk   []byte // the buffer for batches
	dialect Dialect
	offset  int64 // of the end of the last record
	err     error // final
}

// NewReader returns a reader for a transcript.
func NewReader(src io.Reader, opts Options) *Reader {
	r := &Reader{}
	r.Reset(src, opts)
	return r
}

// Reset makes r read another stream and reuses its buffers.
func (r *Reader) Reset(src io.Reader, opts Options) {
	if opts.MaxLine <= 0 {
		opts.MaxLine = DefaultMaxLine
	}
	if r.chunk == nil {
		r.chunk = make([]byte, chunkSize+padding)
	}
	r.chunk = r.chunk[:cap(r.chunk)]
	if opts.Prepare != nil && len(r.chunk) > smallChunk+padding {
		r.chunk = r.chunk[:smallChunk+padding]
	}
	*r = Reader{filler: r.filler.reset(src, opts), cutter: r.cutter.reset(opts), chunk: r.chunk, offset: opts.BytesBefore}
}

// Dialect returns the dialect that the records read so far are in.
func (r *Reader) Dialect() Dialect { return r.dialect }

// Offset returns the number of bytes in the records read so far.
func (r *Reader) Offset() int64 { return r.offset }

// All returns the records. A yielded error is final: the stream could not be read, or it is strict and damaged.
func (r *Reader) All() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for {
			if r.filler.opts.Jobs > 1 && r.cutter.isDone() && !r.cutter.unstarted && r.filler.isLong() {
				r.yieldParallel(yield)
				return
			}
			rec, err := r.Next()
			if err == io.EOF || !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// Records resets r to another stream and returns its records, as All does.
func (r *Reader) Records(src io.Reader, opts Options) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		r.Reset(src, opts)
		r.All()(yield)
	}
}

// readers are reused by Records, because allocating their buffers takes longer than reading a small transcript.
var readers = sync.Pool{New: func() any { return &Reader{} }}

// Records returns the records of src, as All does. A record is valid until the next one or the end of the loop, after
// which another stream uses its reader.
func Records(src io.Reader, opts Options) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		r := readers.Get().(*Reader)
		defer readers.Put(r)
		r.Records(src, opts)(yield)
	}
}

// Next returns the next record, or io.EOF after the last.
func (r *Reader) Next() (*Record, error) {
	if r.cutter.isDone() && r.err == nil {
		var b batch
		if b, r.err = r.filler.fill(r.chunk); r.err == nil {
			r.cutter.take(b)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	r.cutter.translator.forget()
	return r.pass(r.cutter.next())
}

// pass notes what the reader knows after a record.
func (r *Reader) pass(rec *Record) (*Record, error) {
	r.offset = rec.Offset + int64(len(rec.Raw))
	if rec.Damage != nil && r.filler.opts.Strict {
		r.err = rec.Damage
		return nil, r.err
	}
	if rec.Legible() {
		r.dialect = r.dialect.Refine(statedLine{rec})
	}
	return rec, nil
}
