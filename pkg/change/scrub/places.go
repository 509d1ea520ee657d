package scrub

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/openfile"
	"clawctl/internal/process"
	"clawctl/pkg/change"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// A Kind says what a place is.
type Kind string

// The kinds of places.
const (
	Transcript      Kind = "transcript"
	Index           Kind = "index"
	Trashed         Kind = "trashed-file"
	Quarantine      Kind = "quarantine"
	Receipt         Kind = "receipt"
	Original        Kind = "kept-original"
	Temporary       Kind = "temporary-file"
	Stored          Kind = "stored-session"
	StoreRest       Kind = "deleted-text"
	StoreBackup     Kind = "store-backup"
	Archived        Kind = "archived-session"
	DatabaseSession Kind = "openclaw-session"
	Database        Kind = "database"
	Other           Kind = "other-file"
	Name            Kind = "file-name"
)

// Words returns the kind for people.
func (k Kind) Words() string { return strings.ReplaceAll(string(k), "-", " ") }

// An Action is what a plan does about a place.
type Action string

// The actions.
const (
	Rewrite Action = "rewrite"
	Forget  Action = "forget" // the text in a receipt
	Delete  Action = "delete"
	Copy    Action = "copy" // for OpenClaw's import
	Leave   Action = "leave"
)

// An Item is a place that has values.
type Item struct {
	Action  Action
	Kind    Kind
	Path    string
	Session string      // in a store or a database
	Agent   string      // of a session in a database
	Counts  map[int]int // how often it has each value, by the index of the value
	Why     string      // it is left

	receipt *change.Receipt
	isKnown bool // the rules find a value there, without being told
}

// Options say where to look.
type Options struct {
	Homes    []string // folders, and single transcripts
	Store    string   // the file of clawctl's store
	Journal  *change.Journal
	UserHome string
}

// A visit calls look with everything that may have a value.
type visit struct {
	ctx     context.Context
	options Options
	look    func(it *Item, text io.Reader) error
	running []string // what is in use, of the homes and the store
	unread  []Unread
	open    *process.Open
	visited map[string]bool     // files
	roots   map[string][]string // where stored sessions came from, outside of the homes
	// packed are the archives of stores, with the names of their files that have the text of a session of the store.
	packed map[string]map[string]bool
}

// An Unread is a file that could not be searched.
type Unread struct {
	Path string
	Err  error
}

// all visits everything.
func (v *visit) all() error {
	v.open, v.visited = process.OpenFiles(), map[string]bool{} // before this process opens anything
	for _, home := range v.options.Homes {
		if err := v.home(home); err != nil {
			return err
		}
	}
	if err := v.receipts(); err != nil {
		return err
	}
	if err := v.store(); err != nil {
		return err
	}
	return v.archives()
}

// home visits a folder, or a single file.
func (v *visit) home(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return v.file(path, &Item{Action: Rewrite, Kind: Transcript, Path: path})
	}
	files, err := v.databases(path)
	if err != nil {
		return err
	}
	return v.folder(path, files)
}

// databases visits the sessions in the databases of a home, and returns those that are files. Nothing else may read a
// database while it is open.
func (v *visit) databases(home string) (files map[string]bool, err error) {
	place, err := source.Find(v.ctx, home, source.Options{Fast: true, Home: v.options.UserHome})
	if err != nil {
		return nil, err
	}
	defer place.Close()
	for _, lock := range place.Locks {
		if lock.IsAlive() {
			v.running = append(v.running, lock.Path)
		}
	}
	v.note(place.Databases...)
	files = map[string]bool{}
	for _, s := range place.Sessions {
		if !s.InDatabase {
			files[filepath.Join(s.Root, filepath.FromSlash(s.Below))] = true
			continue
		}
		it := &Item{Action: Copy, Kind: DatabaseSession, Path: s.Path, Session: s.ID, Agent: s.Agent}
		if s.Kind != source.Live {
			it.Action, it.Why = Leave, "OpenClaw keeps deleted sessions in its database until its own retention ends"
		}
		if err := v.session(s, it); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// note notes which files other processes have open.
func (v *visit) note(paths ...string) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			if held, _ := v.open.Has(info); held {
				v.running = append(v.running, path)
			}
		}
	}
}

