package prune

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/pkg/source"
)

// Kinds are the kinds of files that can be pruned. A live session never is.
var Kinds = []source.Kind{source.Deleted, source.Reset, source.Backup, source.Checkpoint, source.Archive}

// UnusedDays is for how long a file must not have been used before it is pruned, and TrashDays how long it stays in the
// trash, unless somebody chooses another time.
const (
	UnusedDays = 30
	TrashDays  = 90
)

// Rules say which files are pruned if they are safe to delete.
type Rules struct {
	Before   time.Time     // only files that were last used before
	Kinds    []source.Kind // only files of these kinds; all of Kinds if there are none
	KeepLast int           // keep this many of the newest files of each session
	Larger   int64         // only files with more bytes
}

// Select returns the files that the rules mean, the oldest first.
func (r Rules) Select(sessions []*source.Session) []*source.Session {
	var list []*source.Session
	kinds := r.Kinds
	if len(kinds) == 0 {
		kinds = Kinds
	}
	for _, s := range sessions {
		path := filepath.ToSlash(filepath.Join(s.Root, s.Below)) // somebody may have named a trash
		if slices.Contains(kinds, s.Kind) && s.IsFile() && !strings.Contains(path, "/"+source.TrashFolder+"/") {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b *source.Session) int {
		return cmp.Or(LastUse(a).Compare(LastUse(b)), cmp.Compare(a.Path, b.Path))
	})
	kept := map[[2]string]int{}
	for i := len(list) - 1; i >= 0; i-- {
		s := list[i]
		name := [2]string{s.Agent, s.Key}
		kept[name]++
		if kept[name] <= r.KeepLast || !LastUse(s).Before(r.Before) || s.Bytes <= r.Larger {
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}

// Split returns the sessions that may be pruned, and those that only the programs that wrote them may move.
func Split(sessions []*source.Session) (others, owned []*source.Session) {
	for _, s := range sessions {
		if s.CheckOwner() != nil {
			owned = append(owned, s)
		} else {
			others = append(others, s)
		}
	}
	return others, owned
}

// LastUse returns when a file was last used: when it was last written, or when it became an archive, which its name
// says. The later one counts, because renaming a session does not change the time of its file.
func LastUse(s *source.Session) time.Time {
	if named := s.ArchivedAt(); named.After(s.Modified) {
		return named
	}
	return s.Modified
}
