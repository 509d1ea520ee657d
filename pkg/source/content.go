package source

import (
	"context"

	"clawctl/pkg/jsonl"
)

// WithoutRecord reads a session up to its first record. If it has no record, WithoutRecord returns the damage of its
// first line. For an empty session both are nil.
func (s *Session) WithoutRecord(ctx context.Context) (first *jsonl.Damage, err error) {
	in, err := s.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for rec, err := range jsonl.Records(in, jsonl.Options{BeforeRead: ctx.Err}) {
		switch {
		case err != nil:
			return nil, err
		case rec.Legible():
			return nil, nil
		case first == nil:
			first = rec.Damage // nil for a blank line
		}
	}
	return first, nil
}

// IsEmpty reports whether a session consists of blank lines only.
func (s *Session) IsEmpty(ctx context.Context) (bool, error) {
	in, err := s.Open()
	if err != nil {
		return false, err
	}
	defer in.Close()
	for rec, err := range jsonl.Records(in, jsonl.Options{BeforeRead: ctx.Err}) {
		if err != nil || !rec.Blank {
			return false, err
		}
	}
	return true, nil
}
