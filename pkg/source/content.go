package source

import (
	"context"

	"clawctl/pkg/jsonl"
)

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
