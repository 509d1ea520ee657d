package store

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"clawctl/pkg/jsonl"
)

// If the stored records cannot be read to their end, nobody knows whether a record is new.
func TestSaveAfterReadError(t *testing.T) {
	const line = `{"type":"user","content":"a"}` + "\n"
	broken := errors.New("broken")
	have := jsonl.NewReader(io.MultiReader(strings.NewReader(line), iotest.ErrReader(broken)), jsonl.Options{})
	rec, err := jsonl.NewReader(strings.NewReader(line), jsonl.Options{}).Next()
	if err != nil {
		t.Fatal(err)
	}
	if is, err := isNext(have, rec); is || err != nil {
		t.Fatal(is, err)
	}
	if is, err := isNext(have, rec); is || !errors.Is(err, broken) {
		t.Errorf("new: %v, error %v", is, err)
	}
}
