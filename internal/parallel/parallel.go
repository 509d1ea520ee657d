// Package parallel runs a function over a list of items on several workers.
//
// Each worker has its own state, such as a reader whose buffer is reused for one item after another. Only this package
// decides how many workers there are if the caller does not say.
package parallel

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// resultsPerWorker is the number of results per worker that may wait for their turn in Ordered. One slow item should
// not stop the other workers at once, but their results must not pile up either.
const resultsPerWorker = 32

// workers returns how many workers n items need. jobs <= 0 means one per core.
func workers(jobs, n int) int { return min(orCores(jobs), n) }

// orCores returns jobs, or the number of cores if jobs <= 0.
func orCores(jobs int) int {
	if jobs <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return jobs
}

// Share returns how many of the jobs an item deserves by its size: all of them if there is nothing else, and one if
// it is one of many. jobs <= 0 means one per core.
func Share(jobs int, size, total int64) int {
	jobs = orCores(jobs)
	if size <= 0 || total <= size {
		return jobs
	}
	return int((float64(size)*float64(jobs) + float64(total) - 1) / float64(total))
}

// Run calls do for every item from 0 to n-1 on at most jobs workers, or one per core if jobs <= 0. Items start in
// order.
//
// newState is called once for each worker, by the caller's goroutine, before any item starts. Run returns after all
// workers have stopped. It returns the first error of do, which also cancels the context of the others, or the error
// of ctx.
func Run[S any](ctx context.Context, n, jobs int, newState func() S, do func(context.Context, S, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range workers(jobs, n) {
		state := newState()
		group.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(ctx, state, i); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}

// Ordered calls do for every item as Run does, and passes the results to each in the order of the items. The caller's
// goroutine calls each. Workers wait if they are too far ahead of it, and memory does not grow with n.
//
// Ordered returns after all workers have stopped. It returns the first error of each, which also cancels the context of
// do, or the error of ctx.
func Ordered[S, R any](ctx context.Context, n, jobs int, newState func() S, do func(context.Context, S, int) R,
	each func(int, R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	queue := newQueue[R](resultsPerWorker * workers(jobs, n))
	var group errgroup.Group
	for range workers(jobs, n) {
		state := newState()
		group.Go(func() error {
			for i := queue.reserve(ctx); i < n && ctx.Err() == nil; i = queue.reserve(ctx) {
				queue.put(i, do(ctx, state, i))
			}
			return nil
		})
	}
	err := queue.deliver(ctx, n, each)
	cancel()
	_ = group.Wait() // the workers return no errors
	return err
}

// A queue holds the results that wait for their turn.
type queue[R any] struct {
	places chan struct{} // one element for each item that is running or waiting
	ring   []chan R      // the result of item i is at i modulo the length
	next   atomic.Int64
}

func newQueue[R any](size int) *queue[R] {
	q := &queue[R]{places: make(chan struct{}, size), ring: make([]chan R, size)}
	for i := range q.ring {
		q.ring[i] = make(chan R, 1)
	}
	return q
}

// reserve waits for a place and returns the next item. The caller checks ctx.
func (q *queue[R]) reserve(ctx context.Context) int {
	select {
	case q.places <- struct{}{}:
	case <-ctx.Done():
	}
	return int(q.next.Add(1)) - 1
}

// put stores the result of item i. It does not block: the place of i was reserved.
func (q *queue[R]) put(i int, result R) { q.ring[i%len(q.ring)] <- result }

// deliver passes n results to each in order.
func (q *queue[R]) deliver(ctx context.Context, n int, each func(int, R) error) error {
	for i := range n {
		var result R
		select {
		case result = <-q.ring[i%len(q.ring)]:
			<-q.places
		case <-ctx.Done():
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := each(i, result); err != nil {
			return err
		}
	}
	return nil
}
