package jsonl

import (
	"io"
	"slices"
	"sync"
	"time"
)

// Many goroutines, one stream:
//
//	filler ─▶ batches ─▶ cutters ─▶ pages ─▶ consumer
//
// One goroutine reads the stream. Several cut its batches into records and check them. The consumer takes the pages of
// the batches in the order of the stream, and counts the lines, which no cutter can know. A batch goes back to the
// filler when the consumer has passed it.

const (
	pageRecords  = 256     // records in a page; a batch of short lines has many pages
	batchesAhead = 2       // batches between the filler and the consumer, for each cutter
	largeBatch   = 4 << 20 // a batch of this size is passed before the next one is read
)

// A task is a batch on its way through a pipeline.
type task struct {
	batch batch
	err   error // instead of a batch: why there are no more
	pages chan *page
	done  chan struct{} // closed when the consumer has passed the batch; only for a large one
}

// A page holds consecutive records of a batch, numbered from the first line of the batch.
type page struct {
	records []Record
	parts   []blockMember
	lines   int64 // lines begun in the batch up to the end of the page
}

// A pipeline reads ahead with several goroutines.
type pipeline struct {
	filler *filler
	opts   Options
	chunk  int // the length of a buffer
	utf16  bool

	tasks  chan *task // for the cutters
	order  chan *task // for the consumer
	chunks chan []byte
	pages  sync.Pool
	stop   chan struct{}
	ended  sync.WaitGroup
}

// yieldParallel returns the rest of the records. They are cut by other goroutines.
func (r *Reader) yieldParallel(yield func(*Record, error) bool) {
	p := newPipeline(r.filler.detach(), len(r.chunk), r.cutter.utf16)
	defer p.close()
	line := r.cutter.line
	for {
		if err := r.beforeWait(); err != nil {
			r.err = err
			yield(nil, err)
			return
		}
		t := <-p.order
		if t.err != nil {
			if r.err = t.err; t.err != io.EOF {
				yield(nil, t.err)
			}
			return
		}
		lines, ok := r.yieldTask(p, t, line, yield)
		if !ok {
			return
		}
		line += lines
		p.release(t)
	}
}

// beforeWait calls BeforeRead on the goroutine of the consumer, which may own what it uses.
func (r *Reader) beforeWait() error {
	if r.filler.opts.BeforeRead == nil {
		return nil
	}
	return r.filler.opts.BeforeRead()
}

// yieldTask returns the records of one batch, and the number of lines that begin in it. ok is false if the consumer has
// stopped.
func (r *Reader) yieldTask(p *pipeline, t *task, line int64, yield func(*Record, error) bool) (lines int64, ok bool) {
	for pg := range t.pages {
		for i := range pg.records {
			rec, err := r.pass(pg.records[i].moveDown(line))
			if !yield(rec, err) || err != nil {
				return 0, false
			}
		}
		lines = pg.lines
		p.pages.Put(pg)
	}
	return lines, true
}

// moveDown adds the lines before the batch to the position of a record.
func (r *Record) moveDown(lines int64) *Record {
	r.Line += lines
	if r.Damage != nil {
		r.Damage.Line += lines
	}
	return r
}

func newPipeline(f *filler, chunk int, utf16 bool) *pipeline {
	jobs := f.opts.Jobs
	p := &pipeline{filler: f, opts: f.opts, chunk: chunk, utf16: utf16, stop: make(chan struct{}),
		tasks: make(chan *task, batchesAhead*jobs), order: make(chan *task, batchesAhead*jobs),
		chunks: make(chan []byte, batchesAhead*jobs)}
	p.opts.LinesBefore = 0
	p.pages.New = func() any { return &page{} }
	for range cap(p.chunks) {
		p.chunks <- nil // made when it is needed
	}
	p.ended.Go(p.fill)
	for range jobs {
		p.ended.Go(p.cut)
	}
	return p
}

// close stops the goroutines and waits for them, because the stream may be closed next. It does not wait for a stream
// that has nothing to read, such as a pipe whose writer sleeps.
func (p *pipeline) close() {
	close(p.stop)
	ended := make(chan struct{})
	go func() {
		p.ended.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
	}
}

// patience is how long a pipeline waits for a read that has begun.
const patience = 100 * time.Millisecond

// detach returns a filler that reads on where f is, and shares no buffer with it.
func (f *filler) detach() *filler {
	d := *f
	d.offset += int64(f.ready)
	d.buf = slices.Concat(f.buf[f.ready:f.end], make([]byte, padding))
	d.ready, d.end = 0, f.end-f.ready
	d.spare, d.backlog.pieces = nil, slices.Clone(f.backlog.pieces)
	d.lends, d.opts.BeforeRead = true, nil
	return &d
}

// release makes the buffer of a batch available again.
func (p *pipeline) release(t *task) {
	chunk := t.batch.buf
	if len(chunk) != p.chunk {
		chunk = nil
	}
	p.chunks <- chunk
	if t.done != nil {
		close(t.done)
	}
}

// fill reads the stream and hands out its batches, until it ends or the pipeline is closed.
func (p *pipeline) fill() {
	defer close(p.tasks)
	defer close(p.order)
	for {
		var chunk []byte
		select {
		case chunk = <-p.chunks:
		case <-p.stop:
			return
		}
		if chunk == nil {
			chunk = make([]byte, p.chunk)
		}
		t := &task{pages: make(chan *page, 1)}
		if t.batch, t.err = p.filler.fill(chunk); t.err != nil {
			p.send(p.order, t)
			return
		}
		if len(t.batch.buf) > largeBatch {
			t.done = make(chan struct{})
		}
		if !p.send(p.order, t) || !p.send(p.tasks, t) || !p.wait(t) {
			return
		}
	}
}

// send reports whether a task was sent before the pipeline was closed.
func (p *pipeline) send(to chan *task, t *task) bool {
	select {
	case to <- t:
		return true
	case <-p.stop:
		return false
	}
}

// wait waits until a large batch has been passed. Several at once would take too much memory.
func (p *pipeline) wait(t *task) bool {
	if t.done == nil {
		return true
	}
	select {
	case <-t.done:
		return true
	case <-p.stop:
		return false
	}
}

// cut cuts batches into pages of records.
func (p *pipeline) cut() {
	c := (&cutter{}).reset(p.opts)
	for t := range p.tasks {
		c.utf16, c.unstarted, c.line = p.utf16, false, 0
		c.take(t.batch)
		if !p.cutTask(&c, t) {
			return
		}
	}
}

// cutTask cuts one batch. It reports false if the pipeline was closed.
func (p *pipeline) cutTask(c *cutter, t *task) bool {
	defer close(t.pages)
	for !c.isDone() {
		pg := p.pages.Get().(*page)
		pg.fill(c)
		select {
		case t.pages <- pg:
		case <-p.stop:
			return false
		}
	}
	return true
}

// fill takes the next records of a batch. It reuses the ones that are in the page.
func (pg *page) fill(c *cutter) {
	pg.records, pg.parts = pg.records[:0], pg.parts[:0]
	for len(pg.records) < pageRecords && !c.isDone() {
		n := len(pg.records)
		pg.records = slices.Grow(pg.records, 1)[:n+1]
		c.record = &pg.records[n]
		rec := c.next()
		start := len(pg.parts)
		pg.parts = append(pg.parts, rec.parts...)
		rec.parts = pg.parts[start:len(pg.parts):len(pg.parts)]
	}
	pg.lines = c.line
}
