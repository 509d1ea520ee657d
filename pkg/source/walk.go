package source

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Limits of the search below a folder.
const (
	maxWalkDepth = 12
	databaseName = "openclaw-agent.sqlite"
	indexName    = "sessions.json"
)

// skippedFolders hold no transcripts, but many files.
var skippedFolders = []string{"node_modules", ".git"}

// Find lists every transcript below a folder: OpenClaw's state folder or any part of it, a workspace of claw0, or any
// folder with transcripts in it. One rule serves for all of them: files are known by their names, the agent by the
// folder behind agents/, and the registration by the sessions.json beside the files or, as claw0 has it, above them.
//
// Nothing outside the folder is read, whatever links or sessions.json say: links are resolved inside the folder alone,
// and of a registered path only its last part counts, as the name of a file that was found.
func Find(folder string) (*Place, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(folder)
	if err != nil {
		absolute = folder
	}
	w := &walker{root: root, absolute: absolute, place: &Place{Path: folder, closers: []io.Closer{root}}}
	w.folder(".", 0, nil)
	for _, f := range w.folders {
		w.register(f)
	}
	w.openDatabases()
	w.nameKeys()
	w.place.sort()
	return w.place, nil
}

// A walker is one search.
type walker struct {
	root      *os.Root
	absolute  string
	place     *Place
	folders   []*folder
	databases []string
}

// A folder is one that holds transcripts or a registration.
type folder struct {
	path     string // below the root
	agent    string
	files    map[string]*Session // by base name
	index    *index              // the registration of its files, or nil
	imported bool                // the registration is of before OpenClaw's migration
}

// folder searches one folder and those below. above is the folder it lies in.
func (w *walker) folder(path string, depth int, above *folder) {
	entries, err := w.readDir(path)
	if err != nil {
		w.place.problem(Unreadable, w.shown(path), plain(err))
		return
	}
	f := &folder{path: path, agent: agentOf(filepath.Join(w.absolute, path)), files: map[string]*Session{}}
	for _, entry := range entries {
		if !entry.IsDir() {
			w.file(f, entry)
		}
	}
	if f.index == nil && above != nil && (filepath.Base(path) == "sessions" || filepath.Base(path) == "transcripts") {
		f.index, above.index = above.index, nil // claw0's registration lies one folder up
	}
	w.folders = append(w.folders, f)
	for _, entry := range entries {
		if entry.IsDir() && depth < maxWalkDepth && !slices.Contains(skippedFolders, entry.Name()) {
			w.folder(filepath.Join(path, entry.Name()), depth+1, f)
		}
	}
}

func (w *walker) readDir(path string) ([]fs.DirEntry, error) {
	dir, err := w.root.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

var importedIndex = regexp.MustCompile(`^legacy-store\.sessions\.json\.imported-\d+$`)

// file takes up one file, if it is of interest.
func (w *walker) file(f *folder, entry fs.DirEntry) {
	base, path := entry.Name(), filepath.Join(f.path, entry.Name())
	name, isTranscript := ParseName(base)
	isIndex, isDatabase := base == indexName, base == databaseName
	if !isTranscript && !isIndex && !isDatabase && !importedIndex.MatchString(base) {
		return
	}
	info, err := w.root.Stat(path)
	if err != nil {
		code := Unreadable
		if entry.Type()&fs.ModeSymlink != 0 {
			code = LinkOutside
		}
		w.place.problem(code, w.shown(path), plain(err))
		return
	}
	if !info.Mode().IsRegular() {
		return // a pipe or a device by the name of a transcript
	}
	switch {
	case isDatabase && entry.Type().IsRegular():
		w.databases = append(w.databases, w.shown(path))
	case isTranscript:
		f.files[base] = w.session(f, path, name, info)
	case isIndex:
		w.readIndex(f, path)
		w.place.Indexes = append(w.place.Indexes, w.shown(path))
	case importedIndex.MatchString(base):
		w.readIndex(f, path)
		f.imported = true
	}
}

func (w *walker) session(f *folder, path string, name Name, info fs.FileInfo) *Session {
	s := &Session{
		Agent: f.agent, ID: name.ID, Kind: name.Kind, Generation: name.Generation, Path: w.shown(path),
		Bytes: info.Size(), Modified: info.ModTime(), name: name,
	}
	s.open = func() (*Input, error) { return w.openFile(path, s) }
	w.place.Sessions = append(w.place.Sessions, s)
	return s
}

// openFile opens a file below the root. It neither waits for a pipe that took the file's place nor reads it.
func (w *walker) openFile(path string, s *Session) (*Input, error) {
	file, err := w.root.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	in, err := regularInput(file, s.Path)
	if err != nil {
		file.Close()
		return nil, err
	}
	if isColdArchive(path) {
		return unwrapCold(in), nil
	}
	return in, nil
}

// errNotRegular is returned for a device, a pipe or a folder where a transcript was.
var errNotRegular = errors.New("is not a regular file")

func regularInput(file *os.File, name string) (*Input, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	in, err := Wrap(file, name)
	if err != nil {
		return nil, err
	}
	in.file, in.Size = file, info.Size()
	return in, nil
}

func (w *walker) readIndex(f *folder, path string) {
	file, err := w.root.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		w.place.problem(Unreadable, w.shown(path), plain(err))
		return
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxIndex))
	if err != nil {
		w.place.problem(Unreadable, w.shown(path), plain(err))
		return
	}
	ix := parseIndex(w.shown(path), data)
	f.index = &ix
}

