package source

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"clawctl/internal/rooted"
	"clawctl/pkg/dialect"
)

// maxResult is the longest stored result that is read.
const maxResult = 64 << 20

// beside returns the folders in which a program keeps more of the session than its file has: those of its subagents and
// of its results. hasAny is false if there are none.
func (s *Session) beside() (subagents, results rooted.File, hasAny bool) {
	owner := s.FolderOwner()
	if owner == nil || owner.Beside == nil || s.inBundle {
		return subagents, results, false
	}
	stem, _ := SplitName(filepath.Base(s.Path))
	agents, long := owner.Beside(filepath.ToSlash(s.folder()), stem)
	subagents, _ = s.near(agents)
	results, hasAny = s.near(long)
	return subagents, results, hasAny
}

// near returns the path of a folder near the session. ok is false if the folder is not below the one that was named, so
// that nobody has said that it may be read.
func (s *Session) near(folder string) (path rooted.File, ok bool) {
	below, err := filepath.Rel(s.reach, filepath.FromSlash(folder))
	if folder == "" || err != nil || !filepath.IsLocal(below) {
		return rooted.File{}, false
	}
	below = filepath.ToSlash(below)
	return rooted.File{Path: rooted.Of(s.reach, below), Shown: s.displayPath(below)}, true
}

// Near returns the file or the folder that data calls by a path with slashes, as seen from the session's file. Nothing
// outside of the folder that was named can be opened by it.
func (s *Session) Near(name string) rooted.File {
	below, err := filepath.Rel(s.reach, s.folder())
	if err != nil || s.InDatabase || s.inBundle {
		return rooted.File{Shown: name}
	}
	below = path.Join(filepath.ToSlash(below), name)
	return rooted.File{Path: rooted.Of(s.reach, below), Shown: s.displayPath(below)}
}

// reachOf returns the folder with everything that belongs to the sessions in a folder, for a file that was named: the
// folder of the session that a subagent works for, or the one above the folders of dates.
func reachOf(owner *dialect.Program, folder string) string {
	if owner == nil || owner.Beside == nil {
		return aboveDates(folder)
	}
	_, results := owner.Beside(filepath.ToSlash(folder), "any")
	return filepath.Dir(filepath.Dir(filepath.FromSlash(results)))
}

// Subagents returns the sessions that the session started, as far as their files are in a folder of its own, or in
// the folders of dates in which it was written.
func (s *Session) Subagents() []*Session {
	var list []*Session
	folder, _, hasAny := s.beside()
	if !hasAny {
		return s.spawned()
	}
	owner, names := s.FolderOwner(), map[string]string{}
	_ = folder.Walk(func(below string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.Type().IsRegular():
		case strings.HasSuffix(below, suffix):
			list = s.appendNear(list, below)
		default:
			id, name := describedIn(owner, below, func(below string) (*os.File, error) {
				return rooted.Of(s.reach, below).Open()
			})
			names[id] = name
		}
		return nil // what cannot be read is not shown
	})
	for _, other := range list {
		other.Entry.Display = names[other.ID]
	}
	return list
}

// appendNear appends the session in a file below the folder that was named, if it can be read.
func (s *Session) appendNear(list []*Session, below string) []*Session {
	other, err := fileIn(s.reach, filepath.FromSlash(below), s.displayPath(below))
	if err != nil {
		return list
	}
	return append(list, other)
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
	for _, folder := range s.sharedHistories().dated(s) {
		if folder.path > last || folder.path < own && !strings.HasPrefix(own, folder.path) {
			continue
		}
		for _, below := range folder.startedBy(s) {
			list = s.appendNear(list, below)
		}
	}
	return list
}

// displayPath returns a path below the folder that was named in the form in which the user named the session's file.
func (s *Session) displayPath(below string) string {
	path := filepath.Join(s.reach, filepath.FromSlash(below))
	near, err := filepath.Rel(s.folder(), path)
	if err != nil {
		return path
	}
	return filepath.Join(filepath.Dir(s.Path), near)
}

// StoredResult returns a result of which a text is only the beginning, if the program keeps it in a file beside the
// session. Links do not lead out of the folder that was named.
func (s *Session) StoredResult(text string) (result string, ok bool) {
	owner := s.FolderOwner()
	if owner == nil || owner.StoredIn == nil {
		return "", false
	}
	name := owner.StoredIn(text)
	_, folder, hasAny := s.beside()
	if !hasAny || name == "" {
		return "", false
	}
	whole, err := folder.Join(name).Content(maxResult)
	return string(whole), err == nil
}

// StoredResults returns the files with the long results of the session.
func (s *Session) StoredResults() []rooted.File {
	var files []rooted.File
	_, folder, hasAny := s.beside()
	if !hasAny || s.SpawnedBy() != "" { // a subagent shares them with its session
		return nil
	}
	entries, _ := folder.List() // most sessions have none
	for _, e := range entries {
		if e.Type().IsRegular() {
			files = append(files, folder.Join(e.Name()))
		}
	}
	return files
}
