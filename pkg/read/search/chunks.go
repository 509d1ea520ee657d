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
	found chan chunkHits
	done  chan struct{} // closed when the memory of the batch is no longer needed
}

// eachParallel searches batches on several goroutines and passes their hits on in order. The number of batches in
// memory is limited, so the reader waits for the slowest of them.
func (s *Scan) eachParallel(ctx context.Context, stream io.Reader, emit func(Hit) error) (tally Tally, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &pipeline{
		work: make(chan *job), ordered: make(chan *job, 2*s.Jobs), free: make(chan []byte, 4*s.Jobs),
	}
	p.source.Reset(stream, jsonl.Options{BeforeRead: s.BeforeRead}, true)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	for range s.Jobs {
		w := s.worker()
		group.Go(func() { p.searchAll(w) })
	}
	group.Go(func() { p.read(ctx) })
	for j := range p.ordered {
		if err = tally.add(<-j.found, emit); err != nil {
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
	source  jsonl.Batches
	work    chan *job // in any order
	ordered chan *job
	free    chan []byte // buffers for further batches
	err     error       // of reading; valid after ordered is closed
}

// read hands batches out until the stream ends. It waits for a large one, because several would take too much memory.
func (p *pipeline) read(ctx context.Context) {
	defer close(p.ordered)
	defer close(p.work)
	for {
		j := &job{buf: p.buffer(), found: make(chan chunkHits, 1), done: make(chan struct{})}
		if j.batch, p.err = p.source.Next(j.buf); p.err != nil {
			return
		}
		select {
		case p.ordered <- j:
		case <-ctx.Done():
			return
		}
		p.work <- j
		if j.batch.IsLarge() {
			select {
			case <-j.done:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (p *pipeline) searchAll(w *worker) {
	for j := range p.work {
		f := w.searchBatch(&j.batch)
		p.recycle(j) // hits have copies of what they need
		j.found <- f
	}
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
