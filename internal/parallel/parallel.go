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
	next, count := 0, workers(jobs, n)
	queue := Queue[int, R]{Workers: count, Ahead: resultsPerWorker * count, Results: 1}
	queue.Next = func(context.Context) (int, bool) {
		next++
		return next - 1, next <= n
	}
	queue.Work = func(ctx context.Context) func(int, func(R) bool) {
		state := newState()
		return func(i int, pass func(R) bool) { pass(do(ctx, state, i)) }
	}
	for i, results := range queue.All(ctx) {
		for result := range results {
			if err := each(i, result); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}
