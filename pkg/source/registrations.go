package source

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"

	"clawctl/internal/openfile"
	"clawctl/pkg/source/openclaw"
)

// Registrations are the files of a home that may name transcripts.
type Registrations struct {
	Indexes, Databases []string
	Links              []string // to files
	Unread             []string // folders and links that were not followed, and what else may name transcripts
}

// FindRegistrations finds the registrations below a home. If it is not one of those that the user has named, only the
// folders of OpenClaw's layout are searched. userHome is what ~ means in OpenClaw's configuration.
func FindRegistrations(ctx context.Context, home string, named []string, userHome string) Registrations {
	var found Registrations
	root, err := openFolderTree(home)
	if err != nil {
		return Registrations{Unread: []string{home}}
	}
	defer root.Close()
	w := &walker{ctx: ctx, opts: Options{Home: userHome}, root: root, absolute: home, place: &Listing{Path: home}}
	if slices.Contains(named, home) {
		w.findRegistrations(".", 0, &found)
	} else {
		w.findInLayout(&found)
	}
	found.Unread = append(found.Unread, w.registeredElsewhere(named)...)
	return found
}

// findInLayout searches only the folders of OpenClaw's layout, because nobody has named the home.
func (w *walker) findInLayout(found *Registrations) {
	for _, name := range stateFolders {
		if info, err := w.root.Lstat(name); err == nil && info.IsDir() {
			w.findRegistrations(name, 1, found)
		} else if err == nil && openfile.IsFolder(w.displayPath(name)) {
			found.Unread = append(found.Unread, w.displayPath(name))
		}
	}
}

// findRegistrations searches a folder.
func (w *walker) findRegistrations(path string, depth int, found *Registrations) {
	entries, err := w.readDir(path)
	if err != nil {
		found.Unread = append(found.Unread, w.displayPath(path))
		return
	}
	w.folders = append(w.folders, &folder{path: path})
	plan := searchPlan(filepath.Join(w.absolute, path), entries)
	for _, entry := range entries {
		base, below := entry.Name(), filepath.Join(path, entry.Name())
		isLink, isPassed := entry.Type()&fs.ModeSymlink != 0, plan(base) == passFolder
		switch {
		case w.ctx.Err() != nil:
			return
		case entry.IsDir():
			if depth < maxWalkDepth && !isPassed {
				w.findRegistrations(below, depth+1, found)
			}
		case isLink && (base == openclaw.IndexName || base == openclaw.DatabaseName ||
			!isPassed && openfile.IsFolder(w.displayPath(below))):
			found.Unread = append(found.Unread, w.displayPath(below))
		case isLink:
			found.Links = append(found.Links, w.displayPath(below))
		case base == openclaw.IndexName:
			found.Indexes = append(found.Indexes, w.displayPath(below))
		case base == openclaw.DatabaseName:
			found.Databases = append(found.Databases, w.displayPath(below))
		}
	}
}

// registeredElsewhere returns what OpenClaw's configuration says about registrations that were not searched: the folder
// of an agent, or the configuration itself if it cannot be read, includes another file, or moves the index. Folders
// below those in covered are searched on their own.
func (w *walker) registeredElsewhere(covered []string) []string {
	var list []string
	w.loadConfig()
	c := w.config
	if c == nil {
		return nil
	}
	if c.err != nil || len(c.Includes) > 0 || c.Store != "" {
		list = append(list, w.displayPath(c.name))
	}
	for _, dir := range c.Folders {
		path, known := openclaw.ExpandPath(dir.Path, w.opts.Home)
		isCovered := slices.ContainsFunc(covered, func(folder string) bool { return openfile.IsBelow(path, folder) })
		if !known {
			list = append(list, w.displayPath(c.name))
		} else if !isCovered && !w.isSearchedOrMissing(path) {
			list = append(list, path)
		}
	}
	return list
}
