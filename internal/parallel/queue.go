package parallel

import (
	"context"
	"iter"
	"runtime"
	"sync"
	"time"
)

// A Queue hands jobs to workers, and what they make of them to one consumer, in the order of the jobs.
type Queue[J, R any] struct {
	Workers int
	Ahead   int // how many jobs may be begun before the first of them is done
	Results int // how many results of a job may wait for the consumer
	// Next returns the next job, until there is none. It has a goroutine of its own, and may wait until ctx is done.
	Next func(ctx context.Context) (J, bool)
	// Work is called once for each worker, by the consumer's goroutine, before Next. It returns what does a job and
	// passes its results on, until that reports false: then nobody wants more.
	Work func(ctx context.Context) func(job J, pass func(R) bool)
}

// A task is a job with its results.
type task[J, R any] struct {
	job     J
	results chan R
}

// All returns the jobs, each with its results, which must be taken before the next job. Where the loop or ctx ends, so
// do the workers, and All returns after them.
func (q *Queue[J, R]) All(ctx context.Context) iter.Seq2[J, iter.Seq[R]] {
	return func(yield func(J, iter.Seq[R]) bool) {
		ctx, cancel := context.WithCancel(ctx)
		order, work := make(chan *task[J, R], max(0, q.Ahead-1)), make(chan *task[J, R], max(0, q.Ahead))
		var workers sync.WaitGroup
		for range q.Workers {
			do := q.Work(ctx)
			workers.Go(func() { labor(ctx, work, do) })
		}
		fed := make(chan struct{})
		go func() {
			defer close(fed)
			q.feed(ctx, order, work)
		}()
		defer func() {
			cancel()
			workers.Wait()
			waitBriefly(fed)
		}()
		for t, ok := receive(ctx, order); ok; t, ok = receive(ctx, order) {
			if !yield(t.job, t.all(ctx)) {
				return
			}
		}
	}
}

// feed hands jobs out.
func (q *Queue[J, R]) feed(ctx context.Context, order, work chan *task[J, R]) {
	defer close(order)
	defer close(work)
	for job, ok := q.Next(ctx); ok; job, ok = q.Next(ctx) {
		t := &task[J, R]{job, make(chan R, q.Results)}
		if !send(ctx, order, t) || !send(ctx, work, t) {
			return
		}
	}
}

// labor does jobs until there are no more.
func labor[J, R any](ctx context.Context, work chan *task[J, R], do func(J, func(R) bool)) {
	for t, ok := receive(ctx, work); ok; t, ok = receive(ctx, work) {
		do(t.job, func(result R) bool { return send(ctx, t.results, result) })
		close(t.results)
		runtime.Gosched() // the consumer may be waiting for this core
	}
}

func (t *task[J, R]) all(ctx context.Context) iter.Seq[R] {
	return func(yield func(R) bool) {
		for result, ok := receive(ctx, t.results); ok; result, ok = receive(ctx, t.results) {
			if !yield(result) {
				return
			}
		}
	}
}

func send[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

func receive[T any](ctx context.Context, from <-chan T) (v T, ok bool) {
	select {
	case v, ok = <-from:
		return v, ok && ctx.Err() == nil
	case <-ctx.Done():
		return v, false
	}
}

// waitBriefly waits for the goroutine of Next, because what it reads may be closed after this. It does not wait for a
// read that never ends, such as that of a pipe whose writer sleeps.
func waitBriefly(fed <-chan struct{}) {
	const patience = 100 * time.Millisecond
	select {
	case <-fed:
	case <-time.After(patience):
	}
}
