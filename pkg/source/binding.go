package source

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"

	"clawctl/internal/failure"
	"clawctl/internal/rooted"
	"clawctl/internal/spool"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// A Binding is what OpenClaw recorded about the session of another program that did the work of one of its sessions.
// Package harness finds bindings, and nobody else does.
type Binding struct {
	Harness string       // the name of the program
	ID      string       // of its session
	State   BindingState // what its file is
	File    string       // the path of its file, if State is BindingFound or BindingOther
	// Program is the row of the program, or nil if clawctl does not know its files.
	Program *dialect.Program
	// Session is the session in that file. It is nil without one.
	Session *Session
	// IsKnown says that the session is also read on its own, as those of a store are.
	IsKnown bool
	// Elsewhere says that the registration of the session does not have it, but a file beside it or another database.
	Elsewhere bool
	// Subagents are the sessions that it has started and that are in files of their own, and theirs.
	Subagents []*Session
}

// Files returns the sessions of the other program: its own, and those of its subagents.
func (b *Binding) Files() []*Session {
	if b.Session == nil {
		return nil
	}
	return append([]*Session{b.Session}, b.Subagents...)
}

// Title returns the name of the program as people write it.
func (b *Binding) Title() string {
	if b.Program != nil {
		return b.Program.Title
	}
	return b.Harness
}

// bindingNotes are what a list says after the name of the program.
var bindingNotes = map[BindingState]string{
	BindingMissing: ": no file", BindingNotAllowed: ": not read", BindingOther: ": another conversation",
}

// Problem returns the code of what is wrong with a binding, or "".
func (b *Binding) Problem() failure.Code {
	switch {
	case b.State == BindingMissing && b.ID != "":
		return HarnessLost
	case b.State == BindingOther:
		return HarnessOther
	}
	return ""
}

// Note says in a few words which program did the work, and what is wrong with its file.
func (b *Binding) Note() string {
	if b.ID == "" {
		return "by " + b.Title() + ": no id recorded"
	}
	return "by " + b.Title() + bindingNotes[b.State]
}

// A BindingState says what became of the file that a binding leads to.
type BindingState string

// The states of a binding. Programs match on them.
const (
	BindingFound      BindingState = "found"
	BindingMissing    BindingState = "missing"              // no file has the id
	BindingNotAllowed BindingState = "not_allowed"          // the file may be where the user has allowed nothing
	BindingOther      BindingState = "another_conversation" // the file has none of the prompts and answers
	BindingUnknown    BindingState = "unknown_program"      // clawctl does not read the sessions of the program
)

// An Origin is the place of a line of a joined session: a line of its own file, or of a session that did its work.
type Origin struct {
	Path   string
	Line   int64
	Offset int64
}

// A join is the text of a session together with those that did its work.
type join struct {
	text    *spool.Section
	omitted *spool.Section // the lines that are left out of it, because the other program has them too
	origins []Origin       // of each line of the text
	alone   *Session       // as it was
	lines   int64          // how many of them are from other programs
}

// Join makes the session read a text that has the records of other programs in it, which did its work. origins has a
// line for each of its lines, in order, and omitted is what was left out. lines is how many lines are from the others.
// The identity of the session stays, and so does its size.
func (s *Session) Join(text, omitted *spool.Section, origins []Origin, lines int64) {
	alone := s.Alone()
	s.joined = &join{text, omitted, origins, alone, lines}
	raw := s.raw
	s.readFile(func() (fs.File, error) { return text.Open(), nil }, text.Stat, false)
	s.raw = raw
}

// Alone returns the session without those that did its work.
func (s *Session) Alone() *Session {
	if s.joined != nil {
		return s.joined.alone
	}
	alone := *s
	return &alone
}

// Linked returns the sessions of other programs that did the work of sessions, without those that are among them.
func Linked(sessions []*Session) []*Session {
	var linked []*Session
	known := map[string]bool{}
	for _, s := range sessions {
		known[s.Place()] = true
	}
	for _, s := range sessions {
		for i := range s.Bindings {
			for _, other := range s.Bindings[i].Files() {
				if !known[other.Place()] {
					known[other.Place()] = true
					linked = append(linked, other)
				}
			}
		}
	}
	return linked
}

// DropOtherBindings forgets the bindings that lead to another conversation.
func (s *Session) DropOtherBindings() {
	s.Bindings = slices.DeleteFunc(s.Bindings, func(b Binding) bool { return b.State == BindingOther })
}

