package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"clawctl/pkg/dbfile"
)

// Registrations know which live files a gateway may still use, even if the files were named one by one. They cache the
// sessions.json of every folder.
type Registrations map[string]index

// MayList reports whether a live file is listed in the sessions.json beside it. It also reports true if that file is
// damaged, because the entry may be among the damaged ones.
func (r Registrations) MayList(s *Session) bool {
	if s.Kind != Live || s.Listed || s.InDatabase {
		return s.Kind == Live && s.Listed
	}
	folder := filepath.Dir(s.Path)
	ix, known := r[folder]
	if !known {
		ix = readIndexIn(folder)
		r[folder] = ix
	}
	return slices.ContainsFunc(ix.problems, func(p Problem) bool {
		return p.Code == IndexDamaged ||
			p.Code == Unreadable
	}) ||
		slices.ContainsFunc(ix.entries, func(e Entry) bool {
			return e.SessionID == s.ID ||
				e.File == filepath.Base(s.Path)
		})
}

// readIndexIn reads the sessions.json of a folder. A missing file gives an empty index.
func readIndexIn(folder string) (ix index) {
	path := filepath.Join(folder, indexName)
	file, err := os.OpenFile(path, os.O_RDONLY|dbfile.NonBlocking, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return ix
	}
	if err == nil {
		defer file.Close()
		ix, err = readIndex(path, file)
	}
	if err != nil {
		ix.problem(Unreadable, path, "", Reason(err))
	}
	return ix
}
