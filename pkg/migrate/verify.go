package migrate

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"sync"

	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsonl/content"
	"clawctl/pkg/source"
	"clawctl/pkg/source/hold"
	"clawctl/pkg/store"
)

// A Relation says how the text of a source compares with that of a session in the target.
type Relation string

// The relations, best first.
const (
	Identical  Relation = "identical"
	Equivalent Relation = "equivalent" // the content is the same, written differently
	Extra      Relation = "extra"      // the target has all of it, and more
	Prefix     Relation = "prefix"     // the target has its beginning
	Conflict   Relation = "conflict"   // they differ after some line
	Absent     Relation = "absent"     // the target has no such session
	Unreadable Relation = "unreadable"
)

// relations lists all relations, best first.
var relations = []Relation{Identical, Equivalent, Extra, Prefix, Conflict, Absent, Unreadable}

// A Proof is the result of comparing one source with a target.
type Proof struct {
	Session  *source.Session
	Relation Relation
	Target   *source.Session // the session it was compared with, or nil if absent
	Line     int64           // the first line that differs or is missing from the target
	Lines    int64           // of the source, without blank lines
	Dialect  jsonl.Dialect   // of the source; unknown if it has no record that clawctl understands
	OnlyHere []int64         // the first lines whose content is nowhere in the target
	Missing  int64           // the number of such lines
	Keep     Keep            // why the source is not safe to delete although it is complete
	Err      error
	// Holders are the sessions of the target that together have every line that was found.
	Holders []*source.Session

	stamp   store.Stamp // of the source before it was read
	respelt bool        // some lines have the same content as in the target, but other bytes
}

// Sources returns the sessions that were compared.
func Sources(proofs []Proof) (sessions []*source.Session) {
	for i := range proofs {
		sessions = append(sessions, proofs[i].Session)
	}
	return sessions
}

// maxOnlyHere is the maximum number of lines that a proof lists.
const maxOnlyHere = 100

// VerifyOptions change how Verify works.
type VerifyOptions struct {
	Jobs     int // how many sources are read at a time; one per core if not positive
	Progress func(bytes int64)
	Holds    hold.Options
	// InTrash says that the sources are files in clawctl's trash, which no other program can need.
	InTrash bool

	ContentOnly  bool // do not look for reasons to keep a source
	ExpectedOnly bool // compare only with the sessions that have the path, id or key of a source
	EveryLine    bool // list every missing line, however many there are
}

