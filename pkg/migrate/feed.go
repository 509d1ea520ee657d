package migrate

import (
	"bytes"
	"context"
	"crypto/sha256"
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

// Reasons to refuse a source.
var (
	// ErrSourceChanged is the error for a source that was replaced, truncated or rewritten while it was read.
	ErrSourceChanged = errors.New("changed while it was being read")
	// errOtherText is the error for a source that does not begin with the expected transcript.
	errOtherText = errors.New("the text differs")
)

// A page holds lines on their way into the store.
type page struct {
	lines   []store.Line
	count   int64  // of lines
	text    []byte // of the lines, with their line ends
	damaged int64
	first   *jsonl.Damage // the first damaged line
	sum     uint64        // of the text, for the comparison
	err     error         // instead of lines
	end     pageEnd
}

// A pageEnd describes the text up to the end of a page.
type pageEnd struct {
	digest store.Digest // of the text up to the end of the page
	last   bool
	stamp  store.Stamp // of the source as it was read; only in the last page
}

// pages are reused: collecting them as garbage would take longer than copying their text.
var pages = sync.Pool{New: func() any {
	return &page{lines: make([]store.Line, 0, pageLines), text: make([]byte, 0, pageBytes)}
}}

func newPage() *page {
	p := pages.Get().(*page)
	*p = page{lines: p.lines[:0], text: p.text[:0]}
	return p
}

func (p *page) bytes() int64 { return int64(len(p.text)) }

// release makes a page available for reuse. A page that has grown large because of long lines is dropped.
func (p *page) release() {
	if cap(p.text) <= 2*pageBytes {
		pages.Put(p)
	}
}

// add adds a line and copies all of it.
func (p *page) add(raw []byte, line store.Line) {
	start := len(p.text) + len(line.Before)
	p.text = append(p.text, raw...)
	line.Text = p.text[start : start+len(line.Text)]
	p.count++
	if last := len(p.lines) - 1; last < 0 || !p.lines[last].Join(&line) {
		p.lines = append(p.lines, line)
	}
}

const (
	pageBytes = 256 << 10
	pageLines = 64
	feedDepth = 4 // pages that wait for the store
)

// A feed reads a source from the point up to which the store has it, and delivers its lines in pages. Another goroutine
// fills it.
type feed struct {
	pages   chan *page
	cancel  context.CancelFunc
	ctx     context.Context
	session *source.Session
	known   store.Transcript
	opts    jsonl.Options
	liner   *store.Liner
	hash    hash.Hash
	page    *page
}

// stop ends a feed and waits for it. The feed may be in the middle of its source.
func (f *feed) stop() {
	f.cancel()
	for range f.pages {
	}
}

// feeds are the feeds of an import. Those of sources that are probably new begin before their turn.
type feeds struct {
	ctx    context.Context
	strict bool
	ahead  map[*source.Session]*feed
}

func newFeeds(ctx context.Context, strict bool) *feeds {
	return &feeds{ctx: ctx, strict: strict, ahead: map[*source.Session]*feed{}}
}

// begin starts to read a source after what a transcript has of it.
func (f *feeds) begin(s *source.Session, after store.Transcript) *feed {
	ctx, cancel := context.WithCancel(f.ctx)
	begun := &feed{pages: make(chan *page, feedDepth), cancel: cancel, ctx: ctx, session: s, known: after,
		opts: jsonl.Options{Strict: f.strict}, liner: store.NewLiner(&after), page: newPage()}
	go begun.run()
	return begun
}

// readAhead starts to read a new source, unless that has begun.
func (f *feeds) readAhead(s *source.Session) {
	if f.ahead[s] == nil {
		f.ahead[s] = f.begin(s, store.Transcript{SessionID: s.ID})
	}
}

// take returns the feed that was begun ahead, or a new one.
func (f *feeds) take(s *source.Session, t store.Transcript) *feed {
	ahead := f.ahead[s]
	delete(f.ahead, s)
	if ahead != nil {
		return ahead
	}
	return f.begin(s, t)
}

// drop ends the feed of a source that nobody took.
func (f *feeds) drop(s *source.Session) {
	if ahead := f.ahead[s]; ahead != nil {
		delete(f.ahead, s)
		ahead.stop()
	}
}

func (f *feeds) stop() {
	for s := range f.ahead {
		f.drop(s)
	}
}

func (f *feed) run() {
	defer close(f.pages)
	if err := f.read(); err != nil {
		f.send(&page{err: err})
	}
}

func (f *feed) send(p *page) {
	select {
	case f.pages <- p:
	case <-f.ctx.Done():
	}
}

// read reads the source up to the size it has when it is opened. Lines that are appended meanwhile are left to the next
// import.
func (f *feed) read() error {
	if err := f.session.CheckDatabase(f.ctx); err != nil {
		return err
	}
	in, err := openStamped(f.session)
	if err != nil {
		return err
	}
	defer in.input.Close()
	stream, err := f.skipKnown(in.text)
	if err != nil {
		return err
	}
	if err := f.readLines(stream); err != nil {
		return err
	}
	f.digest()
	if err := f.checkUnchanged(in.input, in.stamp); err != nil {
		return err
	}
	f.page.end.last, f.page.end.stamp = true, in.stamp
	f.flush()
	return nil
}

// A stampedInput is an open source, its stamp at the time of opening, and its text up to that size.
type stampedInput struct {
	input *source.Input
	stamp store.Stamp
	text  io.Reader
}

func openStamped(s *source.Session) (*stampedInput, error) {
	in, err := s.Open()
	if err != nil {
		return nil, err
	}
	o := &stampedInput{input: in, text: in}
	if o.stamp, err = in.Stamp(); err == nil && o.stamp == (store.Stamp{}) {
		o.stamp, err = s.Stamp()
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	if in.IsPlain() {
		o.text = in.First(o.stamp.Size)
	}
	return o, nil
}

// skipKnown reads the text that the store already has and checks that it has not changed. A last line without a line
// end is read again, because it may have grown.
func (f *feed) skipKnown(stream io.Reader) (io.Reader, error) {
	f.hash = sha256.New()
	n, err := copyN(f.ctx, f.hash, stream, f.known.CompleteBytes())
	if err != nil {
		return nil, err
	}
	if f.known.Bytes == 0 {
		return stream, nil
	}
	tail, err := io.ReadAll(io.LimitReader(stream, f.known.Tail))
	if err != nil {
		return nil, err
	}
	if n < f.known.CompleteBytes() || store.DigestAfter(f.hash, tail) != f.known.Sum {
		return nil, errOtherText
	}
	return io.MultiReader(bytes.NewReader(tail), stream), nil
}

func (f *feed) readLines(stream io.Reader) error {
	f.opts.BeforeRead = f.ctx.Err
	f.opts.LinesBefore, f.opts.BytesBefore = f.known.CompleteLines(), f.known.CompleteBytes()
	for rec, err := range jsonl.Records(stream, f.opts) {
		if err != nil {
			return err
		}
		// A page is sent when the next line arrives. A last line without a line end may still change, and is always in
		// the last page.
		if len(f.page.text) >= pageBytes || len(f.page.lines) >= pageLines {
			f.digest()
			f.flush()
		}
		f.addRecord(rec)
	}
	return nil
}

// addRecord adds one record to the page.
func (f *feed) addRecord(rec *jsonl.Record) {
	if rec.Damage != nil && !rec.Continued {
		f.page.damaged++
		if f.page.first == nil {
			f.page.first = rec.Damage
		}
	}
	if rec.Damage != nil && rec.Damage.Code == jsonl.TooLong {
		return // reported, but not stored
	}
	f.page.add(rec.Raw, f.liner.Line(rec))
}

// digest digests the text of the page.
func (f *feed) digest() {
	f.page.sum = maphash.Bytes(sumSeed, f.page.text)
	f.hash.Write(f.page.text)
	f.page.end.digest = store.DigestOf(f.hash)
}

// flush sends the page and starts another one.
func (f *feed) flush() {
	f.send(f.page)
	f.page = newPage()
	yieldToWriter()
}

// yieldToWriter yields the core. Everything waits for the writer, and with few cores the writer would spend more time
// waiting than working.
func yieldToWriter() { runtime.Gosched() }

// checkUnchanged checks that the source is still what was read: the same file, not shorter, and with the same beginning
// if it has grown or was written. A file that is being appended to has a new time before it has a new size.
func (f *feed) checkUnchanged(in *source.Input, before store.Stamp) error {
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
	if err != nil {
		return err
	}
	if n < before.Size || store.DigestOf(h).Sum != f.page.end.digest.Sum {
		return ErrSourceChanged
	}
	return nil
}
