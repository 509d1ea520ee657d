package compact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// resultPreview is how many characters of a tool's result a summarizer is shown, as in claw0.
const resultPreview = 500

// A Summarizer is handed a prompt, which it reads as it is written, and answers. It may be asked again.
type Summarizer func(ctx context.Context, prompt func(io.Writer) error) (answer string, err error)

// The limits of a summary.
const (
	MinSummary = 20      // characters; less says nothing
	MaxSummary = 1 << 16 // bytes; more is no summary
)

// ask asks a summarizer, and once more where it fails or take refuses its answer.
func ask(ctx context.Context, summarizer Summarizer, prompt func(io.Writer) error, take func(answer string) error) (err error) {
	for range 2 {
		var answer string
		if answer, err = summarizer(ctx, prompt); err == nil {
			err = take(answer)
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// CheckSummary refuses what cannot stand for a conversation.
func CheckSummary(summary string) error {
	switch n := utf8.RuneCountInString(strings.TrimSpace(summary)); {
	case n == 0:
		return errors.New("the summary is empty")
	case n < MinSummary:
		return fmt.Errorf("the summary has %d characters, and at least %d are needed", n, MinSummary)
	case len(summary) > MaxSummary:
		return fmt.Errorf("the summary has %d bytes, and at most %d are allowed", len(summary), MaxSummary)
	}
	return nil
}

// claw0Cut returns how many of n messages claw0 summarises: half of them, but at least 2, and never one of the last 4 or of
// the last fifth. Of up to 4 messages it summarises none.
func claw0Cut(n int) int {
	if n <= 4 {
		return 0
	}
	return min(max(2, n/2), n-max(4, n/5))
}