// register gives the files of a folder what its registration says of them.
func (w *walker) register(f *folder) {
	if f.index == nil {
		return
	}
	if !f.imported {
		w.place.Problems = append(w.place.Problems, f.index.problems...)
	}
	for _, e := range f.index.entries {
		s := f.fileOf(e)
		switch {
		case s == nil && !f.imported:
			w.place.Problems = append(w.place.Problems, Problem{Code: FileMissing, Path: w.shown(f.path), Key: e.Key, Detail: e.SessionID})
		case s == nil:
		case s.Listed:
			s.Problems = append(s.Problems, Problem{Code: SharedFile, Path: s.Path, Key: e.Key})
		default:
			s.Listed, s.Entry, s.Key = true, e, e.Key
			if e.Folder != "" && e.Folder != filepath.Join(w.absolute, f.path) && !f.imported {
				s.Problems = append(s.Problems, Problem{Code: ForeignPath, Path: s.Path, Key: e.Key, Detail: e.Folder})
			}
		}
	}
	if f.imported {
		return
	}
	for _, s := range f.files {
		if s.Kind == Live && !s.Listed {
			s.Problems = append(s.Problems, Problem{Code: Unlisted, Path: s.Path})
		}
	}
}

// fileOf finds the transcript of an entry: by the name that it states, by its id as a name, by an id in a name.
func (f *folder) fileOf(e Entry) *Session {
	if s := f.files[e.File]; s != nil {
		return s
	}
	if s := f.files[e.SessionID+".jsonl"]; s != nil {
		return s
	}
	var found *Session
	for _, s := range f.files {
		fits := s.Kind == Live || f.imported && s.Kind == Archive
		if fits && s.ID == e.SessionID && (found == nil || s.Path < found.Path) {
			found = s
		}
	}
	return found
}

// openDatabases adds the sessions of OpenClaw's databases.
func (w *walker) openDatabases() {
	for _, path := range w.databases {
		db, err := openDatabase(path)
		if err != nil {
			w.place.problem(BadDatabase, path, err.Error())
			continue
		}
		w.place.closers = append(w.place.closers, db)
		w.place.Databases = append(w.place.Databases, path)
		sessions, err := db.sessions(agentOf(path))
		if err != nil {
			w.place.problem(BadDatabase, path, err.Error())
		}
		w.place.Sessions = append(w.place.Sessions, sessions...)
	}
}

// nameKeys gives every session a key: that of its registration, that of the registered session with its id, or else one
// that says where it was found.
func (w *walker) nameKeys() {
	keys := map[[2]string]string{} // by agent and session id
	note := func(agent, id, key string) {
		if _, known := keys[[2]string{agent, id}]; !known && key != "" {
			keys[[2]string{agent, id}] = key
		}
	}
	for _, s := range w.place.Sessions {
		note(s.Agent, s.ID, s.Key)
	}
	for _, f := range w.folders {
		if f.index == nil {
			continue
		}
		for _, e := range f.index.entries {
			note(f.agent, e.SessionID, e.Key)
			for _, id := range e.Family {
				note(f.agent, id, e.Key)
			}
		}
	}
	for _, s := range w.place.Sessions {
		if s.Key == "" {
			s.Key = cmp.Or(keys[[2]string{s.Agent, s.ID}], RecoveredKey(s.Agent, s.ID))
		}
	}
}

// RecoveredKey is the key of a transcript that no registration names.
func RecoveredKey(agent, id string) string { return "agent:" + agent + ":recovered:" + id }

// agentOf returns the agent whose folder a path lies in, or OpenClaw's default agent.
func agentOf(path string) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] == "agents" && parts[i+1] != "" {
			return parts[i+1]
		}
	}
	return "main"
}

// shown is the path of something below the root, as the user named the root.
func (w *walker) shown(path string) string { return filepath.Join(w.place.Path, path) }

func (p *Place) problem(code Code, path, detail string) {
	p.Problems = append(p.Problems, Problem{Code: code, Path: path, Detail: detail})
}

// plain drops the operation and path that a file error repeats.
func plain(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return err.Error()
}
