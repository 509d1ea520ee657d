package source

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source/openclaw"
)

// FolderOwner returns the program whose folder the session is a file in, or nil.
func (s *Session) FolderOwner() *dialect.Program {
	if s.InDatabase || s.Root == "" {
		return nil
	}
	return folderOwner(s.folder())
}

// folder returns the path of the folder that the session is a file in.
func (s *Session) folder() string {
	return filepath.Dir(filepath.Join(s.Root, filepath.FromSlash(s.Below)))
}

// folderOwner returns the program that a folder belongs to, or nil.
func folderOwner(folder string) *dialect.Program {
	return dialect.FolderOwner(filepath.ToSlash(folder))
}

// CheckOwner returns an error if only the program that wrote a file may change or move it.
func (s *Session) CheckOwner() error {
	if !s.IsFile() {
		return nil
	}
	return s.recognize(false).Dialect.CheckOwner()
}

// of returns the name of a file in a folder of a program, which may keep its archive there.
func (n Name) of(owner *dialect.Program, folder string) Name {
	if owner != nil && owner.IsArchive != nil && owner.IsArchive(filepath.ToSlash(folder)) && n.Kind == Live {
		n.Kind, n.Generation = Archive, archivedByOwner
	}
	return n
}

// archivedByOwner is the generation of a session that its program has moved to its archive.
const archivedByOwner = "archived"

// IsCurrent reports whether the session is live, or its program has archived it as it was.
func (s *Session) IsCurrent() bool {
	return s.Kind == Live || s.Kind == Archive && s.Generation == archivedByOwner
}

// SpawnedBy returns the key of the session that started this one as a subagent, or "": the one that its registration,
// its folder or its header names.
func (s *Session) SpawnedBy() string {
	if by := s.Entry.SpawnedBy(); by != "" {
		return by
	}
	owner := s.FolderOwner()
	switch {
	case s.InStore() && !s.Listed && isProgram(s.Agent):
		return s.header().SpawnedBy // its folder is not known any more
	case owner == nil || !owner.NamesByID:
		return ""
	case owner.SpawnedBy != nil:
		return owner.SpawnedBy(filepath.ToSlash(s.folder()))
	}
	return s.header().SpawnedBy
}

// SpawnedAs returns what the session that started this one calls it beside its id, or "".
func (s *Session) SpawnedAs() string {
	if owner := s.FolderOwner(); owner == nil || !owner.NamesByID {
		return ""
	}
	return s.header().SpawnedAs
}

// isProgram reports whether an agent is a program whose sessions are named by their ids.
func isProgram(agent string) bool {
	return slices.ContainsFunc(dialect.Table, func(p *dialect.Program) bool { return p.NamesByID && p.Name == agent })
}

// header returns the header that the text of the session begins with. It looks once.
func (s *Session) header() jsonl.Header {
	var h jsonl.Header
	if s.headed == nil {
		if in, err := s.open(); err == nil {
			h = firstHeader(in)
			in.Close()
		}
		s.headed = &h
	}
	return *s.headed
}

// firstHeader returns the header that a text begins with. If its program writes none, the first row may say which
// session has started this one.
func firstHeader(text io.Reader) jsonl.Header {
	var h jsonl.Header
	for rec, err := range jsonl.Records(text, jsonl.Options{}) {
		if err == nil && rec.Legible() {
			h, _ = rec.Header()
			if p := rec.Translator(); p != nil && p.Spawner != nil {
				h.SpawnedBy = p.Spawner(rec.Stated())
			}
		}
		break
	}
	return h
}

// markStates finds the files that are earlier states of a session. The last of them by name is the session.
func (w *walker) markStates() {
	latest := map[string]*Session{}
	for _, s := range w.place.Sessions {
		if s.name.State != "" && s.Kind == Live &&
			(latest[s.ID] == nil || filepath.Base(latest[s.ID].Path) < filepath.Base(s.Path)) {
			latest[s.ID] = s
		}
	}
	for _, s := range w.place.Sessions {
		if last := latest[s.ID]; last != nil && last != s && s.Kind == Live {
			s.Kind, s.Generation = Reset, "reverted."+s.name.part()
		}
	}
}

