package source

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"clawctl/internal/parallel"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
)

// Every command calls a session by the last name that its transcript gives it. Without one, the title of its
// registration counts, and then how the session begins.

// StatedName returns the name that a record gives its session. An empty one takes the name away. ok is false for all
// other records.
func StatedName(rec *jsonl.Record) (name string, ok bool) {
	if !rec.Legible() || rec.Type() != jsonl.TypeSessionInfo {
		return "", false
	}
	name, _ = rec.SessionName()
	return strings.TrimSpace(name), true
}

// A Naming is what the records of a session have called it so far: nil if none says.
type Naming struct{ given, suggested *string }

// Take notes the name in a record, if it has one.
func (n *Naming) Take(rec *jsonl.Record) {
	name, ok := StatedName(rec)
	switch {
	case !ok:
	case rec.IsSuggestion():
		n.suggested = new(name)
	default:
		n.given = new(name)
	}
}

// TakeLine notes the name in a line, if it has one.
func (n *Naming) TakeLine(line []byte) {
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
func (s *Session) ReadTitle() string {
	if s.title == nil {
		s.SetNaming(s.readNaming())
	}
	return *s.title
}

// SetNaming says what the records of the session call it, so that ReadTitle need not read them.
func (s *Session) SetNaming(n Naming) { s.title = new(cmp.Or(n.Name(), s.Title())) }

// readNaming reads the names in the transcript.
func (s *Session) readNaming() (naming Naming) {
	marks := s.NameMarks()
	if marks == nil {
		return naming
	}
	in, err := s.Open()
	if err != nil {
		return naming
	}
	defer in.Close()
	for lines, err := range linesWith(in, marks, parallel.Share(0, s.Bytes, smallText)) {
		if err != nil {
			break // what was read until then counts
		}
		for _, line := range lines {
			naming.TakeLine(line)
		}
	}
	return naming
}

// NameMarks returns words of which a line has one if it may name the session. A store has sessions of every program. A
// stream has none, because it can be read only once.
func (s *Session) NameMarks() [][]byte {
	if mayBeRead := s.InDatabase || s.Bytes > 0; !mayBeRead {
		return nil
	}
	if s.InStore() {
		return slices.Concat(nameMarks, marksOf(dialect.Table...))
	}
	if owner := s.FolderOwner(); owner != nil && owner.NameMarks != nil {
		return marksOf(owner)
	}
	return nameMarks
}

// marksOf returns the words of programs.
func marksOf(programs ...*dialect.Program) (marks [][]byte) {
	for _, p := range programs {
		for _, mark := range p.NameMarks {
			marks = append(marks, []byte(mark))
		}
	}
	return marks
}

// nameMarks has the end of the type of a record with a name. A rare letter comes first, so it is found quickly.
var nameMarks = [][]byte{[]byte(jsonl.TypeSessionInfo[len("session"):] + `"`)}

// smallText is the size of a text that one core looks through.
const smallText = 1 << 20

// linesWith returns the lines of a text that contain one of some words, those of one batch after the other.
func linesWith(text io.Reader, words [][]byte, jobs int) iter.Seq2[[][]byte, error] {
	look := func(b *jsonl.Batch) (lines [][]byte) {
		err := b.Look(func(text []byte) { lines = linesOf(text, words) })
		if err != nil {
			return nil // it became shorter
		}
		return lines
	}
	opts := jsonl.Options{Jobs: jobs}
	return jsonl.LookThrough(context.Background(), text, opts, func() func(*jsonl.Batch) [][]byte { return look })
}

// linesOf returns copies of the lines of a text that contain one of some words.
func linesOf(text []byte, words [][]byte) (lines [][]byte) {
	for len(text) > 0 {
		at := firstIndex(text, words)
		if at < 0 {
			break
		}
		from := bytes.LastIndexByte(text[:at], '\n') + 1
		line, rest, _ := bytes.Cut(text[from:], []byte("\n"))
		lines = append(lines, bytes.Clone(line))
		text = rest
	}
	return lines
}

func firstIndex(text []byte, words [][]byte) int {
	first := -1
	for _, word := range words {
		if at := bytes.Index(text, word); at >= 0 {
			first, text = at, text[:at]
		}
	}
	return first
}
