package du

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/openfile"
	"clawctl/pkg/source"
	"clawctl/pkg/store/dbfile"
)

// A file is a file on disk with what its name and its sessions tell.
type file struct {
	path     string
	bytes    int64
	agent    string
	kind     string
	storage  string
	sessions []*source.Session // its only one, or those in the database
}

// Kinds of files that hold no transcript, and forms of storage.
const (
	kindDatabase = "database"
	kindLog      = "database log"
	kindIndex    = "index"
	kindLock     = "lock"
	kindSettings = "settings"
	kindImage    = "image"
	kindNotes    = "notes"
	kindTrash    = "trash"
	kindTemp     = "temporary file"
	kindOther    = "other file"

	inDatabase    = "database"
	compressed    = "compressed"
	plain         = "plain"
	noAgent       = "(no agent)"
	notInDatabase = "(not in a database)"
)

// rest names what a file has besides the text of its sessions.
func (f *file) rest() string {
	if f.storage == inDatabase {
		return "other tables and pages"
	}
	return "not read"
}

// A lister finds the files of places. A file is listed once, however often a place or a link leads to it.
type lister struct {
	files    []*file
	known    map[string]bool
	links    map[link]bool
	sessions map[string][]*source.Session // by absolute path
}

func (c *collector) listFiles(places []*source.Listing, sessions []*source.Session) []*file {
	l := &lister{known: map[string]bool{}, links: map[link]bool{}, sessions: map[string][]*source.Session{}}
	for _, s := range sessions {
		path := openfile.WithoutLinks(s.Path)
		l.sessions[path] = append(l.sessions[path], s)
	}
	for _, p := range places {
		l.addAll(c.filesOf(openfile.WithoutLinks(p.Path)))
	}
	for path := range l.sessions { // of an agent whose folder is elsewhere
		if !l.known[path] {
			l.addAll(withLogs(path))
		}
	}
	slices.SortFunc(l.files, func(a, b *file) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.path, b.path))
	})
	return l.files
}

// filesOf returns the files of a place, as they were listed before it was opened.
func (c *collector) filesOf(root string) []string {
	listing := c.opts.Listing
	if listing == nil || listing.files[root] == nil {
		listing = List(root)
	}
	c.report.Unread = append(c.report.Unread, listing.unread...)
	listing.unread = nil
	return listing.files[root]
}

func (l *lister) addAll(paths []string) {
	for _, path := range paths {
		l.add(path)
	}
}

// rank puts live transcripts before older ones, so that it is the older ones which are copies.
func rank(f *file) int {
	if f.storage == inDatabase {
		return -1
	}
	return slices.Index(source.Kinds, source.Kind(f.kind))
}

// A Listing has the files of places. It is made before their databases are opened, because SQLite puts files beside
// those.
type Listing struct {
	files  map[string][]string // by the absolute path of the place
	unread []Unread
}

// List lists the files of places that exist: all files of a folder, or one file with the logs beside it.
func List(places ...string) *Listing {
	l := &Listing{files: map[string][]string{}}
	for _, place := range places {
		root := openfile.WithoutLinks(place)
		if info, err := os.Stat(root); err == nil {
			l.files[root] = l.filesOf(root, info.IsDir())
		}
	}
	return l
}

func (l *Listing) filesOf(root string, isFolder bool) []string {
	var files []string
	if !isFolder {
		return withLogs(root)
	}
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			l.unread = append(l.unread, Unread{path, err})
		case entry.Type().IsRegular():
			files = append(files, path)
		}
		return nil
	})
	return files
}

// withLogs returns a file, and if it is a database the files that SQLite put beside it.
func withLogs(path string) []string {
	files := []string{path}
	if !dbfile.Is(path) {
		return files
	}
	for _, suffix := range logSuffixes {
		if _, err := os.Lstat(path + suffix); err == nil {
			files = append(files, path+suffix)
		}
	}
	return files
}

// logSuffixes end the names of the files that SQLite puts beside a database.
var logSuffixes = []string{"-wal", "-shm", "-journal"}

// add adds a file that exists. What is no regular file, such as a pipe, has no bytes on disk.
func (l *lister) add(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || l.known[path] {
		return
	}
	l.known[path] = true
	if id, ok := linkOf(info); ok {
		if l.links[id] {
			return
		}
		l.links[id] = true
	}
	f := &file{path: path, bytes: info.Size(), sessions: l.sessions[path], agent: agentOf(path), storage: storageOf(path)}
	f.kind = kindOf(f)
	if f.storage != inDatabase && len(f.sessions) > 0 && f.sessions[0].Agent != "" {
		f.agent = f.sessions[0].Agent
	}
	l.files = append(l.files, f)
}

// agentOf returns the agent in whose folder a file is.
func agentOf(path string) string {
	names := strings.Split(filepath.ToSlash(path), "/")
	for i := len(names) - 3; i >= 0; i-- {
		if names[i] == "agents" {
			return names[i+1]
		}
	}
	return noAgent
}

func storageOf(path string) string {
	switch filepath.Ext(path) {
	case ".zst", ".gz":
		return compressed
	}
	if dbfile.Is(path) {
		return inDatabase
	}
	return plain
}

// kindOf returns the kind of a file: that of its session, or what its name says.
func kindOf(f *file) string {
	base := strings.ToLower(filepath.Base(f.path))
	switch {
	case f.storage == inDatabase:
		return kindDatabase
	case len(f.sessions) > 0:
		return string(f.sessions[0].Kind)
	case strings.Contains(filepath.ToSlash(f.path), "/"+source.TrashFolder+"/"):
		return kindTrash
	case atomicfile.IsTemp(base):
		return kindTemp
	case slices.ContainsFunc(logSuffixes, func(suffix string) bool { return strings.HasSuffix(base, suffix) }):
		return kindLog
	case strings.HasPrefix(base, "sessions.json") || strings.Contains(base, ".sessions.json"):
		return kindIndex
	case strings.HasSuffix(base, ".lock"):
		return kindLock
	case strings.HasSuffix(base, ".md"):
		return kindNotes
	case slices.Contains(imageEndings, filepath.Ext(base)):
		return kindImage
	case strings.HasSuffix(base, ".json") || strings.HasSuffix(base, ".json5"):
		return kindSettings
	}
	return kindOther
}

var imageEndings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".heic", ".bmp", ".svg"}
