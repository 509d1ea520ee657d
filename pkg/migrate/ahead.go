package migrate

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"hash/maphash"
	"io"
	"slices"
	"sync"

	"clawctl/internal/sums"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// digests are the digests of sources that an import will come to. Several sources are digested together, before their
// feeds end, because that takes less time.
type digests struct {
	ctx     context.Context
	known   map[*source.Session]*earlyDigest
	bytes   int64           // of these
	waiting chan *digesting // nil before the first
	cancel  context.CancelFunc
	worker  sync.WaitGroup
}

// An earlyDigest is the digest of a source that had a stamp. A feed that reads the same text takes it over.
type earlyDigest struct {
	stamp store.Stamp
	done  chan struct{} // closed when the rest is known
	whole store.Digest
	sum   uint64 // of the same text, to compare it with another reading
	err   error
}

// errOtherReading is the error for a source that was not the same when it was digested.
var errOtherReading = errors.New("changed after it was digested")

// aheadCount is how many sources are digested ahead, until half of them are taken. With fewer, the longest ones are
// digested alone. They have aheadBytes or a little more, which the system still has in memory when they are read again.
const (
	aheadCount = 8 * sums.Lanes
	aheadBytes = 128 << 20
)

func newDigests(ctx context.Context) *digests {
	return &digests{ctx: ctx, known: map[*source.Session]*earlyDigest{}}
}

func (d *digests) start() {
	d.ctx, d.cancel = context.WithCancel(d.ctx)
	d.waiting = make(chan *digesting, 2*aheadCount)
	d.worker.Go(d.work)
}

// stop ends the work and waits for it.
func (d *digests) stop() {
	if d.waiting != nil {
		d.cancel()
		close(d.waiting)
		d.worker.Wait()
	}
}

// hasRoom reports whether so few digests are left that more should begin.
func (d *digests) hasRoom() bool { return len(d.known) <= aheadCount/2 && d.bytes <= aheadBytes/2 }

// begin starts to digest a source, unless it is no plain file.
func (d *digests) begin(s *source.Session) {
	if d.waiting == nil {
		d.start()
	}
	if d.known[s] != nil || d.bytes >= aheadBytes || len(d.waiting) == cap(d.waiting) {
		return
	}
	in, err := openStamped(s)
	if err != nil {
		return // its feed reports it
	}
	isPlain := in.input.IsPlain()
	in.input.Close() // many wait, and a process may have few files open
	if !isPlain {
		return
	}
	d.known[s] = &earlyDigest{stamp: in.stamp, done: make(chan struct{})}
	d.bytes += in.stamp.Size
	d.waiting <- &digesting{session: s, result: d.known[s]}
}

// take returns the digest of a source that was begun, or nil.
func (d *digests) take(s *source.Session) *earlyDigest {
	early := d.known[s]
	if early != nil {
		delete(d.known, s)
		d.bytes -= early.stamp.Size
	}
	return early
}

// work digests the waiting sources, as many together as there are lanes.
func (d *digests) work() {
	var active []*digesting
	var buffers [sums.Lanes][64 << 10]byte
	for {
		for len(active) < sums.Lanes && (len(active) == 0 || len(d.waiting) > 0) {
			next, open := <-d.waiting
			if !open && len(active) == 0 {
				return
			}
			if open && next.open() {
				active = append(active, next)
			}
		}
		for i, w := range active {
			w.read(buffers[i][:])
		}
		digestPieces(active)
		active = slices.DeleteFunc(active, func(w *digesting) bool { return w.isDone(d.ctx) })
		yieldToWriter()
	}
}

// A digesting is a source while it is digested.
type digesting struct {
	session *source.Session
	in      *stampedInput
	hash    hash.Hash
	sum     maphash.Hash
	result  *earlyDigest
	piece   []byte
	err     error // why there is no next piece
}

// open opens the source. It reports false if that fails or if it has changed.
func (w *digesting) open() bool {
	in, err := openStamped(w.session)
	if err == nil && in.stamp != w.result.stamp {
		err = errors.Join(errOtherReading, in.input.Close())
	}
	if err != nil {
		w.result.err = err
		close(w.result.done)
		return false
	}
	w.in, w.hash = in, sha256.New()
	w.sum.SetSeed(sumSeed)
	return true
}

// read reads the next piece.
func (w *digesting) read(buffer []byte) {
	n, err := io.ReadFull(w.in.text, buffer)
	w.piece, w.err = buffer[:n], err
}

func digestPieces(active []*digesting) {
	var hashes []hash.Hash
	var pieces [][]byte
	for _, w := range active {
		w.sum.Write(w.piece)
		hashes, pieces = append(hashes, w.hash), append(pieces, w.piece)
	}
	sums.Write(hashes, pieces)
}

// isDone reports whether a source was read to its end, and makes its digest known.
func (w *digesting) isDone(ctx context.Context) bool {
	switch {
	case ctx.Err() != nil:
		w.result.err = ctx.Err()
	case w.err == nil:
		return false
	case w.err != io.EOF && w.err != io.ErrUnexpectedEOF:
		w.result.err = w.err
	default:
		w.result.whole, w.result.sum = store.DigestOf(w.hash), w.sum.Sum64()
	}
	w.in.input.Close()
	close(w.result.done)
	return true
}

// of returns the digest of a text that has a sum, or errOtherReading if another text was digested.
func (e *earlyDigest) of(ctx context.Context, sum uint64) (store.Digest, error) {
	select {
	case <-e.done:
	case <-ctx.Done():
		return store.Digest{}, ctx.Err()
	}
	if e.err != nil || e.sum != sum {
		return store.Digest{}, errOtherReading
	}
	return e.whole, nil
}
