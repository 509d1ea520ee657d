package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/portable"
	"clawctl/internal/regex"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store/dbfile"
)

// maxWalkDepth is how deep a folder is searched.
const maxWalkDepth = 12

// Find lists every transcript below a folder: OpenClaw's state folder or a part of it, a workspace of claw0, or any
// folder with transcripts. The same rules apply to all of them. Files are recognized by their first records, the agent
// by the folder after agents/ or by the key, and the registration by the sessions.json beside the files or, for claw0,
// above them. Every other file is counted, unless it is one that OpenClaw is expected to keep there.
//
// Nothing outside the folder is read, whatever links or a sessions.json say. Links to files are resolved inside the
// folder only, and links to folders are not followed. Only the last element of a registered path counts, as the name of
// a file that was found.
func Find(ctx context.Context, folder string, opts Options) (*Listing, error) {
	w, err := newWalker(ctx, folder, opts)
	if err != nil {
		return nil, err
	}
	return w.find(archiveAbove(w.absolute))
}

// newWalker opens the root of a search.
func newWalker(ctx context.Context, folder string, opts Options) (*walker, error) {
	root, err := openFolderTree(folder)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.EvalSymlinks(folder)
	if err == nil {
		absolute, err = filepath.Abs(absolute)
	}
	if err == nil {
		err = checkRoot(root.root)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return &walker{ctx: ctx, opts: opts, root: root, absolute: absolute,
		place: &Listing{Path: folder, closers: []io.Closer{root}}}, nil
}

// find searches everything below the root.
func (w *walker) find(archive archiveFolder) (*Listing, error) {
	w.place.root, w.place.bundle = w.root, w.inBundle
	w.loadConfig()
	w.walkFolder(".", 0, nil, archive)
	w.dropOthers()
	w.markStates()
	w.openDatabases()
	w.needKeys()
	for _, f := range w.folders {
		w.register(f)
	}
	w.dropIllegible()
	w.nameCold()
	w.nameKeys()
	w.nameThreads()
	w.nameJobs()
	if err := w.ctx.Err(); err != nil {
		w.place.Close()
		return nil, err
	}
	w.reportConfig()
	w.place.sort()
	return w.place, nil
}

// A walker holds the state of one search.
type walker struct {
	ctx       context.Context
	opts      Options
	root      tree
	inBundle  bool // the root is a bundle
	absolute  string
	place     *Listing
	folders   []*folder
	databases []string
	config    *loadedConfig           // OpenClaw's, nil if there is none
	family    openclaw.StoreDatabases // of the store that the configuration names
	cold      []map[string]*Session   // sessions in cold storage files, by file name, one map per database
	listed    keyNames                // keys of registrations
	names     map[string]string       // of sessions, by their ids, from files with names only
	reader    jsonl.Reader            // reads the beginnings of files
	histories histories               // that the sessions share
}

// A folder contains transcripts or a registration.
type folder struct {
	path        string // below the root
	agent       string
	archive     archiveFolder       // that it is in, or ""
	hasSettings bool                // OpenClaw keeps its settings here
	isHome      bool                // another program keeps everything here, its credentials too
	hasDatabase bool                // it has a database with the usual name
	files       map[string]*Session // by base name
	folded      map[string]*Session // the same by folded names, once they are needed
	byID        map[string]*Session // live sessions, and those of OpenClaw's migration
	indexes     []string            // paths of the registrations of its files
	imported    bool                // the registration is from before OpenClaw's migration, or a copy of one
}

// checkRoot returns an error if the folder itself cannot be listed, or if nothing in it can be opened. A folder below
// it with the same fault is only a problem.
func checkRoot(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(1)
	if err != nil && err != io.EOF {
		return err
	}
	for _, name := range names {
		if _, err := root.Lstat(name); errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// walkFolder searches a folder and the folders in it. above is its parent.
func (w *walker) walkFolder(path string, depth int, above *folder, archive archiveFolder) {
	entries, err := w.readDir(path)
	if err != nil {
		w.place.problem(Unreadable, w.displayPath(path), failure.Reason(err))
		return
	}
	absolute := filepath.Join(w.absolute, path)
	f := &folder{path: path, agent: agentOf(w.absolute, path), archive: archive, imported: archive != "",
		isHome:      dialect.HomeOwner(filepath.Base(absolute)) != nil,
		hasSettings: hasSettings(absolute, entries), hasDatabase: hasNamed(entries, openclaw.DatabaseName),
		files: map[string]*Session{}, byID: map[string]*Session{}}
	for _, entry := range entries {
		if !entry.IsDir() && w.ctx.Err() == nil && !w.isLinkedFolder(entry, filepath.Join(path, entry.Name())) {
			w.addFile(f, entry)
		}
	}
	if len(f.indexes) == 0 && above != nil &&
		(filepath.Base(path) == "sessions" || filepath.Base(path) == "transcripts") {
		f.indexes, above.indexes = above.indexes, nil // claw0's registration is one folder up
	}
	w.folders = append(w.folders, f)
	plan := searchPlan(absolute, entries)
	for _, entry := range entries {
		below := filepath.Join(path, entry.Name())
		switch {
		case w.ctx.Err() != nil:
		case entry.IsDir():
			w.enter(below, depth+1, f, plan(entry.Name()))
		case w.isLinkedFolder(entry, below) && plan(entry.Name()) != passFolder:
			w.place.problem(LinkOutside, w.displayPath(below), toFolder)
		}
	}
}

// enter searches a folder inside another one, as planned.
func (w *walker) enter(path string, depth int, above *folder, plan folderPlan) {
	switch base := filepath.Base(path); {
	case slices.Contains(harnessHomes, base) && !w.inBundle: // a bundle has only what its sessions refer to
		w.countRollouts(path, depth)
	case plan == passFolder:
		w.place.Skipped = append(w.place.Skipped, SkippedFile{Path: w.displayPath(path), Type: skippedFolder, Expected: true})
	case depth > maxWalkDepth:
		w.skip(path, skippedFolder)
	case plan == searchArchive && dialect.HomeOwner(base) != nil && above.archive == "": // as bundles have them
		w.walkFolder(path, depth, above, "")
	case plan == searchArchive && above.archive == "" && !w.family.IsBelow(filepath.Join(w.absolute, path)):
		w.walkFolder(path, depth, above, archiveFolder(base))
	default:
		w.walkFolder(path, depth, above, above.archive)
	}
}

func (w *walker) readDir(path string) ([]fs.DirEntry, error) {
	entries, err := w.root.readDir(path)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

var importedIndex = regex.Lazy(`^legacy-store\.sessions\.json\.imported-\d+$`)

// stat describes the file of an entry. Reading the folder has done that for everything but links, which lead elsewhere.
func (w *walker) stat(path string, entry fs.DirEntry) (fs.FileInfo, error) {
	if entry.Type().IsRegular() {
		return entry.Info()
	}
	return w.root.Stat(path)
}

// toFolder and toNothing are why a link is not followed, beside that it leads out of the folder.
const (
	toFolder  = "it leads to a folder"
	toNothing = "it leads to nothing"
)

// leadsTo says where a link leads that is not followed, by the error of looking there.
func leadsTo(err error) string {
	switch {
	case err == nil:
		return toFolder
	case errors.Is(err, fs.ErrNotExist):
		return toNothing
	}
	return "it leads out of the folder that is searched"
}

// addFile adds a file if it is a transcript, a registration, a lock or a database.
func (w *walker) addFile(f *folder, entry fs.DirEntry) {
	base, path := entry.Name(), filepath.Join(f.path, entry.Name())
	name, isTranscript := ParseName(base)
	isIndex, isDatabase, isLink := base == openclaw.IndexName, w.isDatabase(f, base), entry.Type()&fs.ModeSymlink != 0
	if strings.HasSuffix(base, openclaw.LockSuffix) && entry.Type().IsRegular() {
		w.readLock(path)
		return
	}
	if entry.Type().IsRegular() && (w.addKept(f, entry) || w.readNames(path)) || f.isHome {
		return
	}
	if isTranscript && !f.archive.trustsNames() ||
		!isTranscript && !isIndex && !isDatabase && !importedIndex().MatchString(base) && !(isLink && isOurs(base)) {
		w.addUnknown(f, entry)
		return
	}
	if w.opts.NamesOnly && isTranscript && entry.Type().IsRegular() {
		f.files[base] = w.addSession(f, path, name, nil)
		return
	}
	info, err := w.stat(path, entry)
	if isLink && (err != nil || info.IsDir()) {
		w.place.problem(LinkOutside, w.displayPath(path), leadsTo(err))
		return
	}
	if errors.Is(err, fs.ErrNotExist) {
		return // renamed or removed meanwhile
	}
	if err != nil {
		w.place.problem(Unreadable, w.displayPath(path), failure.Reason(err))
		return
	}
	if !info.Mode().IsRegular() {
		w.skip(path, skippedSpecial) // a pipe or a device with the name of a transcript
		return
	}
	switch {
	case isDatabase && entry.Type().IsRegular():
		w.databases = append(w.databases, w.displayPath(path))
	case isTranscript:
		f.files[base] = w.addSession(f, path, w.nameByHeader(path, name), info)
	case isIndex:
		f.indexes = append(f.indexes, path)
	case importedIndex().MatchString(base):
		f.indexes = append(f.indexes, path) // more than one if OpenClaw's migration ran more than once
		f.imported = true
	}
}

// isDatabase reports whether a file has the name of an OpenClaw database that is in use.
func (w *walker) isDatabase(f *folder, base string) bool {
	return base == openclaw.DatabaseName && f.archive == "" || w.family.Has(filepath.Join(w.absolute, f.path), base)
}

// isLinkedFolder reports whether an entry is a link to a folder. Such a link is not followed, wherever it leads.
func (w *walker) isLinkedFolder(entry fs.DirEntry, path string) bool {
	return entry.Type()&fs.ModeSymlink != 0 && openfile.IsFolder(filepath.Join(w.absolute, path))
}

// nameByHeader completes a name that has only the hash of an id.
func (w *walker) nameByHeader(path string, name Name) Name {
	if !hashedStem().MatchString(name.ID) {
		return name
	}
	h, _ := w.head(path) // a file that cannot be read keeps its name
	return name.nameByHeader(h)
}

// addSession adds a transcript. Its size and time stay zero without info.
func (w *walker) addSession(f *folder, path string, name Name, info fs.FileInfo) *Session {
	absolute := filepath.Join(w.absolute, f.path)
	name = name.in(f.archive).of(folderOwner(absolute), absolute)
	s := &Session{
		Agent: f.agent, ID: name.ID, Kind: name.Kind, Generation: name.Generation, Path: w.displayPath(path),
		name: name, inBundle: w.inBundle, histories: &w.histories,
	}
	if info != nil {
		s.Bytes, s.Modified = info.Size(), info.ModTime()
	}
	s.Root, s.Below, s.reach = w.absolute, filepath.ToSlash(path), w.absolute
	stat := func() (fs.FileInfo, error) { return w.root.Stat(path) }
	s.readFile(func() (fs.File, error) { return w.openAny(path) }, stat, false)
	w.place.Sessions = append(w.place.Sessions, s)
	if s.Kind == Live || strings.HasPrefix(s.Generation, "imported-") {
		if first := f.byID[s.ID]; first == nil || first.name.Topic != "" && name.Topic == "" {
			f.byID[s.ID] = s
		}
	}
	return s
}

// openAny opens a file below the root, unless it is a database that is open as such.
func (w *walker) openAny(path string) (fs.File, error) {
	if !w.inBundle && dbfile.AnyInUse() {
		if info, err := w.root.Stat(path); err == nil && dbfile.IsInUse(info) {
			return nil, &fs.PathError{Op: "open", Path: w.displayPath(path), Err: dbfile.ErrInUse}
		}
	}
	return w.root.open(path)
}

// readIndex applies a sessions.json to the files of a folder. It reports whether it could be read.
func (w *walker) readIndex(f *folder, path string) bool {
	shown := w.displayPath(path)
	ix := openclaw.IndexReader{Each: func(e openclaw.Entry) { w.registerEntry(f, e) }}
	ix.Problem = func(p openclaw.IndexProblem) {
		if !f.imported {
			w.place.add(Problem{Code: p.Code, Path: shown, Key: p.Key, Detail: p.Detail})
		}
	}
	file, err := w.openAny(path)
	if err == nil {
		defer file.Close()
		err = ix.Read(file)
	}
	if err != nil {
		w.place.problem(Unreadable, shown, failure.Reason(err))
	}
	return err == nil
}

// register applies the registrations of a folder to its files.
func (w *walker) register(f *folder) {
	for _, s := range f.files {
		s.IsLookedUp = true
	}
	isRegistered := filepath.Base(f.path) == "sessions" && f.path != "sessions" &&
		strings.Contains(filepath.ToSlash(filepath.Join(w.absolute, f.path)), "/agents/")
	for _, path := range f.indexes {
		isRegistered = w.readIndex(f, path) || isRegistered
	}
	if !isRegistered || f.imported {
		return
	}
	for _, s := range f.files {
		if s.Kind == Live && !s.Listed {
			s.Problems = append(s.Problems, Problem{Code: Unlisted, Path: s.Path})
		}
	}
}

func (w *walker) registerEntry(f *folder, e openclaw.Entry) {
	s := f.fileOf(e)
	if s == nil {
		s = w.sameFile(f, e)
	}
	if s == nil {
		w.listed.note(f.agent, e.SessionID, "", e.Key)
	}
	for _, id := range e.Family {
		w.listed.note(f.agent, id, "", e.Key)
	}
	switch {
	case s == nil && !f.imported && !e.Moved:
		w.place.add(Problem{Code: FileMissing, Path: w.displayPath(f.path), Key: e.Key, Detail: e.SessionID})
	case s == nil:
	case s.Listed && s.Key != e.Key:
		s.alias(e.Key)
	default:
		e.Raw = bytes.Clone(e.Raw)
		s.Listed, s.Entry, s.Key = true, e, e.Key
		if s.byContent && !f.imported {
			s.Kind, s.Generation, s.ID = Live, "", cmp.Or(e.SessionID, s.ID) // whatever its name
		}
		if e.Folder != "" && e.Folder != filepath.Join(w.absolute, f.path) && !f.imported && !w.inBundle {
			s.Problems = append(s.Problems, Problem{Code: ForeignPath, Path: s.Path, Key: e.Key, Detail: e.Folder})
		}
	}
}

// alias adds another key of a session. No session has many.
func (s *Session) alias(key string) {
	if len(s.Aliases) < maxProblems {
		s.Aliases = append(s.Aliases, key)
	}
	s.tally.add(&s.Problems, Problem{Code: SharedFile, Path: s.Path, Key: key, Detail: key})
}

// fileOf finds the transcript of an entry: by the file name in the entry, by its id as the name, or by its id within a
// name.
func (f *folder) fileOf(e openclaw.Entry) *Session {
	if s := f.files[e.File]; s != nil {
		return s
	}
	if s := f.files[e.SessionID+".jsonl"]; s != nil {
		return s
	}
	return f.byID[e.SessionID]
}

// sameFile finds the transcript of an entry that spells its name otherwise than the folder does: in another case, or
// with accents written in the other way. Only the system knows whether both are one file on its disk.
func (w *walker) sameFile(f *folder, e openclaw.Entry) *Session {
	if f.folded == nil {
		f.folded = map[string]*Session{}
		for name, s := range f.files {
			f.folded[portable.Fold(name)] = s
		}
	}
	name := cmp.Or(e.File, e.SessionID+suffix)
	s := f.folded[portable.Fold(name)]
	if s == nil || portable.Check(name) != "" {
		return nil
	}
	named, err := w.root.Lstat(filepath.Join(f.path, name))
	if err != nil {
		return nil
	}
	if found, err := w.root.Lstat(filepath.FromSlash(s.Below)); err != nil || !os.SameFile(named, found) {
		return nil
	}
	return s
}

// openDatabases adds the sessions of OpenClaw's databases.
func (w *walker) openDatabases() {
	for _, path := range w.databases {
		db, err := openDatabase(w.ctx, path, w.opts)
		below := w.relativePath(path)
		if errors.Is(err, openclaw.ErrNoTranscripts) {
			w.skip(below, SkippedBareDB)
			continue
		}
		agent := cmp.Or(w.family.AgentOf(filepath.Join(w.absolute, below)), agentOf(w.absolute, below))
		if err == nil {
			var cold map[string]*Session
			cold, err = w.place.addDatabase(w.ctx, db, w.absolute, below, agent)
			w.cold = append(w.cold, cold)
		} else {
			w.place.owns(path, agent)
		}
		if err != nil {
			w.place.Problems = append(w.place.Problems,
				Problem{Code: BadDatabase, Path: path, Detail: failure.Reason(err), Err: err})
		}
	}
}

// nameCold gives files in cold storage the identity that the database records for them.
func (w *walker) nameCold() {
	for _, cold := range w.cold {
		for _, s := range w.place.Sessions {
			if known := cold[filepath.Base(s.Path)]; known != nil && known.Agent == s.Agent && !s.InDatabase {
				s.ID, s.Key, s.Kind, s.Generation, s.Entry, s.Listed = known.ID, known.Key, known.Kind,
					known.Generation, known.Entry, known.Listed
			}
		}
	}
}

// relativePath is the inverse of displayPath.
func (w *walker) relativePath(path string) string {
	below, err := filepath.Rel(w.place.Path, path)
	if err != nil {
		return path
	}
	return below
}

// displayPath returns a path below the root in the form in which the user named the root.
func (w *walker) displayPath(path string) string {
	if w.inBundle {
		return bundlePath(w.place.Path, path)
	}
	return filepath.Join(w.place.Path, path)
}

func (p *Listing) problem(code failure.Code, path, detail string) {
	p.add(Problem{Code: code, Path: path, Detail: detail})
}

func (p *Listing) add(problem Problem) { p.tally.add(&p.Problems, problem) }
