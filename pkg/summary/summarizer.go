package summary

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// ResultLength is how many characters of a tool's result a summarizer is shown, as in claw0.
const ResultLength = 500

// A Summarizer is handed a prompt, which it reads as it is written, and answers. It may be asked again.
type Summarizer func(ctx context.Context, prompt func(io.Writer) error) (answer string, err error)

// The limits of a summary.
const (
	MinLength = 20      // characters; less says nothing
	MaxLength = 1 << 16 // bytes; more is no summary
)

// Ask asks a summarizer, and once more where it fails or take refuses its answer.
func Ask(
	ctx context.Context, summarizer Summarizer, prompt func(io.Writer) error, take func(answer string) error,
) (err error) {
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

// Check refuses what cannot stand for a conversation.
func Check(summary string) error {
	switch n := utf8.RuneCountInString(strings.TrimSpace(summary)); {
	case n == 0:
		return errors.New("the summary is empty")
	case n < MinLength:
		return fmt.Errorf("the summary has %d characters, and at least %d are needed", n, MinLength)
	case len(summary) > MaxLength:
		return fmt.Errorf("the summary has %d bytes, and at most %d are allowed", len(summary), MaxLength)
	}
	return nil
}

// Claw0Count returns how many of n messages claw0 summarizes: half of them, but at least 2, and never one of the last 4
// or of the last fifth. Of up to 4 messages it summarizes none.
func Claw0Count(n int) int {
	if n <= 4 {
		return 0
	}
	return min(max(2, n/2), n-max(4, n/5))
}
