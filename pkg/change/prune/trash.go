package prune

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"clawctl/pkg/change"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
)

// A TrashedFile is a file in the trash.
type TrashedFile struct {
	Receipt *change.Receipt
	Session *source.Session
	// Proof is the comparison with the database that had the records of the file when it was moved. It is nil if the
	// file was not compared.
	Proof *migrate.Proof
	// Unproven says why that database cannot be read.
	Unproven error
}

// A TargetError is the error of comparing files with a database.
type TargetError struct {
	Path string
	Err  error
}

func (e *TargetError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }
func (e *TargetError) Unwrap() error { return e.Err }

// FindTrashed returns the files of receipts that are in the trash, in the order of their places there. Receipts say
// where the files are, so nothing else in a folder with the name of a trash is found. The second result are receipts
// whose files are gone: a run was interrupted before it noted that.
func FindTrashed(receipts []*change.Receipt) (list []*TrashedFile, gone []*change.Receipt) {
	for _, r := range receipts {
		if _, err := os.Lstat(r.Moved.To); err != nil {
			gone = append(gone, r)
			continue
		}
		list = append(list, &TrashedFile{Receipt: r, Session: source.TrashedFile(r.Moved.To)})
	}
	slices.SortStableFunc(list, func(a, b *TrashedFile) int { return cmp.Compare(a.Receipt.Moved.To, b.Receipt.Moved.To) })
	return list, gone
}

// ProveAgain compares files of the trash once more with the databases that had their records. opened gets each database
// and closes it later.
func ProveAgain(ctx context.Context, list []*TrashedFile, jobs int, opened func(*migrate.Target)) error {
	byPath := map[string][]*TrashedFile{}
	var paths []string
	for _, f := range list {
		path := f.Receipt.Moved.Proof.Path
		if byPath[path] == nil {
			paths = append(paths, path)
		}
		byPath[path] = append(byPath[path], f)
	}
	for _, path := range paths {
		if err := prove(ctx, path, byPath[path], jobs, opened); err != nil {
			return err
		}
	}
	return nil
}

// prove compares files with one database.
func prove(ctx context.Context, path string, list []*TrashedFile, jobs int, opened func(*migrate.Target)) error {
	target, err := migrate.OpenTarget(ctx, path, "")
	if err != nil {
		for _, f := range list {
			f.Unproven = err
		}
		return ctx.Err()
	}
	opened(target)
	sessions := make([]*source.Session, len(list))
	for i, f := range list {
		sessions[i] = f.Session
	}
	proofs, err := migrate.Verify(ctx, sessions, target, migrate.VerifyOptions{Jobs: jobs, InTrash: true})
	if err != nil {
		return &TargetError{path, err}
	}
	for i, f := range list {
		f.Proof = &proofs[i]
	}
	return ctx.Err()
}
