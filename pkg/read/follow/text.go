package follow

import (
	"context"
	"errors"
	"hash"
	"hash/fnv"
	"io"
	"io/fs"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source/openclaw"
)

// A text follows a session by reading all of it when its file has changed, such as a compressed file.
type text struct {
	path string
	open func(ctx context.Context) (io.ReadCloser, error)

	state    string // of the file when it was read
	position position
}

func newText(path string, open func(ctx context.Context) (io.ReadCloser, error)) *text {
	return &text{path: path, open: open, position: newPosition()}
}

// A position is how far a text was returned.
type position struct {
	offset int64 // of the first byte that was not returned
	lines  int64 // before it
	sum    hash.Hash64
}

func newPosition() position { return position{sum: fnv.New64a()} }

// LastOf reads a stream that can be read once, and gives its last records to an ending.
func LastOf(ctx context.Context, stream io.Reader, e *Ending) error {
	open := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(stream), nil }
	return newText("", open).Last(ctx, e)
}

// Last reads everything and keeps the end.
func (t *text) Last(ctx context.Context, e *Ending) error {
	return t.read(ctx, fingerprint(t.path), !e.Growing, e.keep())
}

// keep returns a function that gives the records of events to an empty ending.
func (e *Ending) keep() func(Event) error {
	e.reset()
	return func(ev Event) error {
		if ev.Record != nil {
			if !e.Numbered {
				withoutLine(ev.Record)
			}
			e.add(ev.Record)
		}
		return nil
	}
}

// Poll reads everything again if the file has changed, and returns what is new.
func (t *text) Poll(ctx context.Context, yield func(Event) error) error {
	state := fingerprint(t.path)
	if state == t.state {
		return nil
	}
	err := t.read(ctx, state, false, yield)
	if openclaw.IsTransient(err) || errors.Is(err, fs.ErrNotExist) {
		return nil // it will come back
	}
	return err
}

// read returns the records after the position. With whole, a last line without a line end counts.
func (t *text) read(ctx context.Context, state string, whole bool, yield func(Event) error) error {
	open := func() (io.ReadCloser, error) { return t.open(ctx) }
	if err := t.position.readOn(ctx, open, whole, yield); err != nil {
		return err
	}
	t.state = state
	return nil
}

// readOn returns the records of a text after the position. A text that is no longer the same up to there begins again.
func (p *position) readOn(
	ctx context.Context, open func() (io.ReadCloser, error), whole bool, yield func(Event) error,
) error {
	stream, err := open()
	if err != nil {
		return err
	}
	defer func() { stream.Close() }()
	if isSame, err := p.skip(stream); err != nil {
		return err
	} else if !isSame {
		stream.Close()
		*p = newPosition()
		if err := yield(Event{Change: Truncated}); err != nil {
			return err
		}
		if stream, err = open(); err != nil {
			return err
		}
	}
	return p.rest(ctx, stream, whole, yield)
}

// rest returns the records of a stream that begins at the position.
func (p *position) rest(ctx context.Context, stream io.Reader, whole bool, yield func(Event) error) error {
	opts := jsonl.Options{BytesBefore: p.offset, LinesBefore: p.lines, BeforeRead: ctx.Err}
	for rec, err := range jsonl.Records(stream, opts) {
		if err != nil {
			return err
		}
		if !whole && isUnfinished(rec) {
			return nil
		}
		p.pass(rec)
		if err := yield(Event{Record: rec}); err != nil {
			return err
		}
	}
	return nil
}

// isUnfinished reports whether a record is the last line and has no line end. A line that is too long comes in pieces.
func isUnfinished(rec *jsonl.Record) bool {
	isPiece := rec.Damage != nil && rec.Damage.Code == jsonl.TooLong
	return rec.Raw[len(rec.Raw)-1] != '\n' && !isPiece
}

// skip reads what was returned before, and reports whether it is still the same.
func (p *position) skip(stream io.Reader) (bool, error) {
	sum := fnv.New64a()
	_, err := io.CopyN(sum, stream, p.offset)
	if err == io.EOF {
		return false, nil
	}
	return sum.Sum64() == p.sum.Sum64(), err
}

// pass moves the position after a record.
func (p *position) pass(rec *jsonl.Record) {
	p.offset, p.lines = rec.Offset+int64(len(rec.Raw)), rec.Line
	p.sum.Write(rec.Raw) // never fails
}

// Close does nothing: nothing is open between two polls.
func (t *text) Close() error { return nil }
