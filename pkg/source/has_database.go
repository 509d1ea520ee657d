package source

import (
	"context"
	"path/filepath"
)

// HasDatabase reports whether there is an OpenClaw database below a folder. It searches the same folders as Find, but
// looks only at file names.
func HasDatabase(ctx context.Context, folder string) bool {
	root, err := openFolderTree(folder)
	if err != nil {
		return false
	}
	defer root.Close()
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	w := &walker{ctx: ctx, root: root, absolute: absolute}
	return w.hasDatabase(".", 0)
}

func (w *walker) hasDatabase(path string, depth int) bool {
	entries, err := w.readDir(path)
	if err != nil || w.ctx.Err() != nil {
		return false
	}
	plan := searchPlan(filepath.Join(w.absolute, path), entries)
	for _, entry := range entries {
		below := filepath.Join(path, entry.Name())
		switch {
		case entry.Name() == databaseName && entry.Type().IsRegular():
			return true
		case entry.IsDir() && depth < maxWalkDepth && plan(entry.Name()) == searchFolder && w.hasDatabase(below, depth+1):
			return true
		}
	}
	return false
}