// readNames reads a file with names of sessions. It reports whether the file is one.
func (w *walker) readNames(path string) bool {
	at := slices.IndexFunc(dialect.Table, func(p *dialect.Program) bool {
		return p.NamesFile != "" && p.NamesFile == filepath.Base(path)
	})
	if at < 0 {
		return false
	}
	file, err := w.openAny(path)
	if err != nil {
		return true // sessions go without names
	}
	defer file.Close()
	for rec, err := range jsonl.Records(file, jsonl.Options{}) {
		if err != nil {
			break
		}
		w.addName(dialect.Table[at].ReadName(rec.Stated())) // the last one counts
	}
	return true
}

// addName notes the name of a session.
func (w *walker) addName(id, name string) {
	if id == "" || len(w.names) == openclaw.MaxEntries {
		return
	}
	if w.names == nil {
		w.names = map[string]string{}
	}
	w.names[id] = name
}

// maxDescription is the largest file that is read for the name of a session.
const maxDescription = 64 << 10

// readDescription reads the name of a session from a file that its program keeps.
func (w *walker) readDescription(owner *dialect.Program, path string) {
	if !w.opts.NamesOnly {
		w.addName(describedIn(owner, path, w.openAny))
	}
}

// describedIn returns the session that a file is about which its program keeps, and its name there. They are "" if the
// file is about something else.
func describedIn[F io.ReadCloser](owner *dialect.Program, path string, open func(string) (F, error)) (id, name string) {
	base := filepath.Base(path)
	if owner.Describes == nil {
		return "", ""
	}
	if id, _ := owner.Describes(base, nil); id == "" {
		return "", ""
	}
	file, err := open(path)
	if err != nil {
		return "", ""
	}
	defer file.Close()
	text, _ := io.ReadAll(io.LimitReader(file, maxDescription)) // without it, the session has no name
	for rec, err := range jsonl.Records(bytes.NewReader(text), jsonl.Options{}) {
		if err == nil {
			return owner.Describes(base, rec.Stated())
		}
		break
	}
	return "", ""
}

// nameThreads gives sessions the names that other files have for them.
func (w *walker) nameThreads() {
	for _, s := range w.place.Sessions {
		if owner := s.FolderOwner(); len(w.names) > 0 && owner != nil && owner.NamesByID {
			s.Entry.Display = cmp.Or(s.Entry.Display, w.names[s.ID])
		}
	}
}

// addKept notes a file that belongs to a session of the program that owns its folder. It reports whether it is one.
func (w *walker) addKept(f *folder, entry fs.DirEntry) bool {
	folder := filepath.Join(w.absolute, f.path)
	owner := folderOwner(folder)
	if owner == nil || owner.Keeps == nil || !owner.Keeps(filepath.ToSlash(folder), entry.Name()) {
		return false
	}
	path := filepath.Join(f.path, entry.Name())
	kept := MediaFile{Below: filepath.ToSlash(path), Name: entry.Name(), Limit: maxResult}
	w.place.kept = append(w.place.kept, kept.of(entry, w.openAny))
	w.readDescription(owner, path)
	return true
}

// KeptBy returns the files that programs keep beside sessions and that belong to some of them.
func (p *Listing) KeptBy(sessions []*Session) []MediaFile {
	var list []MediaFile
	folders := map[string]bool{}
	for _, s := range sessions {
		stem, _ := SplitName(path.Base(s.Below))
		folders[path.Join(path.Dir(s.Below), stem)] = true
		folders[path.Dir(s.Below)] = s.SpawnedBy() != "" // with what is known of a subagent
	}
	for _, kept := range p.kept {
		for folder := path.Dir(kept.Below); folder != "."; folder = path.Dir(folder) {
			if folders[folder] {
				list = append(list, kept)
				break
			}
		}
	}
	return list
}
