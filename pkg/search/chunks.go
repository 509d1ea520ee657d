package search

import (
	"bytes"
	"context"
	"io"
	"sync"

	"clawctl/pkg/jsonl"
)

// A chunk is a number of whole lines.
type chunk struct {
	text    []byte
	offset  int64 // in the stream
	skipped int64 // bytes of a line after it that is too long
	unread  int64 // 1 if there is such a line
}

// A chunker cuts a stream into chunks. A chunk ends with a line, or with the stream.
type chunker struct {
	stream io.Reader
	before func() error
	rest   []byte // the beginning of the next chunk
	offset int64
	err    error
	free   []byte
}

// reset begins another stream.
func (c *chunker) reset(stream io.Reader, before func() error) {
	*c = chunker{stream: stream, before: before, rest: c.rest[:0], free: c.free}
}

// maxKept is the largest memory of a chunk that is used again. Lines with an image have a megabyte or two.
const maxKept = 16 * chunkSize

// recycle lets the next chunk use the memory of one that is no longer needed, unless it had a very long line.
func (c *chunker) recycle(text []byte) {
	if cap(text) <= maxKept {
		c.free = text[:0]
	}
}

// next reads the next chunk into buf, or into recycled memory.
func (c *chunker) next(buf []byte) (chunk, error) {
	if buf == nil {
		buf, c.free = c.free, nil
	}
	buf = append(buf[:0], c.rest...)
	searched := 0 // no line ends before it
	for c.err == nil {
		if cap(buf)-len(buf) < chunkSize/2 {
			buf = append(make([]byte, 0, max(chunkSize, 2*cap(buf))), buf...)
		}
		c.read(&buf)
		if end := lastNewline(buf[searched:]); end >= 0 {
			return c.cut(buf, searched+end+1), nil
		}
		searched = len(buf)
		if searched > jsonl.DefaultMaxLine {
			return c.skipLine(buf), nil
		}
	}
	if len(buf) == 0 {
		c.recycle(buf)
		return chunk{}, c.err
	}
	return c.cut(buf, len(buf)), nil
}

// lastNewline returns the index of the last line feed, or -1. It looks into one block after the other, because Go has
// vector instructions only for searching forward.
func lastNewline(text []byte) int {
	const block = 4 << 10
	for end := len(text); end > 0; end -= block {
		start := max(0, end-block)
		if bytes.IndexByte(text[start:end], '\n') >= 0 {
			return start + bytes.LastIndexByte(text[start:end], '\n')
		}
	}
	return -1
}

// read reads once.
func (c *chunker) read(buf *[]byte) {
	if c.before != nil {
		if c.err = c.before(); c.err != nil {
			return
		}
	}
	n, err := c.stream.Read((*buf)[len(*buf):cap(*buf)])
	*buf, c.err = (*buf)[:len(*buf)+n], err
}

// cut returns the chunk that ends at an index, and keeps what is after it.
func (c *chunker) cut(buf []byte, end int) chunk {
	c.rest = append(c.rest[:0], buf[end:]...)
	made := chunk{text: buf[:end], offset: c.offset}
	c.offset += int64(end)
	return made
}

// skipLine drops a line that is longer than any record may be, and keeps what is after it.
func (c *chunker) skipLine(buf []byte) chunk {
	made := chunk{text: buf[:0], offset: c.offset, unread: 1}
	c.rest = c.rest[:0]
	for end := -1; ; {
		if end = bytes.IndexByte(buf, '\n'); end >= 0 {
			made.skipped += int64(end)
			c.rest = append(c.rest, buf[end:]...) // the newline counts the line
			break
		}
		made.skipped += int64(len(buf))
		if buf = buf[:0]; c.err != nil {
			break
		}
		c.read(&buf)
	}
	c.offset += made.skipped
	return made
}

// A job is a chunk that is being searched.
type job struct {
	chunk
	found chan finding
}

// eachParallel searches the chunks on several goroutines and passes their hits on in order. The number of chunks in
// memory is limited, so the reader waits for the slowest of them.
func (s *Scan) eachParallel(ctx context.Context, stream io.Reader, emit func(Hit) error) (tally Tally, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &pipeline{
		work: make(chan *job), ordered: make(chan *job, 2*s.Jobs), free: make(chan []byte, 4*s.Jobs),
	}
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	for range s.Jobs {
		w := s.worker()
		group.Go(func() { p.searchAll(w) })
	}
	group.Go(func() { p.read(ctx, &chunker{stream: stream, before: s.BeforeRead}) })
	for j := range p.ordered {
		f := <-j.found
		p.recycle(j.text)
		if err = tally.add(f, emit); err != nil {
			return tally, err
		}
	}
	if ctx.Err() != nil {
		return tally, ctx.Err()
	}
	return tally, ignoreEOF(p.err)
}

// A pipeline connects the goroutine that reads with those that search and the one that emits.
type pipeline struct {
	work    chan *job // in any order
	ordered chan *job
	free    chan []byte // memory for further chunks
	err     error       // of reading; valid after ordered is closed
}

// read cuts the stream and hands the chunks out until it ends.
func (p *pipeline) read(ctx context.Context, source *chunker) {
	defer close(p.ordered)
	defer close(p.work)
	for {
		c, err := source.next(p.buffer())
		if err != nil {
			p.err = err
			return
		}
		j := &job{c, make(chan finding, 1)}
		select {
		case p.ordered <- j:
		case <-ctx.Done():
			return
		}
		p.work <- j
	}
}

func (p *pipeline) searchAll(w *worker) {
	for j := range p.work {
		j.found <- w.search(j.chunk)
	}
}

// buffer returns memory for a chunk.
func (p *pipeline) buffer() []byte {
	select {
	case buf := <-p.free:
		return buf
	default:
		return make([]byte, 0, chunkSize)
	}
}

// recycle keeps the memory of a chunk for another one, unless it had a very long line.
func (p *pipeline) recycle(text []byte) {
	if cap(text) > 4*chunkSize {
		return
	}
	select {
	case p.free <- text[:0]:
	default:
	}
}
