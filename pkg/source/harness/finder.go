package harness

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/rooted"
	"clawctl/pkg/dialect"
	"clawctl/pkg/source"
)

// A Finder follows the bindings of sessions to files.
type Finder struct {
	// Allowed says that the folders of the programs may be read, which are outside of what was searched.
	Allowed bool
	// Folders are the folders of the programs.
	Folders map[*dialect.Program]string
	// Known are sessions that are read anyway, such as all of a store or a bundle. A binding may lead to one of them.
	Known []*source.Session

	byID       map[string]*source.Session            // the known ones
	states     map[string]*stateReferences           // of the homes that sessions are in
	registered map[string]map[string]*source.Session // of the folders of files that were named, by base name
	listings   map[place]listing                     // of the folders of programs
	homes      map[*source.Session]programHome       // of the sessions that were found in them
	bySpawner  map[string][]*source.Session          // the known ones that others have started, by the ids of those
}

// program returns the row of the program that is meant, or nil.
func (r reference) program() *dialect.Program { return dialect.BackendNamed(r.backend) }

// Find sets the bindings of the sessions.
func (f *Finder) Find(ctx context.Context, sessions []*source.Session) {
	if f.states == nil {
		f.states, f.registered = map[string]*stateReferences{}, map[string]map[string]*source.Session{}
		f.listings, f.homes = map[place]listing{}, map[*source.Session]programHome{}
	}
	for _, s := range sessions {
		if ctx.Err() != nil {
			return
		}
		s.Bindings = nil
		for _, r := range f.references(ctx, s) {
			s.Bindings = append(s.Bindings, f.follow(s, r))
		}
	}
}

// references returns what is recorded about the programs that did the work of a session.
func (f *Finder) references(ctx context.Context, s *source.Session) references {
	var refs references
	s = f.registration(ctx, s)
	if !isBound(s) {
		return nil
	}
	e := readEntry(s.Entry.Raw)
	refs.addEntry(e)
	if state, _, ok := homeOf(s); ok {
		known := f.stateOf(ctx, state)
		for _, r := range slices.Concat(known.byKey[s.Key], known.byID[s.ID]) {
			refs.add(r)
		}
	}
	refs.addSidecar(s)
	if name := e.harness.String(); dialect.BackendNamed(name) != nil {
		refs.add(reference{backend: name})
	}
	return refs
}

// stateOf returns what the state database of a folder says.
func (f *Finder) stateOf(ctx context.Context, folder string) *stateReferences {
	if f.states[folder] == nil {
		f.states[folder] = readState(ctx, folder)
	}
	return f.states[folder]
}

// registration returns a session with what the index beside its file says about it. A file that was named is read
// without its index.
func (f *Finder) registration(ctx context.Context, s *source.Session) *source.Session {
	if s.IsLookedUp || s.Listed || s.InDatabase || s.Kind != source.Live {
		return s
	}
	if _, _, ok := homeOf(s); !ok {
		return s
	}
	folder, base := filepath.Split(s.AbsolutePath())
	if f.registered[folder] == nil {
		f.registered[folder] = registrationsIn(ctx, folder)
	}
	if found := f.registered[folder][base]; found != nil {
		return found
	}
	return s
}

// registrationsIn returns the sessions that the index of a folder names, by the names of their files.
func registrationsIn(ctx context.Context, folder string) map[string]*source.Session {
	sessions := map[string]*source.Session{}
	place, err := source.Find(ctx, folder, source.Options{Fast: true, ByName: true})
	if err != nil {
		return sessions // whoever reads the file says why
	}
	defer place.Close()
	for _, s := range place.Sessions {
		if s.Listed && !s.InDatabase {
			sessions[s.Below] = s
		}
	}
	return sessions
}

// homeOf returns the state folder around a session, and the path of its agent's folder below it. ok is false if the
// session is not in one: it is in a bundle or a store, or anywhere else.
func homeOf(s *source.Session) (state, agent string, ok bool) {
	if s.Root == "" || s.InBundle() || s.InStore() {
		return "", "", false
	}
	path := filepath.Join(s.Root, filepath.FromSlash(strings.TrimSuffix(s.Below, strings.TrimPrefix(s.Place(), s.Path))))
	parts := strings.Split(path, string(filepath.Separator))
	for i := len(parts) - 3; i > 0; i-- {
		if parts[i] == "agents" {
			return strings.Join(parts[:i], string(filepath.Separator)), filepath.Join(parts[i], parts[i+1]), true
		}
	}
	return "", "", false
}