// TakeLinked adds the linked sessions that are in one of the match's places, such as a store, and returns the others,
// which are files.
func (m *Match) TakeLinked() []*Session {
	var files []*Session
	for _, s := range Linked(m.Sessions) {
		if s.InDatabase || s.inBundle {
			m.Sessions = append(m.Sessions, s)
		} else {
			files = append(files, s)
		}
	}
	return files
}

// Alone returns sessions without those that did their work.
func Alone(sessions []*Session) (alone []*Session) {
	for _, s := range sessions {
		alone = append(alone, s.Alone())
	}
	return alone
}

// BindingsMember is the member of a registration in which clawctl keeps the bindings that OpenClaw records elsewhere,
// when a session leaves its home. It has the ids of the sessions by the names of their programs.
const BindingsMember = "clawctlBindings"

// Registration returns the entry of a session as it is taken along: with the bindings that are recorded elsewhere.
func (s *Session) Registration() jsonl.Value {
	ids := map[string][]string{}
	for i := range s.Bindings {
		if b := &s.Bindings[i]; b.Elsewhere && b.ID != "" {
			ids[b.Harness] = append(ids[b.Harness], b.ID)
		}
	}
	if len(ids) == 0 || !s.Entry.Raw.IsObject() {
		return s.Entry.Raw
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return s.Entry.Raw
	}
	rest := s.Entry.Raw.Without(BindingsMember)
	member := append(append([]byte(`{"`+BindingsMember+`":`), text...), ',')
	if len(rest) == len("{}") {
		member = member[:len(member)-1]
	}
	return append(member, rest[1:]...)
}

// Workers returns the sessions of other programs that are part of the session's text.
func (s *Session) Workers() []*Session {
	var list []*Session
	if s.joined == nil {
		return nil
	}
	for i := range s.Bindings {
		if b := &s.Bindings[i]; b.State == BindingFound && b.Session != nil {
			list = append(list, b.Session)
		}
	}
	return list
}

// JoinedLines returns how many lines of the session's text are from other programs, which did its work.
func (s *Session) JoinedLines() int64 {
	if s.joined == nil {
		return 0
	}
	return s.joined.lines
}

// OpenOmitted opens the lines of the session that are not part of its text, because a session that did its work has
// them too. ok is false if there are none.
func (s *Session) OpenOmitted() (in *Input, ok bool) {
	if s.joined == nil || s.joined.omitted.Size() == 0 {
		return nil, false
	}
	in, err := fileInput(s.joined.omitted.Open(), s.Path, false)
	return in, err == nil
}

// Origin returns where a line of the session's text is. offset is that of the line in the text.
func (s *Session) Origin(line, offset int64) Origin {
	if s.joined != nil && line > 0 && line <= int64(len(s.joined.origins)) {
		return s.joined.origins[line-1]
	}
	return Origin{s.Path, line, offset}
}

// FileIn returns the session in a file below a folder, which stays inside that folder: a link that leads outside cannot
// be opened.
func FileIn(folder, below string) (*Session, error) {
	return fileIn(folder, below, filepath.Join(folder, below))
}

// fileIn is FileIn for a file that reports call otherwise.
func fileIn(folder, below, shown string) (*Session, error) {
	at := rooted.Of(folder, filepath.ToSlash(below))
	info, err := at.Stat()
	if err != nil {
		return nil, err
	}
	s := rootedFile(filepath.Join(folder, below), at)
	s.Bytes, s.Modified, s.Path = info.Size(), info.ModTime(), shown
	if absolute, err := filepath.Abs(folder); err == nil {
		s.Root, s.Below, s.reach = absolute, filepath.ToSlash(below), absolute
	}
	return s, nil
}

// TrashedFile returns the session in a file that a receipt names as its place in a trash. What is not a regular file
// there cannot be opened, and a link is not followed out of the folder.
func TrashedFile(path string) *Session {
	at := rooted.Of(filepath.Dir(path), filepath.Base(path))
	s := rootedFile(path, at)
	if info, err := at.Stat(); err == nil && info.Mode().IsRegular() {
		s.Bytes, s.Modified = info.Size(), info.ModTime()
	}
	return s
}

// rootedFile returns the session in a file whose name is from data.
func rootedFile(path string, at rooted.Path) *Session {
	open := func() (fs.File, error) {
		if info, err := at.Stat(); err == nil && dbfile.IsInUse(info) {
			return nil, &fs.PathError{Op: "open", Path: path, Err: dbfile.ErrInUse}
		}
		return at.Open()
	}
	s := newFile(path, open)
	s.readFile(open, at.Stat, false)
	return s
}
