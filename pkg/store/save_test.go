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
	added := 0
	add := func(*jsonl.Record) error { added++; return nil }
	if err := saveOne(have, rec, add); err != nil {
		t.Fatal(err)
	}
	if err := saveOne(have, rec, add); !errors.Is(err, broken) || added > 0 {
		t.Errorf("%d records added, error %v", added, err)
	}
}
