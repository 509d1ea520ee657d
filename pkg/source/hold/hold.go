// Package hold finds the files that must stay where they are, because an index or a database names them, or because a
// running process may be writing to them.
package hold

import (
	"context"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/internal/openfile"
	"clawctl/internal/portable"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

// A Hold is why a file must stay where it is, even if every record of it is elsewhere. The zero Hold is none.
type Hold struct {
	Reason Reason
	By     string // the index, database, lock or folder that is the reason
}

// A Reason is a kind of hold.
type Reason string

// The reasons to hold a file.
const (
	Registered   Reason = "registered"    // an index or a database names it
	Locked       Reason = "locked"        // a running process may be writing to it
	IndexMissing Reason = "no-index"      // it has a live name, and no index says whether it is in use
	BadIndex     Reason = "bad-index"     // it has a live name, and the index of its folder is damaged
	HomeUnread   Reason = "home-not-read" // an index or database that may name it cannot be read
)

// Options are the options of [Find].
type Options struct {
	Homes    []string  // homes that may register the files, besides their own
	UserHome string    // what ~ means in OpenClaw's configuration, or ""
	Now      time.Time // when it is, for locks that name no process; if zero, they count as held
}

// Find finds out which of the given files must stay. For each file it looks at the index of its folder, and at all
// indexes and databases of the home that the file is part of and of the given homes. It reads them now, not as they
// were when the files were found.
func Find(ctx context.Context, files []*source.Session, opts Options) (map[*source.Session]Hold, error) {
	h := &holder{ctx: ctx, now: opts.Now, holds: map[*source.Session]Hold{},
		states: map[string]indexState{}, byBase: map[string][]*heldFile{}, byID: map[string][]*heldFile{}}
	for _, s := range files {
		h.add(s)
	}
	h.given = resolveFolders(opts.Homes)
	found := map[string]source.Registrations{}
	for _, home := range h.homes() {
		found[home] = source.FindRegistrations(ctx, home, h.given, opts.UserHome)
		for _, link := range found[home].Links { // all links come before the first index that may name one
			h.noteLink(link)
		}
	}
	for home, registrations := range found {
		h.searchHome(home, registrations)
	}
	for _, f := range h.files {
		h.searchFolder(f)
		h.searchLocks(f)
	}
	return h.holds, ctx.Err()
}

// A holder searches for holds.
type holder struct {
	ctx   context.Context
	now   time.Time
	given []string // homes that the caller named
	files []*heldFile
	holds map[*source.Session]Hold

	states map[string]indexState  // of the indexes that were searched, by path
	byBase map[string][]*heldFile // by the base name of every path, folded
	byID   map[string][]*heldFile // files with a live name, by what an index calls them
}

// A heldFile is a file that may be held.
type heldFile struct {
	session *source.Session
	path    string   // absolute
	paths   []string // path and every other path that leads to the file through links
	isLive  bool     // a gateway would take it for a session
}

func (h *holder) add(s *source.Session) {
	f := &heldFile{session: s, path: s.AbsolutePath(), isLive: len(source.LiveIDs(filepath.Base(s.Path))) > 0}
	h.files = append(h.files, f)
	h.addPath(f, f.path)
	if real, err := filepath.EvalSymlinks(f.path); err == nil {
		h.addPath(f, real)
	}
}

// addPath adds a path that leads to a file. A link with a live name makes the file part of a session.
func (h *holder) addPath(f *heldFile, path string) {
	if slices.Contains(f.paths, path) {
		return
	}
	base := filepath.Base(path)
	folded := portable.Fold(base)
	f.paths, h.byBase[folded] = append(f.paths, path), append(h.byBase[folded], f)
	for _, id := range source.LiveIDs(base) {
		id = portable.Fold(id)
		h.byID[id] = append(h.byID[id], f)
	}
}

// hold notes a hold, unless the file has one that says more: a registration and a lock go first.
func (h *holder) hold(f *heldFile, hold Hold) {
	order := []Reason{HomeUnread, IndexMissing, BadIndex, Registered, Locked}
	if slices.Index(order, hold.Reason) > slices.Index(order, h.holds[f.session].Reason) {
		h.holds[f.session] = hold
	}
}

// resolveFolders returns the real paths of those that are folders.
func resolveFolders(paths []string) []string {
	var list []string
	for _, path := range paths {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			real, err = filepath.Abs(real)
		}
		if err == nil && openfile.IsFolder(real) {
			list = append(list, real)
		}
	}
	return list
}

