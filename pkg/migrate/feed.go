package migrate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"hash"
	"hash/maphash"
	"io"
	"io/fs"
	"runtime"
	"sync"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// Reasons to leave a source out.
var (
	// ErrSourceChanged is for a source that was replaced, cut off or rewritten while it was read.
	ErrSourceChanged = errors.New("it was changed while it was read")
	// errOtherText is for a source that does not begin with the transcript that it was to go on with.
	errOtherText = errors.New("other text")
)

// A page is a number of lines on their way into the store.
type page struct {
	lines   []store.Line
	bytes   int64
	damaged int64
	first   *jsonl.Damage // of the damaged ones
	sum     maphash.Hash
	digest  store.Digest // of the text up to their end
	err     error        // instead of lines
	last    bool
	stamp   store.Stamp // of the last: of the source as it was read
}

func newPage() *page {
	p := &page{lines: make([]store.Line, 0, pageLines)}
	p.sum.SetSeed(sumSeed)
	return p
}

const (
	pageBytes = 256 << 10
	pageLines = 64
	feedDepth = 4 // pages that wait for the store
)

// A feed reads a source, behind the beginning that the store has, and gives its lines.
type feed struct {
	pages  chan *page
	cancel context.CancelFunc
}

// newFeed starts to read a session behind a transcript, which may be empty.
func newFeed(ctx context.Context, s *source.Session, behind store.Transcript, opts jsonl.Options) *feed {
	ctx, cancel := context.WithCancel(ctx)
	f := &feed{pages: make(chan *page, feedDepth), cancel: cancel}
	r := &feeder{ctx: ctx, out: f.pages, session: s, behind: behind, opts: opts, liner: store.NewLiner(&behind), page: newPage()}
	go r.run()
	return f
}

// stop ends a feed that may not have come to its end, and waits for it.
func (f *feed) stop() {
	f.cancel()
	for range f.pages {
	}
}

// A feeder is the other end of a feed.
type feeder struct {
	ctx     context.Context
	out     chan<- *page
	session *source.Session
	behind  store.Transcript
	opts    jsonl.Options
	liner   *store.Liner
	hash    hash.Hash
	page    *page
}

func (f *feeder) run() {
	defer close(f.out)
	if err := f.read(); err != nil {
		f.send(&page{err: err, last: true})
	}
}

func (f *feeder) send(p *page) {
	select {
	case f.out <- p:
	case <-f.ctx.Done():
	}
}

// read reads the source to the end that it has when it is opened; what is written behind that meanwhile is for the next
// import.
func (f *feeder) read() error {
	if err := f.session.Sound(f.ctx); err != nil {
		return err
	}
	in, err := f.session.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	before, err := in.Stamp()
	if err != nil {
		return err
	}
	if before == (store.Stamp{}) {
		if before, err = f.session.Stamp(); err != nil {
			return err
		}
	}
	var stream io.Reader = in
	if in.IsPlain() {
		stream = io.LimitReader(in, before.Size)
	}
	if stream, err = f.skip(stream); err != nil {
		return err
	}
	if err := f.lines(stream); err != nil {
		return err
	}
	if err := f.unchanged(in, before); err != nil {
		return err
	}
	f.page.last, f.page.stamp = true, before
	f.flush()
	return nil
}

// skip reads the beginning that the store has, and makes sure that it still is that. A last line without a line end is
// read again: it may have become another.
func (f *feeder) skip(stream io.Reader) (io.Reader, error) {
	f.hash = sha256.New()
	n, err := copyN(f.ctx, f.hash, stream, f.behind.Settled())
	if err != nil {
		return nil, err
	}
	f.page.digest = store.DigestOf(f.hash)
	if f.behind.Bytes == 0 {
		return stream, nil
	}
	tail, err := io.ReadAll(io.LimitReader(stream, f.behind.Tail))
	if err != nil {
		return nil, err
	}
	whole, err := resume(f.page.digest.State)
	if err != nil {
		return nil, err
	}
	whole.Write(tail)
	if n < f.behind.Settled() || hex.EncodeToString(whole.Sum(nil)) != f.behind.Sum {
		return nil, errOtherText
	}
	return io.MultiReader(bytes.NewReader(tail), stream), nil
}

// resume returns a hash in the state of another.
func resume(state []byte) (hash.Hash, error) {
	h := sha256.New()
	return h, h.(encoding.BinaryUnmarshaler).UnmarshalBinary(state)
}

// readers are kept: a buffer for every file would cost as much as reading it.
var readers = sync.Pool{New: func() any { return &jsonl.Reader{} }}

func (f *feeder) lines(stream io.Reader) error {
	f.opts.BeforeRead = f.ctx.Err
	reader := readers.Get().(*jsonl.Reader)
	defer readers.Put(reader)
	reader.Reset(stream, f.opts)
	for rec, err := range reader.All() {
		if err != nil {
			return err
		}
		f.take(rec)
		if f.page.bytes >= pageBytes || len(f.page.lines) >= pageLines {
			f.flush()
		}
	}
	return nil
}

// take adds one record to the page.
func (f *feeder) take(rec *jsonl.Record) {
	if rec.Damage != nil && !rec.Continued {
		f.page.damaged++
		if f.page.first == nil {
			f.page.first = rec.Damage
		}
	}
	if rec.Damage != nil && rec.Damage.Code == jsonl.TooLong {
		return // located, and not stored
	}
	f.hash.Write(rec.Raw)
	f.page.sum.Write(rec.Raw)
	f.page.bytes += int64(len(rec.Raw))
	f.page.lines = append(f.page.lines, f.liner.Line(rec))
}

// flush sends the page and begins another.
func (f *feeder) flush() {
	f.page.digest = store.DigestOf(f.hash)
	f.send(f.page)
	f.page = newPage()
	letWriterGo()
}

// letWriterGo yields the core. Everything waits for the one who writes; where there are few cores, it would wait for its
// turn longer than it works.
func letWriterGo() { runtime.Gosched() }

// unchanged makes sure that the source is what was read: the same file, not shorter, and where it is longer or was
// written, with the same beginning. A file that is being appended to has a new time before it has a new size.
func (f *feeder) unchanged(in *source.Input, before store.Stamp) error {
	after, err := f.session.Stamp()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.Join(ErrSourceChanged, err)
	case err != nil:
		return err
	case after == before || before == store.Stamp{}:
		return nil
	case !in.IsPlain() || after.Device != before.Device || after.Inode != before.Inode || after.Size < before.Size:
		return ErrSourceChanged
	}
	again, err := f.session.Open()
	if err != nil {
		return err
	}
	defer again.Close()
	h := sha256.New()
	n, err := copyN(f.ctx, h, again, before.Size)
	if err == nil && (n < before.Size || !bytes.Equal(h.Sum(nil), f.hash.Sum(nil))) {
		err = ErrSourceChanged
	}
	return err
}
