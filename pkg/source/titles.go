package source

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strings"
	"sync"

	"clawctl/internal/openfile"
	"clawctl/internal/pairs"
	"clawctl/internal/parallel"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
)

// Every command calls a session by the last name that its transcript gives it. Without one, the title of its
// registration counts, and then how the session begins.

// A Naming is what the records of a session have called it so far: nil if none says.
type Naming struct{ given, suggested *string }

// Take notes the name in a record, if it has one. An empty one takes the name away.
func (n *Naming) Take(rec *jsonl.Record) {
	if !rec.Legible() || rec.Type() != jsonl.TypeSessionInfo {
		return
	}
	text, _ := rec.SessionName()
	name := new(strings.TrimSpace(text))
	if rec.IsSuggestion() {
		n.suggested = name
	} else {
		n.given = name
	}
}

// takeLine notes the name in a line, if it has one.
func (n *Naming) takeLine(line []byte) {
	p := nameParsers.Get().(*jsonl.Parser)
	defer nameParsers.Put(p)
	n.Take(p.Parse(bytes.TrimPrefix(line, []byte("\ufeff")), 1, 0))
}

var nameParsers = sync.Pool{New: func() any { return new(jsonl.Parser) }}

// Join adds what the records after those of n call the session.
func (n *Naming) Join(later Naming) {
	n.given, n.suggested = cmp.Or(later.given, n.given), cmp.Or(later.suggested, n.suggested)
}

// Name returns the last name that the user gave the session, or else the last one that its program chose.
func (n *Naming) Name() string {
	for _, name := range []*string{n.given, n.suggested} {
		if name != nil && *name != "" {
			return *name
		}
	}
	return ""
}

// Title returns what a session is called after it was read.
func (f *Facts) Title(s *Session) string { return cmp.Or(f.Name, s.Title(), f.FirstText) }

// ReadTitle returns the last name in the transcript of a session, or the title of its registration. It looks only at
// lines that may have a name, which takes a fraction of the time of reading all records. A session that cannot be read
// has the title of its registration.
func (s *Session) ReadTitle(ctx context.Context) string {
	if s.title == nil {
		naming := s.readNaming(ctx)
		if ctx.Err() != nil {
			return s.Title()
		}
		s.SetNaming(naming)
	}
	return *s.title
}

// SetNaming says what the records of the session call it, so that ReadTitle need not read them.
func (s *Session) SetNaming(n Naming) { s.title = new(cmp.Or(n.Name(), s.Title())) }

// readNaming reads the names in the transcript. Of a file, it reads a larger and larger end, until that has the last
// name that the user gave the session.
func (s *Session) readNaming(ctx context.Context) (naming Naming) {
	if s.NameMarks() == nil {
		return naming
	}
	in, err := s.Open()
	if err != nil {
		return naming
	}
	defer in.Close()
	file := in.plainFile()
	if file == nil {
		return s.namingIn(ctx, in, s.Bytes)
	}
	end := in.Size
	for start, err := range jsonl.Ends(file, in.Size) {
		if err != nil {
			break // what was read until then counts
		}
		earlier := s.namingIn(ctx, &part{io.NewSectionReader(file, start, end-start), in, start}, end-start)
		earlier.Join(naming)
		if naming, end = earlier, start; naming.given != nil && *naming.given != "" || ctx.Err() != nil {
			break
		}
	}
	return naming
}

// A part of a plain file can be looked at where it lies.
type part struct {
	*io.SectionReader
	in    *Input
	start int64 // in the file
}

// Map returns a view of the part.
func (p *part) Map(offset int64, length int) (*openfile.View, error) {
	return p.in.Map(p.start+offset, int(min(int64(length), p.Size()-offset)))
}

// smallText is the size of a text that one core looks through.
const smallText = 1 << 20

// namingIn reads the names in a text of about a size.
func (s *Session) namingIn(ctx context.Context, text io.Reader, size int64) (naming Naming) {
	newLook := func() func(*jsonl.Batch) Naming {
		marks := s.NameMarks()
		return func(b *jsonl.Batch) (found Naming) {
			if b.Look(func(text []byte) { found = NamingIn(text, marks) }) != nil {
				return Naming{} // it became shorter
			}
			return found
		}
	}
	opts := jsonl.Options{Jobs: parallel.Share(0, size, smallText)}
	for found, err := range jsonl.LookThrough(ctx, text, opts, newLook) {
		if err != nil {
			break // what was read until then counts
		}
		naming.Join(found)
	}
	return naming
}

// NameMarks returns words of which a line has one if it may name the session. A store has sessions of every program. A
// stream has none, because it can be read only once.
func (s *Session) NameMarks() []pairs.Word {
	if mayBeRead := s.InDatabase || s.Bytes > 0; !mayBeRead {
		return nil
	}
	marks := []string{nameMark}
	if owner := s.FolderOwner(); s.InStore() {
		for _, p := range dialect.Table {
			marks = append(marks, p.NameMarks...)
		}
	} else if owner != nil && owner.NameMarks != nil {
		marks = owner.NameMarks
	}
	words := make([]pairs.Word, len(marks))
	for i, mark := range marks {
		words[i] = pairs.NewWord(mark, false)
	}
	return words
}

// nameMark is the end of the type of a record with a name.
var nameMark = jsonl.TypeSessionInfo[len("session"):] + `"`

// NamingIn returns what the lines of a text call their session. marks are the session's NameMarks.
func NamingIn(text []byte, marks []pairs.Word) (naming Naming) {
	next := make([]int, len(marks)) // the next place of each
	for i := range next {
		next[i] = -1
	}
	for from := 0; ; {
		first := len(text)
		for i := range marks {
			if next[i] < from {
				if next[i] = marks[i].Next(text, from); next[i] < 0 {
					next[i] = len(text)
				}
			}
			first = min(first, next[i])
		}
		if first == len(text) {
			return naming
		}
		start := jsonl.LastNewline(text[:first]) + 1
		line, _, _ := bytes.Cut(text[start:], []byte("\n"))
		naming.takeLine(bytes.Clone(line))
		from = start + len(line) + 1
	}
}
