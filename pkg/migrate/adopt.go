package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"clawctl/internal/failure"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/store"
)

// ErrNotArchive is the error for a bundle that is not an archive of a store.
var ErrNotArchive error = &failure.Sentinel{
	Code: failure.BadBundle, Text: "the bundle has no sessions of a store; import it instead",
}

// AdoptArchive makes the sessions of an archive those of a store: of one that was lost, or of another one. It returns
// how many there are. An archive that the store knows is only noted where it is now, if it is lost: it may have another
// name there, but its text must be the same.
func AdoptArchive(ctx context.Context, st *store.SQLite, path string) (sessions int, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	known, err := st.View.Archives(ctx)
	if err != nil {
		return 0, err
	}
	for _, a := range known {
		if there, err := os.Stat(a.Path); err == nil && os.SameFile(there, info) {
			return 0, nil
		}
		if a.Size != info.Size() || a.Check("") == nil {
			continue
		}
		is, err := st.View.IsArchiveAt(ctx, a, path)
		if err != nil {
			return 0, err
		}
		if is {
			return 0, st.Write(ctx, func(b *store.Batch) error { return b.MoveArchive(a, path) })
		}
	}
	return adopt(ctx, st, path, info)
}

func adopt(ctx context.Context, st *store.SQLite, path string, info os.FileInfo) (sessions int, err error) {
	r, err := bundle.Open(ctx, path)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	var list []store.ArchivedAbout
	if r.Stored == nil || json.Unmarshal(r.Stored, &list) != nil {
		return 0, ErrNotArchive
	}
	members := map[string]int{}
	for i, f := range r.Files {
		members[f.Path] = i
	}
	err = st.Write(ctx, func(b *store.Batch) error {
		a, err := b.AddArchive(path, info.Size(), info.ModTime())
		for i := range list {
			if err != nil {
				break
			}
			at, known := members[list[i].Member]
			if !known {
				return fmt.Errorf("%w: %s is missing", ErrNotArchive, list[i].Member)
			}
			var is bool
			if is, err = adoptOne(b, r, at, a, list[i]); is {
				sessions++
			}
		}
		if err != nil {
			return err
		}
		if sessions == 0 {
			_, err = b.DropEmptyArchives()
		}
		return err
	})
	return sessions, err
}

// adoptOne adds one session of an archive.
func adoptOne(b *store.Batch, r *bundle.Reader, i int, a *store.Archive, m store.ArchivedAbout) (bool, error) {
	in, err := r.Open(i)
	if err != nil {
		return false, err
	}
	defer in.Close()
	h := sha256.New()
	n, err := io.Copy(h, in)
	if err != nil {
		return false, err
	}
	digest := store.DigestOf(h)
	if n != m.Transcript.Bytes || digest.Sum != m.Transcript.Sum {
		return false, fmt.Errorf("%w: %s is not the text that was stored", ErrNotArchive, m.Member)
	}
	place, err := r.PlaceOf(i)
	if err != nil {
		return false, err
	}
	return b.AdoptArchived(m, digest, a, place)
}
