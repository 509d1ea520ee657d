package source

import (
	"context"
	"io/fs"
	"path/filepath"

	"clawctl/pkg/source/openclaw"
)

// HasDatabase reports whether there is an OpenClaw database below a folder, without opening one. It searches the same
// folders as Find. home is the user's home folder, for the paths in a configuration.
func HasDatabase(ctx context.Context, path, home string) bool {
	w, err := newWalker(ctx, path, Options{Home: home, NamesOnly: true})
	if err != nil {
		return false
	}
	defer w.place.Close()
	w.loadConfig()
	return w.hasDatabase(".", 0)
}

func (w *walker) hasDatabase(path string, depth int) bool {
	entries, err := w.readDir(path)
	if err != nil || w.ctx.Err() != nil {
		return false
	}
	f := &folder{path: path, hasDatabase: hasNamed(entries, openclaw.DatabaseName)}
	plan := searchPlan(filepath.Join(w.absolute, path), entries)
	for _, entry := range entries {
		below := filepath.Join(path, entry.Name())
		switch {
		case entry.Type().IsRegular() && w.isAnyDatabase(f, entry):
			return true
		case entry.IsDir() && depth < maxWalkDepth && plan(entry.Name()) == searchFolder && w.hasDatabase(below, depth+1):
			return true
		}
	}
	return false
}

// isAnyDatabase reports whether a file is an OpenClaw database by its name, or by its content if the name says nothing.
func (w *walker) isAnyDatabase(f *folder, entry fs.DirEntry) bool {
	path := filepath.Join(f.path, entry.Name())
	return w.isDatabase(f, entry.Name()) || w.mayBeDatabase(f, entry.Name()) && w.hasEvents(path)
}

// hasEvents reports whether a file, or the log beside it, has the name of the table with transcripts.
func (w *walker) hasEvents(path string) bool {
	return w.mentionsEvents(path) || w.mentionsEvents(path+"-wal")
}
