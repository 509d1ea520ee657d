package prune

import (
	"errors"
	"os"
	"testing"

	"clawctl/pkg/migrate"
)

// Files of the trash are found by their receipts, and compared with the database that their receipts name.
func TestProveAgain(t *testing.T) {
	s := newStage(t)
	s.write(id(1)+".jsonl.bak", transcript(1, "a"))
	s.write(id(2)+".jsonl.bak", transcript(2, "b"))
	s.write(id(3)+".jsonl.bak", transcript(3, "c"))
	s.importAll()
	receipts, errs := s.prune(nil)
	if len(receipts) != 3 || errors.Join(errs...) != nil {
		t.Fatal(receipts, errs)
	}
	if err := os.Remove(receipts[1].Moved.To); err != nil {
		t.Fatal(err)
	}
	files, gone := FindTrashed(receipts)
	if len(files) != 2 || len(gone) != 1 || gone[0] != receipts[1] {
		t.Fatal(files, gone)
	}
	var database *migrate.Target
	if err := ProveAgain(ctx, files, 1, func(target *migrate.Target) { database = target }); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Proof == nil || !f.Proof.Safe() || f.Unproven != nil {
			t.Errorf("%s: %+v", f.Receipt.Path, f)
		}
	}
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.store, s.store+".moved"); err != nil {
		t.Fatal(err)
	}
	files, _ = FindTrashed(receipts)
	if err := ProveAgain(ctx, files, 1, func(*migrate.Target) { t.Error("opened a missing database") }); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.Proof != nil || f.Unproven == nil {
			t.Errorf("%s: proven without its database", f.Receipt.Path)
		}
	}
}
