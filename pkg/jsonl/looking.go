package jsonl

import (
	"context"
	"io"
	"iter"

	"clawctl/internal/parallel"
)

// LookThrough has opts.Jobs goroutines look at the batches of a stream, each with a function of its own, and returns
// what they have found in the order of the batches. An error of reading comes last. The number of batches in memory is
// limited, so the reader waits for the slowest of them. What is found must not refer to the batch.
func LookThrough[R any](
	ctx context.Context, src io.Reader, opts Options, newLook func() func(*Batch) R,
) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		l := &looking{}
		l.batches.Reset(src, opts, true)
		queue := parallel.Queue[*looked, R]{Workers: opts.Jobs, Ahead: 2 * opts.Jobs, Results: 1, Next: l.next}
		queue.Work = func(context.Context) func(*looked, func(R) bool) {
			look := newLook()
			return func(b *looked, pass func(R) bool) {
				found := look(&b.Batch)
				l.recycle(b)
				pass(found)
			}
		}
		for _, results := range queue.All(ctx) {
			for found := range results {
				if !yield(found, nil) {
					return
				}
			}
		}
		if err := ctx.Err(); err != nil {
			l.err = err
		}
		if l.err != io.EOF {
			var none R
			yield(none, l.err)
		}
	}
}

// A looking is what the goroutine that reads shares with those that look.
type looking struct {
	batches Batches
	last    *looked
	err     error // of reading; valid after the last batch
}

// A looked is a batch that is being looked at.
type looked struct {
	Batch
	buffer *[BatchSize]byte
	done   chan struct{} // closed when the memory of the batch is no longer needed
}

// next returns the next batch. It waits for a large one, because several would take too much memory.
func (l *looking) next(ctx context.Context) (*looked, bool) {
	if l.last != nil && l.last.isLarge() {
		select {
		case <-l.last.done:
		case <-ctx.Done():
			return nil, false
		}
	}
	l.last = &looked{buffer: chunks.Get().(*[BatchSize]byte), done: make(chan struct{})}
	if l.last.Batch, l.err = l.batches.Next(l.last.buffer[:]); l.err != nil {
		chunks.Put(l.last.buffer)
		return nil, false
	}
	return l.last, true
}

// recycle keeps the memory of a batch for another one.
func (l *looking) recycle(b *looked) {
	l.batches.Release(b.Batch, b.buffer[:])
	chunks.Put(b.buffer)
	close(b.done)
}