func (f *Finder) follow(s *source.Session, r reference) source.Binding {
	p := r.program()
	b := source.Binding{Harness: r.backend, ID: r.id, Program: p, State: source.BindingUnknown, Elsewhere: r.elsewhere}
	if p == nil {
		return b
	}
	b.Harness, b.State = p.Name, source.BindingMissing
	if r.id == "" {
		return b
	}
	if known := f.knownSession(r.id); known != nil && known != s {
		b.State, b.File, b.Session, b.IsKnown = source.BindingFound, known.Place(), known, true
		return b
	}
	places := f.placesFor(s, p)
	for _, place := range places {
		linked, err := place.session(f, r.id)
		switch {
		case err == nil:
			b.State, b.File, b.Session = source.BindingFound, linked.Path, linked
			f.homes[linked] = programHome{place.root, places}
			return b
		case !errors.Is(err, fs.ErrNotExist):
			b.State = source.BindingNotAllowed // a link leads elsewhere, or the file cannot be read
		}
	}
	if !f.Allowed && b.State == source.BindingMissing && f.Folders[p] != "" {
		b.State = source.BindingNotAllowed
	}
	return b
}

// knownSession returns the session with an id among those that are read anyway, or nil. One that its program has
// archived counts if there is no live one.
func (f *Finder) knownSession(id string) *source.Session {
	if f.byID == nil {
		f.byID = map[string]*source.Session{}
		for _, s := range f.Known {
			if s.Kind == source.Live || s.IsCurrent() && f.byID[s.ID] == nil {
				f.byID[s.ID] = s
			}
		}
	}
	return f.byID[id]
}

// A place is a folder with sessions of a program, below a folder that nothing leads out of.
type place struct{ root, below string }

// placesFor returns where the sessions of a program may be that work for a session: in folders that OpenClaw made for
// its agent, and in the program's own folder if that is allowed.
func (f *Finder) placesFor(s *source.Session, p *dialect.Program) []place {
	var places []place
	if state, agent, ok := homeOf(s); ok {
		for _, pattern := range p.AgentFolders {
			for _, home := range globBelow(state, filepath.Join(agent, "agent", filepath.FromSlash(pattern))) {
				places = append(places, foldersBelow(state, home, p)...)
			}
		}
	}
	if own := f.Folders[p]; f.Allowed && own != "" {
		places = append(places, foldersBelow(own, "", p)...)
	}
	return places
}

// foldersBelow returns the folders with sessions in a home of a program, which is below a root.
func foldersBelow(root, home string, p *dialect.Program) (places []place) {
	for _, name := range p.HomeFolders {
		places = append(places, place{root, filepath.Join(home, name)})
	}
	return places
}

// globBelow returns the folders below a root whose path matches a pattern with at most one star, as its last element.
func globBelow(root, pattern string) []string {
	parent, isStar := strings.CutSuffix(pattern, string(filepath.Separator)+"*")
	if !isStar {
		return []string{pattern}
	}
	entries, _ := rooted.Of(root, filepath.ToSlash(parent)).List() // a folder that cannot be read has none
	var list []string
	for _, entry := range entries {
		list = append(list, filepath.Join(parent, entry.Name()))
	}
	return list
}

// A listing has the files of a folder by the ids in their names.
type listing map[string][]string

// maxDepth is how deep the folders of a program are searched, and maxFiles how many files they may have.
const (
	maxDepth = 6
	maxFiles = 1 << 20
)

// session returns the session with an id. Of several files, the newest by name counts: a thread that was reverted goes
// on in another file.
func (p place) session(f *Finder, id string) (*source.Session, error) {
	paths := f.listingOf(p)[id]
	if len(paths) == 0 {
		return nil, fs.ErrNotExist
	}
	newest := slices.MaxFunc(paths, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	return source.FileIn(p.root, newest)
}

// listingOf lists a folder once.
func (f *Finder) listingOf(p place) listing {
	if f.listings[p] == nil {
		f.listings[p] = list(p)
	}
	return f.listings[p]
}

// list lists the transcripts of a folder. What cannot be read is not listed.
func list(p place) listing {
	found := listing{}
	start, files := filepath.ToSlash(p.below), 0
	_ = rooted.Of(p.root, start).Walk(func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case entry.IsDir() && strings.Count(strings.TrimPrefix(path, start), "/") > maxDepth:
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		if files++; files > maxFiles {
			return fs.SkipAll
		}
		found.add(filepath.FromSlash(path))
		return nil
	})
	return found
}

// add adds a file under every id in its name: that of the session, and that of the thread that it continues.
func (l listing) add(path string) {
	name, ok := source.ParseName(filepath.Base(path))
	if !ok || name.Kind != source.Live {
		return
	}
	l[name.ID] = append(l[name.ID], path)
	stem, _ := source.SplitName(filepath.Base(path))
	if before, isReverted := strings.CutSuffix(stem, "_"+name.ID); isReverted {
		if thread, ok := source.ParseName(before + ".jsonl"); ok {
			l[thread.ID] = append(l[thread.ID], path)
		}
	}
}