// session visits a session in a database of OpenClaw.
func (v *visit) session(s *source.Session, it *Item) error {
	in, err := s.Open()
	if err == nil {
		defer in.Close()
		err = v.look(it, in)
	}
	return v.pass(s.Place(), err)
}

// pass notes that something could not be read, unless the run has ended.
func (v *visit) pass(path string, err error) error {
	if err != nil && v.ctx.Err() == nil && !errors.Is(err, fs.ErrNotExist) {
		v.unread = append(v.unread, Unread{path, err})
	}
	return v.ctx.Err()
}

// folder visits all files of a home. Links are not followed.
func (v *visit) folder(home string, transcripts map[string]bool) error {
	root, err := filepath.EvalSymlinks(home)
	if err != nil {
		return err
	}
	if root, err = filepath.Abs(root); err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case v.ctx.Err() != nil:
			return v.ctx.Err()
		case err != nil:
			return v.pass(path, err)
		case path == v.options.Journal.Folder:
			return fs.SkipDir
		}
		below, _ := filepath.Rel(root, path)
		name := &Item{Action: Leave, Kind: Name, Path: path, Why: "names of files and folders never change"}
		if err := v.look(name, strings.NewReader(filepath.Base(below))); err != nil || !entry.Type().IsRegular() {
			return err
		}
		return v.file(path, classify(path, transcripts[path]))
	})
}

// file visits a file, compressed or not, once. The store has its own visit.
func (v *visit) file(path string, it *Item) error {
	isStore := v.options.Store != "" && strings.HasPrefix(path, v.options.Store)
	if v.visited[path] || isStore && it.Kind != StoreRest && it.Kind != StoreBackup {
		return nil
	}
	v.visited[path], it.Path = true, path
	if it.Kind == Transcript || it.Kind == Index {
		v.note(path)
	}
	in, err := source.OpenRegular(path)
	if err == nil {
		defer in.Close()
		err = v.look(it, in)
	}
	return v.pass(path, err)
}

// classify says what a file of a home is.
func classify(path string, isTranscript bool) *Item {
	base, slashed := filepath.Base(path), filepath.ToSlash(path)
	inTrash := strings.Contains(slashed, "/"+source.TrashFolder+"/")
	switch {
	case atomicfile.IsTemp(base):
		return &Item{Action: Delete, Kind: Temporary}
	case strings.Contains(base, ".quarantine."):
		return &Item{Action: Rewrite, Kind: Quarantine}
	case base == "sessions.json", strings.Contains(base, "sessions.json."):
		return &Item{Action: Rewrite, Kind: Index}
	case filepath.Base(filepath.Dir(path)) == "cold" && (isTranscript || inTrash):
		return &Item{Action: Leave, Kind: Other, Why: "OpenClaw's database knows the file by its digest"}
	case isTranscript:
		return &Item{Action: Rewrite, Kind: Transcript}
	case inTrash && source.TrashedFile(path).IsTranscript():
		return &Item{Action: Rewrite, Kind: Trashed}
	case isDatabase(path):
		return &Item{Action: Leave, Kind: Database, Why: "clawctl never writes to a database of another program"}
	}
	return &Item{Action: Leave, Kind: Other, Why: "not a transcript or an index"}
}

// isDatabase reports whether a file is a SQLite database, or the log of one.
func isDatabase(path string) bool {
	if strings.HasSuffix(path, "-wal") || strings.HasSuffix(path, "-journal") {
		return true
	}
	_, err := dbfile.ReadHeader(path)
	return err == nil
}

