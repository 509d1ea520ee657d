package jsonl

import (
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Many goroutines, one stream:
//
//	workers: filler ─▶ batch ─▶ cutter ─▶ pages ─▶ consumer
//
// Workers take turns to read a batch of the stream, or to locate it in a file (locate.go). Each cuts its batch into
// records and checks them, while the text is in the cache of its core. The consumer takes the pages of the batches in
// the order of the stream, and counts the lines, which no worker can know. The buffer of a batch is free again when the
// consumer has passed it. While the consumer waits for a page, it does the work of a worker (help.go).

const (
	pageRecords = 256 // records in a page; a batch of short lines has many pages
	// bytesAhead is how much text lies between the stream and the consumer, for each worker. One worker may check a line
	// of that length while the others go on, without waiting for the consumer, which waits for the line.
	bytesAhead = 384 << 10
	// batchesAhead is how many batches that is at least.
	batchesAhead = 3
	largeBatch   = 4 << 20 // a batch of this size is passed before the next one is read
	sparesKept   = 4       // buffers for long lines that are kept for the next one
	turnTries    = 3000    // how often a worker asks for its turn before it sleeps
)

// A task is a batch on its way through a pipeline.
type task struct {
	batch batch
	err   error  // instead of a batch: why there are no more
	short error  // why the batch is shorter than it was when it was located; known after the last page
	chunk []byte // for the text, if it is not longer
	pages chan *page
	done  chan struct{} // closed when the consumer has passed the batch; only for a large one
}

// A page holds consecutive records of a batch, numbered from the first line of the batch.
type page struct {
	records []Record
	parts   []blockMember
	forms   []byte // of translated lines
	lines   int64  // lines begun in the batch up to the end of the page
}

// plainPages are shared by all pipelines that prepare nothing.
var plainPages = sync.Pool{New: newPage}

func newPage() any { return &page{} }

// A pipeline reads ahead with several goroutines.
type pipeline struct {
	opts  Options
	utf16 bool

	turn    sync.Mutex // of the worker that reads
	filler  *filler
	large   *task // the last large batch
	isEnded bool  // there is nothing more to read

	order  chan *task // for the consumer
	chunks *chunkStack
	pages  *sync.Pool
	stop   chan struct{}
	ended  sync.WaitGroup

	helper *helper // nil if the consumer only waits
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
		t := await(p, p.order)
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
		if t.short != nil {
			if r.err = t.short; r.err != io.EOF {
				yield(nil, r.err)
			}
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
	for pg := p.nextPage(t); pg != nil; pg = p.nextPage(t) {
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
	ahead := jobs * max(batchesAhead, bytesAhead/(chunk-padding))
	p := &pipeline{filler: f, opts: f.opts, utf16: utf16, stop: make(chan struct{}),
		order: make(chan *task, ahead), chunks: newChunkStack(ahead, chunk)}
	p.opts.LinesBefore = 0
	if p.pages = &plainPages; p.opts.Prepare != nil { // the records have results of their own
		p.pages = &sync.Pool{New: newPage}
	}
	if f.ahead != nil { // a read that waits for somebody would hold up the records before it
		p.helper = &helper{cutter: (&cutter{}).reset(p.opts)}
		jobs--
	}
	for range jobs {
		p.ended.Go(p.work)
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
		p.chunks.leave()
		p.filler.leaveSpares()
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
	d.lends, d.spares, d.opts.BeforeRead = true, make(chan []byte, sparesKept), nil
	d.pursuits = &atomic.Pointer[pursuit]{}
	return &d
}

// release makes the buffer of a batch available again.
func (p *pipeline) release(t *task) {
	if buf := t.batch.buf; &buf[0] != &t.chunk[0] {
		p.filler.giveBack(buf)
	}
	p.chunks.put(t.chunk)
	if t.done != nil {
		close(t.done)
	}
}

// work reads batches and cuts them into pages of records, until the stream ends or the pipeline is closed.
func (p *pipeline) work() {
	t := p.next()
	if t == nil {
		return // without a cutter: the consumer may have seen the end of the stream, and no longer shares its options
	}
	c := (&cutter{}).reset(p.opts)
	for ; t != nil; t = p.next() {
		p.begin(&c, t)
		if !p.cutTask(&c, t) {
			return
		}
		runtime.Gosched() // the consumer may be waiting for this core
	}
}

// begin makes the batch of a task the current one of a cutter.
func (p *pipeline) begin(c *cutter, t *task) {
	if t.batch.missing > 0 {
		t.short = p.filler.load(&t.batch)
	}
	c.utf16, c.unstarted, c.line = p.utf16, false, 0
	if t.batch.ready > 0 { // or else nothing is left of it
		c.take(t.batch)
	}
}

// next reads the next batch. It returns nil if there is none, or the pipeline was closed.
func (p *pipeline) next() *task {
	p.takeTurn()
	defer p.turn.Unlock()
	chunk, ok := p.room()
	if !ok {
		return nil
	}
	return p.read(chunk)
}

// read reads the next batch into a buffer. It returns nil if there is none, or the pipeline was closed.
func (p *pipeline) read(chunk []byte) *task {
	t := &task{chunk: chunk, pages: make(chan *page, 1)}
	t.batch, t.err = p.filler.advance(chunk)
	p.isEnded = t.err != nil
	if len(t.batch.buf) > largeBatch {
		t.done = make(chan struct{})
		p.large = t
	}
	select {
	case p.order <- t:
	case <-p.stop:
		p.isEnded = true
	}
	if p.isEnded {
		return nil
	}
	return t
}

// takeTurn waits until no other worker reads. Most reads are over before a sleeping worker would be awake, so it asks a
// few times before it sleeps.
func (p *pipeline) takeTurn() {
	for range turnTries {
		if p.turn.TryLock() {
			return
		}
		p.passTime()
	}
	p.turn.Lock()
}

// passTime helps the worker that reads with a long line, or lets others run.
func (p *pipeline) passTime() {
	if !p.filler.join() {
		runtime.Gosched()
	}
}

// room returns a buffer for the next batch, if there can be one. It waits until a large batch has been passed, because
// several at once would take too much memory.
func (p *pipeline) room() (chunk []byte, ok bool) {
	if p.isEnded || p.large != nil && !p.wait(p.large) {
		return nil, false
	}
	p.large = nil
	return p.chunks.take(p.stop)
}

// wait waits until a large batch has been passed. It reports false if the pipeline was closed.
func (p *pipeline) wait(t *task) bool {
	select {
	case <-t.done:
		return true
	case <-p.stop:
		return false
	}
}

// cutTask cuts one batch. It reports false if the pipeline was closed.
func (p *pipeline) cutTask(c *cutter, t *task) bool {
	defer close(t.pages)
	for !c.isDone() {
		select {
		case t.pages <- p.newPage(c):
		case <-p.stop:
			return false
		}
	}
	return true
}

// newPage returns a page with the next records of a batch.
func (p *pipeline) newPage(c *cutter) *page {
	pg := p.pages.Get().(*page)
	pg.fill(c)
	return pg
}

// fill takes the next records of a batch. It reuses the ones that are in the page.
func (pg *page) fill(c *cutter) {
	pg.records, pg.parts = pg.records[:0], pg.parts[:0]
	c.translator.useMemory(pg.forms)
	for len(pg.records) < pageRecords && !c.isDone() {
		n := len(pg.records)
		pg.records = slices.Grow(pg.records, 1)[:n+1]
		c.record = &pg.records[n]
		rec := c.next()
		rec.line = lineContent{} // the next line takes its notes
		start := len(pg.parts)
		pg.parts = append(pg.parts, rec.parts...)
		rec.parts = pg.parts[start:len(pg.parts):len(pg.parts)]
		if start = len(pg.parts); rec.members != nil {
			pg.parts = append(pg.parts, rec.members...)
			rec.members = pg.parts[start:len(pg.parts):len(pg.parts)]
		}
	}
	pg.lines, pg.forms = c.line, c.translator.memory()
}
