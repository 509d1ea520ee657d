package search

import (
	"bytes"
	"context"
	"io"

	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
)

// A chunk is a number of whole lines.
type chunk struct {
	text    []byte
	offset  int64 // in the stream
	skipped int64 // bytes of a line before it that is too long
	unread  int64 // 1 if such a line begins there
}

// chunkOf returns the lines of a batch, which has a text. What it has of a line that is too long is skipped up to the
// newline, which counts the line.
func chunkOf(b *jsonl.Batch, text []byte) chunk {
	c := chunk{text: text, offset: b.Offset}
	if !b.IsLong {
		return c
	}
	end := bytes.IndexByte(text, '\n')
	if end < 0 {
		end = len(text)
	}
	c.text, c.skipped = text[end:], int64(end)
	if c.offset += c.skipped; !b.IsContinued {
		c.unread = 1
	}
	return c
}

// A job is a batch that is being searched.
type job struct {
	batch jsonl.Batch
	buf   []byte
	done  chan struct{} // closed when the memory of the batch is no longer needed
}

// eachParallel searches batches on several goroutines and passes their hits on in order. The number of batches in
// memory is limited, so the reader waits for the slowest of them.
func (s *Scan) eachParallel(ctx context.Context, stream io.Reader, emit func(Hit) error) (tally Tally, err error) {
	p := &pipeline{free: make(chan []byte, 4*s.Jobs)}
	p.source.Reset(stream, jsonl.Options{BeforeRead: s.BeforeRead}, true)
	queue := parallel.Queue[*job, chunkHits]{Workers: s.Jobs, Ahead: 2 * s.Jobs, Results: 1, Next: p.read}
	queue.Work = func(context.Context) func(*job, func(chunkHits) bool) {
		w := s.worker()
		return func(j *job, pass func(chunkHits) bool) {
			f := w.searchBatch(&j.batch)
			p.recycle(j) // hits have copies of what they need
			pass(f)
		}
	}
	for _, found := range queue.All(ctx) {
		for f := range found {
			if err = tally.add(f, emit); err != nil {
				return tally, err
			}
		}
	}
	if ctx.Err() != nil {
		return tally, ctx.Err()
	}
	return tally, ignoreEOF(p.err)
}

// A pipeline is what the goroutine that reads shares with those that search.
type pipeline struct {
	source jsonl.Batches
	last   *job
	free   chan []byte // buffers for further batches
	err    error       // of reading; valid after the last job
}

// read returns the next batch. It waits for a large one, because several would take too much memory.
func (p *pipeline) read(ctx context.Context) (*job, bool) {
	if p.last != nil && p.last.batch.IsLarge() {
		select {
		case <-p.last.done:
		case <-ctx.Done():
			return nil, false
		}
	}
	p.last = &job{buf: p.buffer(), done: make(chan struct{})}
	p.last.batch, p.err = p.source.Next(p.last.buf)
	return p.last, p.err == nil
}

// buffer returns memory for a batch.
func (p *pipeline) buffer() []byte {
	select {
	case buf := <-p.free:
		return buf
	default:
		return make([]byte, jsonl.BatchSize)
	}
}

// recycle keeps the memory of a batch for another one.
func (p *pipeline) recycle(j *job) {
	p.source.Release(j.batch, j.buf)
	select {
	case p.free <- j.buf:
	default:
	}
	close(j.done)
}
