package source

import (
	"context"
	"iter"

	"clawctl/pkg/jsonl"
)

// Records returns the records of the session in order. An error is the last value, also that of opening the session.
func (s *Session) Records(ctx context.Context) iter.Seq2[*jsonl.Record, error] {
	return func(yield func(*jsonl.Record, error) bool) {
		in, err := s.Open()
		if err != nil {
			yield(nil, err)
			return
		}
		defer in.Close()
		for rec, err := range jsonl.Records(in, jsonl.Options{BeforeRead: ctx.Err}) {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// IsEmpty reports whether a session consists of blank lines only.
func (s *Session) IsEmpty(ctx context.Context) (bool, error) {
	for rec, err := range s.Records(ctx) {
		if err != nil || !rec.Blank {
			return false, err
		}
	}
	return true, nil
}
