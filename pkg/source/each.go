package source

import (
	"context"
	"io"

	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
)

// An Opened is a session that Each has opened.
type Opened struct {
	*Input
	Session *Session
	Number  int           // of the session in the walk
	Options jsonl.Options // end with the walk, and use as many cores as the session deserves
	reader  *jsonl.Reader // of the worker
}

// Lines returns a reader of the session from its beginning.
func (o *Opened) Lines() *jsonl.Reader { return o.LinesOf(o.Input.Reader) }

// LinesOf returns a reader of a text that was made of the session.
func (o *Opened) LinesOf(text io.Reader) *jsonl.Reader {
	o.reader.Reset(text, o.Options)
	return o.reader
}

// Each is the walk over sessions that are read as a whole. It opens jobs of them at a time, or one per core if
// jobs <= 0, and a large one is read on several cores. What read makes of them is taken in the order of the sessions by
// the caller's goroutine, with the error of opening the session or of read. The walk ends with an error of take, or of
// ctx.
func Each[R any](
	ctx context.Context, sessions []*Session, jobs int,
	read func(context.Context, *Opened) (R, error), take func(i int, result R, err error) error,
) error {
	type outcome struct {
		result R
		err    error
	}
	total := TotalBytes(sessions)
	one := func(ctx context.Context, reader *jsonl.Reader, i int) (o outcome) {
		s := sessions[i]
		in, err := s.Open()
		if err != nil {
			return outcome{err: err}
		}
		defer in.Close()
		opts := jsonl.Options{BeforeRead: ctx.Err, Jobs: parallel.Share(jobs, s.Bytes, total)}
		o.result, o.err = read(ctx, &Opened{Input: in, Session: s, Number: i, Options: opts, reader: reader})
		return o
	}
	newReader := func() *jsonl.Reader { return &jsonl.Reader{} }
	return parallel.Ordered(ctx, len(sessions), jobs, newReader, one, func(i int, o outcome) error {
		return take(i, o.result, o.err)
	})
}
