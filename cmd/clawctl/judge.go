package main

import (
	"context"

	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

// A judgement is what validate says about a session.
type judgement struct {
	validate.Result
	err error
}

// judgeAll judges sessions, several at the same time, and hands the judgements on in the order of the sessions.
func judgeAll(
	a *app, sessions []*source.Session, jobs int, selection validate.Selection, each func(i int, j judgement) error,
) error {
	watchReading(a, "Checking", sessions)
	defer a.progress.End()
	newReader := func() *jsonl.Reader { return &jsonl.Reader{} }
	total := source.TotalBytes(sessions)
	judge := func(ctx context.Context, reader *jsonl.Reader, i int) judgement {
		opts := jsonl.Options{BeforeRead: ctx.Err, Jobs: parallel.Share(jobs, sessions[i].Bytes, total)}
		return judgeSession(reader, sessions[i], opts, selection)
	}
	err := parallel.Ordered(a.ctx, len(sessions), jobs, newReader, judge, each)
	if a.ctx.Err() != nil {
		return interrupted(a)
	}
	return err
}

// judgeSession reads one session.
func judgeSession(r *jsonl.Reader, s *source.Session, opts jsonl.Options, selection validate.Selection) judgement {
	in, err := s.Open()
	if err != nil {
		return judgement{err: inputError(s.Place(), err)}
	}
	defer in.Close()
	r.Reset(in.Reader, opts)
	result, err := validate.Session(r, s, selection)
	if err != nil {
		return judgement{result, inputError(in.Name, err)}
	}
	return judgement{Result: result}
}