// homes returns the given homes and those that the files are part of: every folder above a file that has a folder named
// agents in it.
func (h *holder) homes() []string {
	list := slices.Clone(h.given)
	asked := map[string]bool{}
	for _, f := range h.files {
		for _, path := range f.paths {
			for folder := filepath.Dir(path); !asked[folder]; folder = filepath.Dir(folder) {
				asked[folder] = true
				if openfile.IsFolder(filepath.Join(folder, "agents")) {
					list = append(list, folder)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// searchHome looks at the indexes and databases of a home. If one of them cannot be read, the files below are held.
func (h *holder) searchHome(home string, found source.Registrations) {
	unread := found.Unread
	for _, path := range found.Indexes {
		// What a damaged index has lost may have named any file. An empty one has nothing to lose.
		if state := h.searchIndex(path); state == unreadableIndex || state == damagedIndex {
			unread = append(unread, path)
		}
	}
	for _, path := range found.Databases {
		if err := h.searchDatabase(path); err != nil {
			unread = append(unread, path)
		}
	}
	for _, path := range unread {
		h.holdBelow(home, path)
	}
}

// holdBelow holds every file below a home because something there cannot be read.
func (h *holder) holdBelow(home, unread string) {
	for _, f := range h.files {
		if slices.ContainsFunc(f.paths, func(p string) bool { return openfile.IsBelow(p, home) }) {
			h.hold(f, Hold{HomeUnread, unread})
		}
	}
}

// noteLink notes that a link leads to one of the files, because an index may name the link.
func (h *holder) noteLink(link string) {
	real, err := filepath.EvalSymlinks(link)
	if err != nil {
		return
	}
	for _, f := range slices.Clone(h.byBase[portable.Fold(filepath.Base(real))]) {
		if slices.Contains(f.paths, real) {
			h.addPath(f, link)
		}
	}
}

// searchFolder looks at the index of a file's folder. A file with a live name is held unless a healthy one exists.
func (h *holder) searchFolder(f *heldFile) {
	folder := filepath.Dir(f.path)
	paths := []string{filepath.Join(folder, openclaw.IndexName)}
	if isBelowIndex(folder) {
		paths = append(paths, filepath.Join(filepath.Dir(folder), openclaw.IndexName))
	}
	missing := true
	for _, path := range paths {
		switch h.searchIndex(path) {
		case noIndex:
			continue
		case unreadableIndex:
			h.hold(f, Hold{HomeUnread, path})
		case damagedIndex, emptyIndex:
			if f.isLive {
				h.hold(f, Hold{BadIndex, path})
			}
		}
		missing = false
	}
	if f.isLive && missing {
		h.hold(f, Hold{IndexMissing, folder})
	}
}

func (h *holder) searchLocks(f *heldFile) {
	for _, path := range f.paths {
		if by := openclaw.LockHolder(path+".lock", h.now); by != "" {
			h.hold(f, Hold{Locked, by})
		}
	}
}

// isBelowIndex reports whether the index of a folder may be one folder up, as in the layout of claw0.
func isBelowIndex(folder string) bool {
	return filepath.Base(folder) == "sessions" || filepath.Base(folder) == "transcripts"
}

// isNamed reports whether a text in a registration names a path. folder is where the registration is about: the folder
// beside an index, or "".
//
// A path in a registration may come from another machine, so only its end counts: the agent and what follows if both
// paths have one, else the file name. A bare name is that of a file in the folder.
func isNamed(text, folder, path string) bool {
	text = cleanPath(text)
	slashed := portable.Fold(filepath.ToSlash(path))
	dir, base := pathpkg.Split(text)
	if base != slashed[strings.LastIndexByte(slashed, '/')+1:] {
		return false
	}
	if folder != "" && (dir == "" || openfile.IsBelow(path, folder)) {
		return openfile.IsBelow(path, folder)
	}
	here, there := agentTail(slashed), agentTail(text)
	return here == "" || there == "" || here == there
}

// cleanPath returns a path of any operating system in one form. Names that are one file on some system become the same.
func cleanPath(text string) string {
	return pathpkg.Clean(strings.ReplaceAll(portable.Fold(strings.TrimSpace(text)), `\`, "/"))
}

// agentTail returns the end of a path from the name of its agent on, or "".
func agentTail(path string) string {
	at := strings.LastIndex(path, "/agents/")
	if at < 0 {
		return ""
	}
	return path[at:]
}
