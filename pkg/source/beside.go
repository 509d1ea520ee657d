package source

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxResult is the longest stored result that is read.
const maxResult = 64 << 20

// beside returns the folders in which a program keeps more of the session than its file has: those of its subagents and
// of its results. They are "" if there are none.
func (s *Session) beside() (subagents, results string) {
	owner := s.FolderOwner()
	if owner == nil || owner.Beside == nil || s.inBundle {
		return "", ""
	}
	stem, _ := SplitName(filepath.Base(s.Path))
	subagents, results = owner.Beside(filepath.ToSlash(s.folder()), stem)
	return filepath.FromSlash(subagents), filepath.FromSlash(results)
}

// Subagents returns the sessions that the session started, as far as their files are in a folder of its own, or in
// the folders of dates in which it was written.
func (s *Session) Subagents() []*Session {
	var list []*Session
	folder, _ := s.beside()
	if folder == "" {
		return s.spawned()
	}
	owner, names := s.FolderOwner(), map[string]string{}
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.Type().IsRegular():
		case strings.HasSuffix(path, suffix):
			list = append(list, File(s.displayPath(path)))
		default:
			id, name := describedIn(owner, path, os.Open)
			names[id] = name
		}
		return nil // what cannot be read is not shown
	})
	for _, other := range list {
		other.Entry.Display = names[other.ID]
	}
	return list
}

// spawned returns the sessions of a program that keeps all sessions in folders of dates, and names in a header which
// one has started another. Subagents begin after their session, and before its last line.
func (s *Session) spawned() []*Session {
	var list []*Session
	owner, own := s.FolderOwner(), s.folder()
	if owner == nil || !owner.NamesByID || owner.SpawnedBy != nil || s.inBundle || !s.IsFile() {
		return nil
	}
	root := aboveDates(own)
	last := filepath.Join(root, filepath.FromSlash(s.Modified.AddDate(0, 0, 1).Format("2006/01/02"))) // local times
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case entry.IsDir() && path != root && (path > last || path < own && !strings.HasPrefix(own, path)):
			return fs.SkipDir
		case entry.Type().IsRegular():
			if n, ok := ParseName(entry.Name()); ok && n.Kind == Live && n.ID > s.ID {
				if other := File(s.displayPath(path)); other.SpawnedBy() == s.ID {
					list = append(list, other)
				}
			}
		}
		return nil // what cannot be read is not shown
	})
	return list
}

// displayPath returns an absolute path near the session's file in the form in which the user named that.
func (s *Session) displayPath(path string) string {
	below, err := filepath.Rel(s.folder(), path)
	if err != nil {
		return path
	}
	return filepath.Join(filepath.Dir(s.Path), below)
}

// StoredResult returns a result of which a text is only the beginning, if the program keeps it in a file beside the
// session. Links do not lead out of that folder.
func (s *Session) StoredResult(text string) (result string, ok bool) {
	owner, folder := s.FolderOwner(), ""
	if owner == nil || owner.StoredIn == nil {
		return "", false
	}
	name := owner.StoredIn(text)
	if _, folder = s.beside(); name == "" || folder == "" {
		return "", false
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", false
	}
	defer root.Close()
	file, err := root.Open(name)
	if err != nil {
		return "", false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxResult {
		return "", false
	}
	whole, err := io.ReadAll(file)
	return string(whole), err == nil
}

// StoredResults returns the files with the long results of the session.
func (s *Session) StoredResults() []string {
	var paths []string
	_, folder := s.beside()
	if folder == "" || s.SpawnedBy() != "" { // a subagent shares them with its session
		return nil
	}
	entries, _ := os.ReadDir(folder) // most sessions have none
	for _, e := range entries {
		if e.Type().IsRegular() {
			paths = append(paths, s.displayPath(filepath.Join(folder, e.Name())))
		}
	}
	slices.Sort(paths)
	return paths
}
