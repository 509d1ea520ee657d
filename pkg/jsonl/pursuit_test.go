package jsonl

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Whoever reads the pieces of a line, its end is the first newline, and all bytes before it are there.
func TestPursuit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const room, from = 10 * longPiece, 100
	for range 60 {
		size := from + 1 + random.IntN(2*room)
		text := bytes.Repeat([]byte("x"), size)
		for range random.IntN(4) {
			text[from+random.IntN(size-from)] = '\n'
		}
		f := &filler{ahead: &lookahead{src: strings.NewReader(string(text))}, pursuits: &atomic.Pointer[pursuit]{}}
		stop := make(chan struct{})
		var helpers sync.WaitGroup
		for range mostReaders {
			helpers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						f.join()
					}
				}
			})
		}
		got := make([]byte, room)
		end, limit := f.pursue(got, from)
		read := bytes.Clone(got) // nobody writes to the room any more
		close(stop)
		helpers.Wait()

		wantLimit := min(room, size)
		wantEnd := from + bytes.IndexByte(text[from:wantLimit], '\n') + 1
		if wantEnd == from {
			wantEnd = 0
		}
		if end != wantEnd || end == 0 && limit != wantLimit {
			t.Fatalf("line ends at %d, limit %d, want %d, %d", end, limit, wantEnd, wantLimit)
		}
		upTo := wantLimit
		if end > 0 {
			upTo = end
		}
		if !bytes.Equal(read[from:upTo], text[from:upTo]) || !bytes.Equal(read, got) {
			t.Fatalf("of %d bytes, some are missing or came late", upTo)
		}
	}
}
