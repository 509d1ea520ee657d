package parallel

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

var errStop = errors.New("stop")

// A buffer is the state of a worker. Two items must never use it at once.
type buffer struct{ inUse atomic.Bool }

func TestRunCallsEveryItemOnce(t *testing.T) {
	for _, jobs := range []int{-1, 0, 1, 3, 1000} {
		for _, n := range []int{0, 1, 2, 500} {
			counts := make([]atomic.Int64, n)
			states := 0
			newState := func() *buffer { states++; return &buffer{} }
			err := Run(t.Context(), n, jobs, newState, func(_ context.Context, b *buffer, i int) error {
				if !b.inUse.CompareAndSwap(false, true) {
					t.Error("two items share a state")
				}
				counts[i].Add(1)
				b.inUse.Store(false)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range counts {
				if counts[i].Load() != 1 {
					t.Errorf("%d jobs: item %d of %d ran %d times", jobs, i, n, counts[i].Load())
				}
			}
			if want := min(n, jobs); jobs > 0 && states != want {
				t.Errorf("%d jobs, %d items: %d workers", jobs, n, states)
			}
			if jobs <= 0 && states != min(n, runtime.GOMAXPROCS(0)) {
				t.Errorf("%d jobs, %d items: %d workers, want one per core", jobs, n, states)
			}
		}
	}
}

func TestRunStopsAtAnError(t *testing.T) {
	var calls atomic.Int64
	err := Run(t.Context(), 1_000_000, 2, func() int { return 0 }, func(ctx context.Context, _, i int) error {
		if calls.Add(1); i == 10 {
			return errStop
		}
		if i > 10 {
			<-ctx.Done()
		}
		return nil
	})
	if !errors.Is(err, errStop) || calls.Load() > 12 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}

func TestRunStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int64
	err := Run(ctx, 1_000_000, 2, func() int { return 0 }, func(context.Context, int, int) error {
		if calls.Add(1) == 5 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls.Load() == 1_000_000 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
}

func TestOrderedKeepsTheOrder(t *testing.T) {
	for _, jobs := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 3, 1000} {
			var got []int
			err := Ordered(t.Context(), n, jobs, func() int { return 0 }, func(_ context.Context, _, i int) int {
				if i%3 == 0 {
					runtime.Gosched()
				}
				return i * i
			}, func(i, result int) error {
				if result != i*i {
					t.Errorf("item %d got the result %d", i, result)
				}
				got = append(got, i)
				return nil
			})
			if err != nil || len(got) != n || !slices.IsSorted(got) {
				t.Errorf("%d jobs, %d items: %v, %d results", jobs, n, err, len(got))
			}
		}
	}
}

// While the first item is not done, the others can only run ahead a limited distance.
func TestOrderedWaitsForASlowItem(t *testing.T) {
	const jobs, n = 4, 10_000
	limit := int64(jobs * resultsPerWorker)
	var started atomic.Int64
	full, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	go func() { <-full; close(release) }()
	err := Ordered(t.Context(), n, jobs, func() int { return 0 }, func(_ context.Context, _, i int) int {
		if started.Add(1) == limit {
			once.Do(func() { close(full) })
		}
		if i == 0 {
			<-release
			if s := started.Load(); s > limit {
				t.Errorf("%d items started before the first was done", s)
			}
		}
		return i
	}, func(int, int) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
}

func TestOrderedStopsAtAnError(t *testing.T) {
	var running atomic.Int64
	err := Ordered(t.Context(), 1_000_000, 4, func() int { return 0 }, func(ctx context.Context, _, i int) int {
		running.Add(1)
		defer running.Add(-1)
		if i > 10 {
			<-ctx.Done() // only the error of the callback ends these
		}
		return i
	}, func(i, _ int) error {
		if i == 5 {
			return errStop
		}
		return nil
	})
	if !errors.Is(err, errStop) || running.Load() != 0 {
		t.Errorf("%v, %d still running", err, running.Load())
	}
}

func TestOrderedStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	delivered := 0
	err := Ordered(ctx, 1_000_000, 2, func() int { return 0 }, func(_ context.Context, _, i int) int {
		if i == 100 {
			cancel()
		}
		return i
	}, func(int, int) error { delivered++; return nil })
	if !errors.Is(err, context.Canceled) || delivered == 1_000_000 {
		t.Errorf("%v after %d results", err, delivered)
	}
}
