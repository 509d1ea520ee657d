package summary

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// ResultLength is the number of characters of a tool result that a summarizer sees, as in claw0.
const ResultLength = 500

// A Summarizer reads a prompt while it is written, and returns an answer. It may be called again.
type Summarizer func(ctx context.Context, prompt func(io.Writer) error) (answer string, err error)

// The limits of a summary.
const (
	MinLength = 20      // characters; a shorter text says nothing
	MaxLength = 1 << 16 // bytes; a longer text is not a summary
)

// Ask runs a summarizer. It runs it once more if it fails or take refuses its answer.
func Ask(
	ctx context.Context, summarizer Summarizer, prompt func(io.Writer) error, take func(answer string) error,
) error {
	var err error
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

// Check returns an error if a text cannot replace a conversation.
func Check(summary string) error {
	switch n := utf8.RuneCountInString(strings.TrimSpace(summary)); {
	case n == 0:
		return errors.New("the summary is empty")
	case n < MinLength:
		return fmt.Errorf("the summary must have at least %d characters, got %d", MinLength, n)
	case len(summary) > MaxLength:
		return fmt.Errorf("the summary must have at most %d bytes, got %d", MaxLength, len(summary))
	}
	return nil
}

// Claw0Count returns how many of n messages claw0 summarizes: half of them, but at least 2, and never one of the last 4
// or of the last fifth. It summarizes none of 4 or fewer messages.
func Claw0Count(n int) int {
	if n <= 4 {
		return 0
	}
	return min(max(2, n/2), n-max(4, n/5))
}
