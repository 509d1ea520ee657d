package jsonl

import (
	"slices"
	"sync"
)

// A chunkStack has the buffers for the batches of a pipeline. The one that was used last is used again first, because
// its memory is still in the cache of a core. Others are made only while many batches wait for a slow one.
type chunkStack struct {
	inUse chan struct{} // an element for each buffer in use
	size  int           // of a buffer

	mu   sync.Mutex
	free [][]byte
}

// newChunkStack returns a stack for a number of buffers, of a size each.
func newChunkStack(count, size int) *chunkStack {
	return &chunkStack{inUse: make(chan struct{}, count), size: size}
}

// take returns a buffer that nobody uses, and waits for one if there is none. ok is false if stop was closed meanwhile.
func (s *chunkStack) take(stop <-chan struct{}) (chunk []byte, ok bool) {
	select {
	case s.inUse <- struct{}{}:
	case <-stop:
		return nil, false
	}
	return s.pop(), true
}

// tryTake returns a buffer that nobody uses. ok is false if there is none.
func (s *chunkStack) tryTake() (chunk []byte, ok bool) {
	select {
	case s.inUse <- struct{}{}:
		return s.pop(), true
	default:
		return nil, false
	}
}

// pop returns the buffer that was used last, or a new one if all are in use.
func (s *chunkStack) pop() (chunk []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.free) - 1
	if last < 0 {
		if chunk = idleChunks.take(s.size); chunk != nil {
			return chunk[:s.size]
		}
		return make([]byte, s.size)
	}
	chunk, s.free = s.free[last], s.free[:last]
	return chunk
}

// leave lets other pipelines use the buffers that nobody uses.
func (s *chunkStack) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	idleChunks.put(s.free...)
	s.free = nil
}

// Buffers of pipelines that have ended are used by those that begin next. Many short sessions, read one after the other
// on several cores, took twice the time when each made its own.
var idleChunks, idleSpares shelf

// A shelf has a few buffers that nobody uses.
type shelf struct {
	mu      sync.Mutex
	buffers [][]byte
}

// shelfSize is how many buffers a shelf has room for.
const shelfSize = 8

// take returns a buffer with room for some bytes, or nil if there is none.
func (s *shelf) take(size int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.buffers) - 1; i >= 0; i-- {
		if buf := s.buffers[i]; cap(buf) >= size {
			s.buffers = slices.Delete(s.buffers, i, i+1)
			return buf[:cap(buf)]
		}
	}
	return nil
}

// put adds buffers. If there is no room, they take the place of smaller ones, which hardly anybody can use.
func (s *shelf) put(buffers ...[]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, buf := range buffers {
		if len(s.buffers) < shelfSize {
			s.buffers = append(s.buffers, buf)
			continue
		}
		least := 0
		for i, other := range s.buffers {
			if cap(other) < cap(s.buffers[least]) {
				least = i
			}
		}
		if cap(s.buffers[least]) < cap(buf) {
			s.buffers[least] = buf
		}
	}
}

// put makes a buffer available again.
func (s *chunkStack) put(chunk []byte) {
	s.mu.Lock()
	s.free = append(s.free, chunk)
	s.mu.Unlock()
	<-s.inUse
}
