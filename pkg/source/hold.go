package source

import (
	"context"
	"errors"
	"io/fs"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/internal/openfile"
	"clawctl/internal/portable"
	"clawctl/pkg/source/openclaw"
)

// A Hold is why a file must stay where it is, even if every record of it is elsewhere. The zero Hold is none.
type Hold struct {
	Reason HoldReason
	By     string // the index, database, lock or folder that is the reason
}

// A HoldReason is a kind of hold.
type HoldReason string

// The reasons to hold a file.
const (
	Registered   HoldReason = "registered"    // an index or a database names it
	Locked       HoldReason = "locked"        // a running process may be writing to it
	IndexMissing HoldReason = "no-index"      // it has a live name, and no index says whether it is in use
	BadIndex     HoldReason = "bad-index"     // it has a live name, and the index of its folder is damaged
	HomeUnread   HoldReason = "home-not-read" // an index or database that may name it cannot be read
)

// HoldOptions are the options of [FindHolds].
type HoldOptions struct {
	Homes    []string  // homes that may register the files, besides their own
	UserHome string    // what ~ means in OpenClaw's configuration, or ""
	Now      time.Time // when it is, for locks that name no process; if zero, they count as held
}

// FindHolds finds out which of the given files must stay. For each file it looks at the index of its folder, and at all
// indexes and databases of the home that the file is part of and of the given homes. It reads them now, not as they
// were when the files were found.
func FindHolds(ctx context.Context, files []*Session, opts HoldOptions) (map[*Session]Hold, error) {
	h := &holder{ctx: ctx, userHome: opts.UserHome, now: opts.Now, holds: map[*Session]Hold{},
		states: map[string]indexState{}, byBase: map[string][]*heldFile{}, byID: map[string][]*heldFile{}}
	for _, s := range files {
		h.add(s)
	}
	h.given = resolveFolders(opts.Homes)
	found := map[string]registrations{}
	for _, home := range h.homes() {
		found[home] = h.findRegistrations(home) // all links come before the first index that may name one
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
	ctx      context.Context
	userHome string
	now      time.Time
	given    []string // homes that the caller named
	files    []*heldFile
	holds    map[*Session]Hold

	states map[string]indexState  // of the indexes that were searched, by path
	byBase map[string][]*heldFile // by the base name of every path, folded
	byID   map[string][]*heldFile // files with a live name, by what an index calls them
}

// A heldFile is a file that may be held.
type heldFile struct {
	session *Session
	path    string   // absolute
	paths   []string // path and every other path that leads to the file through links
	isLive  bool     // a gateway would take it for a session
}

func (h *holder) add(s *Session) {
	f := &heldFile{session: s, path: s.absolutePath(), isLive: isLiveName(filepath.Base(s.Path))}
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
	if isLiveName(base) {
		for _, id := range liveIDs(base) {
			id = portable.Fold(id)
			h.byID[id] = append(h.byID[id], f)
		}
	}
}

// hold notes a hold, unless the file has one that says more: a registration and a lock go first.
func (h *holder) hold(f *heldFile, hold Hold) {
	order := []HoldReason{HomeUnread, IndexMissing, BadIndex, Registered, Locked}
	if slices.Index(order, hold.Reason) > slices.Index(order, h.holds[f.session].Reason) {
		h.holds[f.session] = hold
	}
}

// absolutePath returns the absolute path of a file.
func (s *Session) absolutePath() string { return filepath.Join(s.Root, filepath.FromSlash(s.Below)) }

// isLiveName reports whether a file has the name of a session that a gateway may continue, or of a checkpoint.
func isLiveName(base string) bool {
	return strings.HasSuffix(base, suffix) && !isColdName(base)
}

func isColdName(base string) bool {
	digest := strings.TrimSuffix(strings.TrimSuffix(base, ".zst"), suffix)
	return len(digest) == coldNameLen && strings.Trim(digest, "0123456789abcdef") == ""
}

// liveIDs returns what an index may call a file with a live name: its stem, the session id in it, and the id of a
// checkpoint.
func liveIDs(base string) []string {
	stem := strings.TrimSuffix(base, suffix)
	ids := []string{stem}
	var name Name
	if name.parseStem(stem); name.ID != stem {
		ids = append(ids, name.ID)
	}
	if at := strings.LastIndex(stem, ".checkpoint."); at >= 0 {
		ids = append(ids, stem[at+len(".checkpoint."):])
	}
	return ids
}

// resolveFolders returns the real paths of those that are folders.
func resolveFolders(paths []string) (list []string) {
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
func (h *holder) searchHome(home string, found registrations) {
	unread := found.unread
	for _, path := range found.indexes {
		// What a damaged index has lost may have named any file. An empty one has nothing to lose.
		if state := h.searchIndex(path); state == unreadableIndex || state == damagedIndex {
			unread = append(unread, path)
		}
	}
	for _, path := range found.databases {
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
		if slices.ContainsFunc(f.paths, func(p string) bool { return isBelow(home, p) }) {
			h.hold(f, Hold{HomeUnread, unread})
		}
	}
}

func isBelow(folder, path string) bool {
	below, err := filepath.Rel(folder, path)
	return err == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator))
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
	if folder != "" && (dir == "" || isBelow(folder, path)) {
		return isBelow(folder, path)
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

// registrations are the files of a home that may name transcripts.
type registrations struct {
	indexes, databases []string
	unread             []string // folders and links that were not followed
}

// findRegistrations finds the registrations below a home, and the links to the files.
func (h *holder) findRegistrations(home string) (found registrations) {
	root, err := openFolderTree(home)
	if err != nil {
		return registrations{unread: []string{home}}
	}
	defer root.Close()
	w := &walker{ctx: h.ctx, opts: Options{Home: h.userHome}, root: root, absolute: home,
		place: &Place{Path: home}}
	if slices.Contains(h.given, home) {
		w.findRegistrations(".", 0, &found, h.noteLink)
	} else {
		w.findInLayout(&found, h.noteLink)
	}
	found.unread = append(found.unread, w.registeredElsewhere(h.given)...)
	return found
}

// findInLayout searches only the folders of OpenClaw's layout, because nobody has named the home.
func (w *walker) findInLayout(found *registrations, link func(path string)) {
	for _, name := range stateFolders {
		if info, err := w.root.Lstat(name); err == nil && info.IsDir() {
			w.findRegistrations(name, 1, found, link)
		} else if err == nil && openfile.IsFolder(w.displayPath(name)) {
			found.unread = append(found.unread, w.displayPath(name))
		}
	}
}

// findRegistrations searches a folder. link is called for every link to a file.
func (w *walker) findRegistrations(path string, depth int, found *registrations, link func(path string)) {
	entries, err := w.readDir(path)
	if err != nil {
		found.unread = append(found.unread, w.displayPath(path))
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
				w.findRegistrations(below, depth+1, found, link)
			}
		case isLink && (base == openclaw.IndexName || base == openclaw.DatabaseName ||
			!isPassed && openfile.IsFolder(w.displayPath(below))):
			found.unread = append(found.unread, w.displayPath(below))
		case isLink:
			link(w.displayPath(below))
		case base == openclaw.IndexName:
			found.indexes = append(found.indexes, w.displayPath(below))
		case base == openclaw.DatabaseName:
			found.databases = append(found.databases, w.displayPath(below))
		}
	}
}

// registeredElsewhere returns what OpenClaw's configuration says about registrations that were not searched: the folder
// of an agent, or the configuration itself if it cannot be read, includes another file, or moves the index. Folders
// below those in covered are searched on their own.
func (w *walker) registeredElsewhere(covered []string) (list []string) {
	for _, name := range openclaw.ConfigNames {
		config, err := w.parseConfig(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c := openclaw.NewConfig(config)
		if err != nil || len(c.Includes) > 0 || c.Store != "" {
			list = append(list, w.displayPath(name))
		}
		for _, dir := range c.Folders {
			path, known := openclaw.ExpandPath(dir.Path, w.opts.Home)
			isCovered := slices.ContainsFunc(covered, func(folder string) bool { return isBelow(folder, path) })
			if !known {
				list = append(list, w.displayPath(name))
			} else if !isCovered && !w.isSearchedOrMissing(path) {
				list = append(list, path)
			}
		}
		break
	}
	return list
}
