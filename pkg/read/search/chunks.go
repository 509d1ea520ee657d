package search

import (
	"bytes"
	"context"
	"io"

	"clawctl/pkg/jsonl"
)

// A chunk is a number of whole lines.
type chunk struct {
	text    []byte
	offset  int64 // in the stream
	skipped int64 // bytes of a line before it that is too long
	unread  int64 // 1 if such a line begins there
}

// chunkOf returns the lines of a batch, which has a text. What it has of a line that is too long is skipped up to the
// newline, which counts the line.
func chunkOf(b *jsonl.Batch, text []byte) chunk {
	c := chunk{text: text, offset: b.Offset}
	if !b.IsLong {
		return c
	}
	end := bytes.IndexByte(text, '\n')
	if end < 0 {
		end = len(text)
	}
	c.text, c.skipped = text[end:], int64(end)
	if c.offset += c.skipped; !b.IsContinued {
		c.unread = 1
	}
	return c
}

// eachParallel searches batches on several goroutines and passes their hits on in order.
func (s *Scan) eachParallel(ctx context.Context, stream io.Reader, emit func(Hit) error) (tally Tally, err error) {
	opts := jsonl.Options{BeforeRead: s.BeforeRead, Jobs: s.Jobs}
	newSearch := func() func(*jsonl.Batch) chunkHits { return s.worker().searchBatch }
	for found, err := range jsonl.LookThrough(ctx, stream, opts, newSearch) {
		if err != nil {
			return tally, err
		}
		if err := tally.add(found, emit); err != nil {
			return tally, err
		}
	}
	return tally, nil
}
