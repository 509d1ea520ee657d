package jsonl

import (
	"context"
	"io"
	"iter"
	"slices"
	"sync"

	"clawctl/internal/parallel"
)

const (
	listRecords = 256 // records in a list; a batch of short lines has many lists
	// bytesAhead is how much text lies between the stream and the consumer, for each worker. One worker may check a line
	// of that length while the others go on, without waiting for the consumer, which waits for the line.
	bytesAhead = 384 << 10
	// batchesAhead is how many batches that is at least.
	batchesAhead = 3
)

// A task is a batch on its way from the filler to the consumer, or why there are no more.
type task struct {
	batch batch
	err   error
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
	lists  *sync.Pool

	isOver  bool          // the last batch was read
	isLarge bool          // it takes so much memory that it must be passed before the next one is read
	passed  chan struct{} // the consumer has passed a large batch
}

// yieldParallel returns the rest of the records. They are cut by other goroutines.
func (r *Reader) yieldParallel(yield func(*Record, error) bool) {
	p, line := r.newPipeline(), r.cutter.line
	if r.err = r.mayWait(); r.err == nil {
		for t, lists := range p.queue(r.filler.opts.Jobs).All(context.Background()) {
			if r.err = t.err; r.err != nil {
				break
			}
			lines, ok := r.yieldTask(p, lists, line, yield)
			if !ok {
				return
			}
			line += lines
			p.release(&t.batch)
			if r.err = r.mayWait(); r.err != nil {
				break
			}
		}
	}
	if r.err != io.EOF {
		yield(nil, r.err)
	}
}

// mayWait returns why the consumer must not wait for the next batch. It asks itself, because its goroutine may own what
// that takes.
func (r *Reader) mayWait() error {
	if before := r.filler.opts.BeforeRead; before != nil {
		return before()
	}
	return nil
}

// yieldTask returns the records of one batch, and the number of lines that begin in it. ok is false if the consumer has
// stopped.
func (r *Reader) yieldTask(
	p *pipeline, lists iter.Seq[*list], line int64, yield func(*Record, error) bool,
) (lines int64, ok bool) {
	for l := range lists {
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

// newPipeline returns a pipeline for what the reader has not read.
func (r *Reader) newPipeline() *pipeline {
	p := &pipeline{opts: r.filler.opts, utf16: r.cutter.utf16, filler: r.filler.detach(), chunk: len(r.chunk),
		passed: make(chan struct{}, 1), lists: &plainLists}
	p.opts.LinesBefore = 0
	if p.opts.Prepare != nil { // the records have results of their own
		p.lists = &sync.Pool{New: newList}
	}
	return p
}

// queue returns the queue that connects the goroutine that reads with those that check and the consumer.
func (p *pipeline) queue(jobs int) *parallel.Queue[*task, *list] {
	return &parallel.Queue[*task, *list]{
		Workers: jobs, Ahead: jobs * max(batchesAhead, bytesAhead/(p.chunk-padding)), Results: 1,
		Next: p.read, Work: p.checker,
	}
}

// read returns the next batch. It waits until a large one has been passed, because several would take too much memory.
func (p *pipeline) read(ctx context.Context) (*task, bool) {
	if p.isLarge {
		select {
		case <-p.passed:
		case <-ctx.Done():
			return nil, false
		}
	}
	if p.isOver {
		return nil, false
	}
	chunk, t := chunks.Get().(*[BatchSize]byte), &task{}
	if t.batch, t.err = p.filler.fill(chunk[:p.chunk]); t.err != nil || &t.batch.buf[0] != &chunk[0] {
		chunks.Put(chunk)
	}
	p.isOver, p.isLarge = t.err != nil, t.batch.isLarge()
	return t, true
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

// checker returns what cuts batches into lists of records.
func (p *pipeline) checker(context.Context) func(*task, func(*list) bool) {
	var c *cutter
	return func(t *task, pass func(*list) bool) {
		if t.err != nil {
			return
		}
		if c == nil { // not before: the consumer may have seen the end of the stream, and no longer shares its options
			c = new((&cutter{}).reset(p.opts))
		}
		c.utf16, c.unstarted, c.line = p.utf16, false, 0
		c.take(t.batch)
		for isWanted := true; isWanted && !c.isDone(); {
			l := p.lists.Get().(*list)
			l.fill(c)
			isWanted = pass(l)
		}
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