// receipts visits the receipts, and the files that changes have replaced and that are still kept.
func (v *visit) receipts() error {
	list, unread, err := v.options.Journal.ReadReceipts()
	if err != nil {
		return err
	}
	for _, e := range unread {
		it := &Item{Action: Leave, Kind: Receipt, Why: "the receipt is damaged"}
		if err := v.file(e.Path, it); err != nil {
			return err
		}
	}
	for _, r := range list {
		if err := v.receipt(r); err != nil {
			return err
		}
		if r.Archive != nil && isThere(r.Path) {
			v.addArchive(r.Path, nil)
		}
	}
	for _, folder := range v.options.ownFolders() {
		entries, _ := os.ReadDir(folder) // it may not be there
		for _, entry := range entries {
			if !entry.Type().IsRegular() || !atomicfile.IsTemp(entry.Name()) {
				continue
			}
			path := filepath.Join(folder, entry.Name())
			if err := v.file(path, &Item{Action: Delete, Kind: Temporary}); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownFolders returns the folders that only clawctl writes to.
func (o *Options) ownFolders() []string {
	var list []string
	_ = filepath.WalkDir(o.Journal.Folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			list = append(list, path)
		}
		return nil // what cannot be read has nothing of clawctl
	})
	return append(list, filepath.Dir(o.Store))
}

func (v *visit) receipt(r *change.Receipt) error {
	var texts [][]byte
	for _, c := range r.Changes {
		texts = append(texts, c.Old)
	}
	it := &Item{Action: Forget, Kind: Receipt, Path: r.File(), receipt: r}
	if err := v.look(it, bytes.NewReader(bytes.Join(texts, []byte("\n")))); err != nil {
		return err
	}
	for _, o := range r.Originals {
		if err := v.file(o.Path, &Item{Action: Delete, Kind: Original, receipt: r}); err != nil {
			return err
		}
	}
	for _, kept := range r.Beside { // beside a file that may be outside of every home
		it := &Item{Action: Rewrite, Kind: Quarantine}
		if strings.Contains(filepath.Base(kept.Path), "sessions.json.") {
			it.Kind = Index
		}
		if err := v.file(kept.Path, it); err != nil {
			return err
		}
	}
	if r.InTrash() {
		return v.file(r.Moved.To, &Item{Action: Rewrite, Kind: Trashed})
	}
	return nil
}

// store visits clawctl's store: its sessions, what SQLite has not overwritten yet, and its backups.
func (v *visit) store() error {
	path := v.options.Store
	if _, err := os.Stat(path); path == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	v.note(path)
	if err := v.sessions(path); err != nil {
		return err
	}
	for _, file := range []string{path, path + "-wal", path + "-journal"} {
		if err := v.file(file, &Item{Action: Rewrite, Kind: StoreRest}); err != nil {
			return err
		}
	}
	backups, err := filepath.Glob(path + ".schema-*.bak")
	if err != nil {
		return err
	}
	for _, file := range backups {
		if err := v.file(file, &Item{Action: Delete, Kind: StoreBackup}); err != nil {
			return err
		}
	}
	return nil
}

// sessions visits the sessions of a store.
func (v *visit) sessions(path string) error {
	r, err := store.OpenReader(v.ctx, path)
	if errors.Is(err, dbfile.ErrUnfinished) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if err := v.origins(r); err != nil {
		return err
	}
	if err := v.noteArchives(r); err != nil {
		return err
	}
	return r.EachText(v.ctx, func(where, session string, text io.Reader) error {
		it := &Item{Action: Rewrite, Kind: Stored, Path: path, Session: session}
		if where == store.InArchive {
			it.Action, it.Kind, it.Why = Leave, Archived, whyArchived
		}
		err := v.look(it, text)
		var archive *store.ArchiveError
		if errors.As(err, &archive) {
			v.unread, err = append(v.unread, Unread{archive.Path, archive}), nil
		}
		return err
	})
}

// origins notes which sessions of a store came from files outside of the homes that still exist.
func (v *visit) origins(r *store.Reader) error {
	list, err := r.Receipts(v.ctx)
	v.roots = map[string][]string{}
	for _, receipt := range list {
		isNamed := slices.ContainsFunc(v.options.Homes, func(home string) bool {
			return openfile.IsBelow(receipt.Path, home)
		})
		if !isNamed && !receipt.InDatabase && isThere(receipt.Path) {
			v.roots[receipt.SessionKey] = append(v.roots[receipt.SessionKey], receipt.Root)
		}
	}
	return err
}

// mayWrite reports whether clawctl writes the dialect of a transcript.
func mayWrite(path string) bool {
	in, err := source.OpenRegular(path)
	if err != nil {
		return false
	}
	defer in.Close()
	reader := jsonl.NewReader(in, jsonl.Options{})
	for range 1000 {
		if _, err := reader.Next(); err != nil {
			break
		}
		if d := reader.Dialect(); d.IsKnown() {
			return d.Program() != nil && (d.Translated() == nil || d.Translated().MissingResult != nil)
		}
	}
	return reader.Dialect().IsKnown()
}
