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

// Subagents returns the sessions that the session started, as far as their files are in a folder of its own.
func (s *Session) Subagents() (list []*Session) {
	folder, _ := s.beside()
	if folder == "" {
		return nil
	}
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && strings.HasSuffix(path, suffix) {
			list = append(list, File(s.displayPath(path)))
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
func (s *Session) StoredResults() (paths []string) {
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
