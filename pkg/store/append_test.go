package store_test

import (
	"context"
	"errors"
	"testing"

	"clawctl/pkg/store"
)

// AppendAfter refuses to add a record if the session changed after it was read.
func TestAppendAfter(t *testing.T) {
	ctx := context.Background()
	s := newStore(t)
	line := `{"type":"custom","id":"1"}`
	if err := s.Append(ctx, "k", record(line)); err != nil {
		t.Fatal(err)
	}
	size := int64(len(line) + 1)
	if err := s.AppendAfter(ctx, "k", size, record(line)); err != nil {
		t.Fatal(err)
	}
	if err := s.AppendAfter(ctx, "k", size, record(line)); !errors.Is(err, store.ErrConflict) {
		t.Error(err)
	}
	if err := s.AppendAfter(ctx, "k", 2*size, record(`{"torn`)); !errors.Is(err, store.ErrNotRecord) {
		t.Error(err)
	}
	list, err := s.List(ctx)
	if err != nil || list[0].Records != 2 {
		t.Error(list, err)
	}
}
