package jsonl

import (
	"io"
	"runtime"
	"slices"
	"sync"
	"time"
)

const (
	listRecords = 256 // records in a list; a batch of short lines has many lists
	// bytesAhead is how much text lies between the stream and the consumer, for each worker. One worker may check a line
	// of that length while the others go on, without waiting for the consumer, which waits for the line.
	bytesAhead = 384 << 10
	// batchesAhead is how many batches that is at least.
	batchesAhead = 3
)

// A task is a batch on its way from the filler to the consumer.
type task struct {
	batch batch
	err   error // instead of a batch: why there are no more
	lists chan *list
}

// A list has consecutive records of a batch, numbered from the first line of the batch.
type list struct {
	records []Record
	parts   []blockMember
	forms   []byte // of translated lines
	lines   int64  // lines begun in the batch up to the end of the list
}

// plainLists are shared by all pipelines that prepare nothing.
var plainLists = sync.Pool{New: newList}

func newList() any { return &list{} }

// A pipeline reads ahead with several goroutines.
type pipeline struct {
	opts   Options
	utf16  bool
	filler filler
	chunk  int // the size of a buffer for a batch

	order  chan *task    // for the consumer
	work   chan *task    // for the workers
	passed chan struct{} // the consumer has passed a large batch
	stop   chan struct{}
	ended  sync.WaitGroup
	lists  *sync.Pool
}

// yieldParallel returns the rest of the records. They are cut by other goroutines.
func (r *Reader) yieldParallel(yield func(*Record, error) bool) {
	p := r.newPipeline()
	defer p.close()
	for line := r.cutter.line; ; {
		t := &task{}
		if before := r.filler.opts.BeforeRead; before != nil { // this goroutine may own what it uses
			t.err = before()
		}
		if t.err == nil {
			t = <-p.order
		}
		if r.err = t.err; r.err != nil {
			if r.err != io.EOF {
				yield(nil, r.err)
			}
			return
		}
		lines, ok := r.yieldTask(p, t, line, yield)
		if !ok {
			return
		}
		line += lines
		p.release(&t.batch)
	}
}

// yieldTask returns the records of one batch, and the number of lines that begin in it. ok is false if the consumer has
// stopped.
func (r *Reader) yieldTask(p *pipeline, t *task, line int64, yield func(*Record, error) bool) (lines int64, ok bool) {
	for l := range t.lists {
		for i := range l.records {
			rec, err := r.pass(l.records[i].moveDown(line))
			if !yield(rec, err) || err != nil {
				return 0, false
			}
		}
		lines = l.lines
		p.lists.Put(l)
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

// newPipeline starts a pipeline for what the reader has not read.
func (r *Reader) newPipeline() *pipeline {
	opts := r.filler.opts
	ahead := opts.Jobs * max(batchesAhead, bytesAhead/(len(r.chunk)-padding))
	p := &pipeline{opts: opts, utf16: r.cutter.utf16, filler: r.filler.detach(), chunk: len(r.chunk),
		order: make(chan *task, ahead), work: make(chan *task, ahead), passed: make(chan struct{}, 1),
		stop: make(chan struct{}), lists: &plainLists}
	p.opts.LinesBefore = 0
	if opts.Prepare != nil { // the records have results of their own
		p.lists = &sync.Pool{New: newList}
	}
	p.ended.Go(p.read)
	for range opts.Jobs {
		p.ended.Go(p.check)
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

// read hands on one batch after the other, until the stream ends or the pipeline is closed. Several large batches would
// take too much memory, so it waits until one has been passed.
func (p *pipeline) read() {
	defer close(p.work)
	for {
		chunk := chunks.Get().(*[BatchSize]byte)
		t := &task{lists: make(chan *list, 1)}
		if t.batch, t.err = p.filler.fill(chunk[:p.chunk]); t.err != nil || &t.batch.buf[0] != &chunk[0] {
			chunks.Put(chunk)
		}
		for _, next := range []chan *task{p.order, p.work} {
			select {
			case next <- t:
			case <-p.stop:
				return
			}
			if t.err != nil {
				return
			}
		}
		if !t.batch.isLarge() {
			continue
		}
		select {
		case <-p.passed:
		case <-p.stop:
			return
		}
	}
}

// release makes the buffer of a batch available again.
func (p *pipeline) release(b *batch) {
	switch {
	case b.isLarge():
		p.passed <- struct{}{}
	case cap(b.buf) == BatchSize:
		chunks.Put((*[BatchSize]byte)(b.buf[:BatchSize]))
	default:
		giveBack(b.buf)
	}
}

// check cuts batches into lists of records, until there are no more or the pipeline is closed.
func (p *pipeline) check() {
	var c *cutter
	for t := range p.work {
		if c == nil { // not before: the consumer may have seen the end of the stream, and no longer shares its options
			c = new((&cutter{}).reset(p.opts))
		}
		c.utf16, c.unstarted, c.line = p.utf16, false, 0
		c.take(t.batch)
		for !c.isDone() {
			l := p.lists.Get().(*list)
			l.fill(c)
			select {
			case t.lists <- l:
			case <-p.stop:
				return
			}
		}
		close(t.lists)
		runtime.Gosched() // the consumer may be waiting for this core
	}
}

// fill takes the next records of a batch. It reuses the ones that are in the list.
func (l *list) fill(c *cutter) {
	l.records, l.parts = l.records[:0], l.parts[:0]
	c.translator.useMemory(l.forms)
	for len(l.records) < listRecords && !c.isDone() {
		n := len(l.records)
		l.records = slices.Grow(l.records, 1)[:n+1]
		c.record = &l.records[n]
		rec := c.next()
		rec.line = lineContent{} // the next line takes its notes
		start := len(l.parts)
		l.parts = append(l.parts, rec.parts...)
		rec.parts = l.parts[start:len(l.parts):len(l.parts)]
		if start = len(l.parts); rec.members != nil {
			l.parts = append(l.parts, rec.members...)
			rec.members = l.parts[start:len(l.parts):len(l.parts)]
		}
	}
	l.lines, l.forms = c.line, c.translator.memory()
}