// Verify compares sources with a target by content. It searches all sessions of the target for records that are not in
// the expected place.
func Verify(ctx context.Context, sources []*source.Session, target *Target, opts VerifyOptions) ([]Proof, error) {
	v := &verifier{ctx: ctx, target: target, opts: opts}
	v.proofs, v.missing = make([]Proof, len(sources)), make([][]missingLine, len(sources))
	v.parallel(len(sources), func(i int, readers *[2]jsonl.Reader) { v.verifyOne(i, sources[i], readers) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v.search()
	if opts.ContentOnly {
		return v.proofs, ctx.Err()
	}
	if err := v.decideSafety(); err != nil {
		return nil, err
	}
	return v.proofs, ctx.Err()
}

type verifier struct {
	ctx    context.Context
	target *Target
	opts   VerifyOptions

	proofs  []Proof
	missing [][]missingLine
	mu      sync.Mutex // guards Progress
}

// A missingLine is a line that the target does not have in the expected place.
type missingLine struct {
	line int64
	sum  content.Sum
}

// parallel runs tasks, Jobs of them at a time. The caller checks the context.
func (v *verifier) parallel(n int, task func(i int, readers *[2]jsonl.Reader)) {
	newReaders := func() *[2]jsonl.Reader { return &[2]jsonl.Reader{} }
	_ = parallel.Run(v.ctx, n, v.opts.Jobs, newReaders, func(_ context.Context, readers *[2]jsonl.Reader, i int) error {
		task(i, readers)
		return nil
	})
}

// verifyOne compares one source with every candidate until one is identical.
func (v *verifier) verifyOne(i int, s *source.Session, readers *[2]jsonl.Reader) {
	best := Proof{Session: s, Relation: Absent}
	stamp, stampErr := s.Stamp()
	var missing []missingLine
	first := true
	for _, t := range v.target.Expected(s) {
		p, lines := v.compare(s, t, readers)
		if first || isBetter(&p, &best) {
			best, missing, first = p, lines, false
		}
		if best.Relation == Identical {
			break
		}
	}
	if best.Target == nil && best.Err == nil {
		best, missing = v.compare(s, nil, readers)
	}
	best.stamp, best.Err = stamp, cmp.Or(best.Err, stampErr)
	v.proofs[i], v.missing[i] = best, missing
	if v.opts.Progress != nil {
		v.mu.Lock()
		v.opts.Progress(s.Bytes)
		v.mu.Unlock()
	}
}

func isBetter(a, b *Proof) bool {
	ra, rb := slices.Index(relations, a.Relation), slices.Index(relations, b.Relation)
	return ra < rb || ra == rb && a.Line > b.Line
}

// compare reads a source and a session of the target side by side, or the source alone. It returns the lines that the
// target does not have in the same place.
func (v *verifier) compare(s, t *source.Session, readers *[2]jsonl.Reader) (Proof, []missingLine) {
	p := Proof{Session: s, Target: t, Relation: Identical}
	failed := func(err error) (Proof, []missingLine) {
		p.Relation, p.Err = Unreadable, err
		return p, nil
	}
	here, err := v.open(s, &readers[0])
	if err != nil {
		return failed(err)
	}
	defer here.Close()
	there := &lineReader{ended: true}
	if t != nil {
		if there, err = v.open(t, &readers[1]); err != nil {
			return failed(err)
		}
		defer there.Close()
	}
	missing, err := v.walk(&p, here, there)
	if err != nil {
		return failed(err)
	}
	p.Dialect = here.reader.Dialect()
	if t == nil {
		p.Relation, p.Line = Absent, 0
	} else if p.Relation != Conflict {
		if err := v.target.check(v.ctx, t, p.respelt || p.Relation == Extra); err != nil {
			p.Relation, p.Err = Conflict, err
		}
	}
	return p, missing
}

// walk compares line by line. After the first difference, it collects every line to be searched elsewhere.
func (v *verifier) walk(p *Proof, here, there *lineReader) (missing []missingLine, err error) {
	for parted := false; ; here.consume() {
		a, err := here.peek()
		if err == io.EOF {
			return missing, v.walkRest(p, there)
		}
		if err != nil {
			return nil, err
		}
		if !a.Continued {
			p.Lines++
		}
		if !parted {
			relation, err := v.match(a, there)
			if err != nil {
				return nil, err
			}
			switch {
			case relation == Identical:
				continue
			case relation == Equivalent:
				p.Relation, p.respelt = Equivalent, true
				continue
			case relation == Extra:
				p.Relation = Extra
				return nil, nil
			}
			parted, p.Relation, p.Line = true, relation, a.Line
		}
		if !a.Blank {
			missing = append(missing, missingLine{a.Line, content.Of(a, &here.buf)})
		}
	}
}

// match compares a line of the source with the next line of the target, which it consumes if both have the same
// content. Blank lines have none.
func (v *verifier) match(a *jsonl.Record, there *lineReader) (Relation, error) {
	relation := Identical
	for {
		b, err := there.peek()
		switch {
		case err != nil && err != io.EOF:
			return "", err
		case err == nil && v.isSameLine(a, b):
			there.consume()
			return relation, nil
		case a.Blank:
			return Equivalent, nil
		case err == io.EOF:
			return Prefix, nil
		case b.Blank:
			there.consume()
			relation = Equivalent
			continue
		case endsWithin(a, b):
			return Extra, nil
		case content.Of(a, &there.buf) == content.Of(b, &there.buf):
			there.consume()
			return Equivalent, nil
		}
		return Conflict, nil
	}
}

// walkRest reads on in the target where the source has ended.
func (v *verifier) walkRest(p *Proof, there *lineReader) error {
	for p.Relation == Identical || p.Relation == Equivalent {
		b, err := there.peek()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case b.Blank:
			p.Relation, p.respelt = Equivalent, true
		default:
			p.Relation = Extra
		}
		there.consume()
	}
	return nil
}

// endsWithin reports whether the source ends within a line that the target has in full.
func endsWithin(last, line *jsonl.Record) bool {
	isPiece := last.Damage != nil && last.Damage.Code == jsonl.TooLong
	return !isPiece && last.LineEnd() == "" && bytes.HasPrefix(line.Raw, last.Raw)
}

// isSameLine reports whether two lines are the same, as far as the target preserves them.
func (v *verifier) isSameLine(a, b *jsonl.Record) bool {
	if v.target.exact {
		return bytes.Equal(a.Raw, b.Raw)
	}
	return bytes.Equal(a.Text(), b.Text())
}

// A lineReader reads the lines of one session.
type lineReader struct {
	in     *source.Input
	reader *jsonl.Reader
	exact  bool // blank lines count
	ended  bool
	next   *jsonl.Record
	buf    []byte
}

func (v *verifier) open(s *source.Session, reader *jsonl.Reader) (*lineReader, error) {
	in, err := s.Open()
	if err != nil {
		return nil, err
	}
	reader.Reset(in, jsonl.Options{BeforeRead: v.ctx.Err})
	return &lineReader{in: in, reader: reader, exact: v.target.exact}, nil
}

// peek returns the next line. It skips blank lines unless every byte counts.
func (l *lineReader) peek() (*jsonl.Record, error) {
	for l.next == nil {
		if l.ended {
			return nil, io.EOF
		}
		rec, err := l.reader.Next()
		if errors.Is(err, store.ErrIncomplete) {
			err = io.EOF // the rest of the source is missing
		}
		if err != nil {
			l.ended = err == io.EOF
			return nil, err
		}
		if l.exact || !rec.Blank {
			l.next = rec
		}
	}
	return l.next, nil
}

// consume moves to the line after the one that was peeked.
func (l *lineReader) consume() { l.next = nil }

func (l *lineReader) Close() error {
	if l.in == nil {
		return nil
	}
	return l.in.Close()
}

// search searches all of the target for the lines that are not in the expected place, and notes those it does not find.
func (v *verifier) search() {
	found := map[content.Sum]int{} // 1 and the index of the first session that has the line, or 0
	for i := range v.proofs {
		v.proofs[i].addHolder(v.proofs[i].Target)
		for _, m := range v.missing[i] {
			found[m.sum] = 0
		}
	}
	if len(found) == 0 {
		return
	}
	var mu sync.Mutex
	where := v.searched()
	v.parallel(len(where), func(i int, readers *[2]jsonl.Reader) {
		v.searchIn(where, i, found, &mu, &readers[0])
	})
	for i := range v.proofs {
		p := &v.proofs[i]
		last := int64(0)
		for _, m := range v.missing[i] {
			if at := found[m.sum]; at > 0 {
				p.addHolder(where[at-1])
				continue
			}
			if m.line == last {
				continue // a line that is read in pieces counts once
			}
			last = m.line
			p.Missing++
			if len(p.OnlyHere) < maxOnlyHere || v.opts.EveryLine {
				p.OnlyHere = append(p.OnlyHere, m.line)
			}
		}
	}
}

// addHolder notes a session that has lines of the source.
func (p *Proof) addHolder(s *source.Session) {
	if s != nil && !slices.Contains(p.Holders, s) {
		p.Holders = append(p.Holders, s)
	}
}

// searched returns the sessions of the target in which missing lines are searched for.
func (v *verifier) searched() []*source.Session {
	if !v.opts.ExpectedOnly {
		return v.target.Sessions
	}
	var list []*source.Session
	seen := map[*source.Session]bool{}
	for i := range v.proofs {
		if len(v.missing[i]) == 0 {
			continue
		}
		for _, t := range v.target.Expected(v.proofs[i].Session) {
			if !seen[t] {
				seen[t] = true
				list = append(list, t)
			}
		}
	}
	return list
}

// searchIn marks the lines that a session has. A session that cannot be read to its end, or whose text is not the one
// that its digest was made of, has none.
func (v *verifier) searchIn(
	where []*source.Session, i int, sums map[content.Sum]int, mu *sync.Mutex, reader *jsonl.Reader,
) {
	t := where[i]
	in, err := t.Open()
	if err != nil {
		return
	}
	defer in.Close()
	digest := sha256.New()
	var text io.Reader = in
	if v.target.exact {
		text = io.TeeReader(in, digest)
	}
	var found []content.Sum
	var buf []byte
	for rec, err := range reader.Records(text, jsonl.Options{BeforeRead: v.ctx.Err}) {
		if err != nil {
			return
		}
		if rec.Blank {
			continue
		}
		sum := content.Of(rec, &buf)
		mu.Lock()
		if _, wanted := sums[sum]; wanted {
			found = append(found, sum)
		}
		mu.Unlock()
	}
	if !v.target.hasDigest(t, digest) {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	for _, sum := range found {
		if sums[sum] == 0 || i+1 < sums[sum] { // the same one in every run
			sums[sum] = i + 1
		}
	}
}

// ErrColumns is the error for a row whose columns do not match its record.
var ErrColumns = errors.New("the row's columns do not match its record")
