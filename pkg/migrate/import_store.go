package migrate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// ImportInto is Import into the store at a path. It creates the store if there is none.
func ImportInto(
	ctx context.Context, path string, how store.Options, sessions []*source.Session, opts Options,
) error {
	st, err := store.Open(ctx, path, how)
	if err != nil {
		return err
	}
	for _, archive := range opts.Archives {
		n, err := AdoptArchive(ctx, st, archive)
		opts.Adopted(archive, n, err)
	}
	return errors.Join(Import(ctx, st, sessions, opts), st.Close())
}

// RehearseInto is Rehearse for the store at a path. It only reads the store, if there is one.
func RehearseInto(ctx context.Context, path string, sessions []*source.Session, opts Options) error {
	if info, err := os.Stat(path); errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return rehearse(ctx, nil, sessions, opts)
	}
	r, err := store.OpenReader(ctx, path)
	if errors.Is(err, dbfile.ErrUnfinished) {
		return rehearse(ctx, nil, sessions, opts)
	}
	if err != nil {
		return err
	}
	defer r.Close()
	return rehearse(ctx, &r.View, sessions, opts)
}

// LinksToStore returns the sessions whose files are links to the store at a path, or to a file beside it. Reading such
// a file as a transcript would release the locks on the store.
func LinksToStore(sessions []*source.Session, path string) []*source.Session {
	var links []*source.Session
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	var files []os.FileInfo
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if file, err := os.Stat(path + suffix); err == nil {
			files = append(files, file)
		}
	}
	if files == nil {
		return nil
	}
	for _, s := range sessions {
		file, err := os.Stat(s.Path)
		if err == nil && slices.ContainsFunc(files, func(f os.FileInfo) bool { return os.SameFile(f, file) }) {
			links = append(links, s)
		}
	}
	return links
}
