package lazy

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A value is made once, however many ask for it at the same time, and not before.
func TestValue(t *testing.T) {
	var made atomic.Int32
	v := Value[map[string]int]{Make: func() map[string]int {
		made.Add(1)
		return map[string]int{"a": 1}
	}}
	if made.Load() != 0 {
		t.Error("it was made before it was used")
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if v.Get()["a"] != 1 {
				t.Error("a value that is not complete")
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("it was made %d times", made.Load())
	}
}

// A value whose maker panics is made again by the next one who asks.
func TestValueAfterPanic(t *testing.T) {
	fails := true
	v := Value[int]{Make: func() int {
		if fails {
			panic("not yet")
		}
		return 7
	}}
	func() {
		defer func() { _ = recover() }()
		v.Get()
	}()
	if fails = false; v.Get() != 7 {
		t.Error("no value")
	}
}

func TestPattern(t *testing.T) {
	p := Regexp(`^a+$`)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if !p.Match([]byte("aa")) || p.MatchString("ab") || p.Get().String() != `^a+$` {
				t.Error("another expression")
			}
		})
	}
	all.Wait()
}
