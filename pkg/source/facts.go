package source

import (
	"cmp"
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"clawctl/pkg/jsonl"
)

// Facts are the results of reading a transcript once.
type Facts struct {
	Dialect   jsonl.Dialect
	Records   int64
	Damaged   int64
	Bytes     int64 // of the text, decompressed
	First     time.Time
	Last      time.Time
	Name      string // that its records give it
	FirstText string // the beginning of the first user's text, on one line
	HeaderID  string
	Origin    jsonl.Origin
	Project   string // the working directory of a session in a folder of a project
	Parent    string // the file that the session was forked from, as its header has it
	Err       error  // the transcript could not be read to its end

	// CopyOf is the session that has the same bytes or begins with them. It is nil if there is none.
	CopyOf *Session

	// LastRecord is the time of the last record that has one, by which sessions are ordered. Last is later if the clock
	// was set back.
	LastRecord time.Time

	naming    Naming
	ancestor  jsonl.Ancestor
	digest    [sha256.Size]byte
	beginning map[int64][sha256.Size]byte // digests of the first n bytes
}

// A RecordCounter counts the records of a session while they are inspected.
type RecordCounter interface {
	// Prepare returns what jsonl.Options.Prepare is for.
	Prepare() func() func(*jsonl.Record) any
	// Count is called for every record, in order.
	Count(ctx context.Context, rec *jsonl.Record) error
	// End is called after the last record.
	End()
}

// maxTitle is the maximum number of characters of a title.
const maxTitle = 80

// Inspect reads every session once, jobs of them at a time or one per core if jobs <= 0, and returns the facts in the
// same order. Sessions that may be copies of each other, by id or size, are compared by their digests.
func Inspect(ctx context.Context, sessions []*Session, jobs int) []Facts {
	return InspectCounting(ctx, sessions, jobs, nil)
}

// InspectCounting is Inspect with a counter for each session, unless newCounter is nil. It is called with the index of
// the session, by several goroutines at a time.
func InspectCounting(
	ctx context.Context, sessions []*Session, jobs int, newCounter func(i int) RecordCounter,
) []Facts {
	in := &inspection{ctx: ctx, sessions: sessions, facts: make([]Facts, len(sessions)), jobs: jobs,
		newCounter: newCounter}
	in.byID, in.bySize = map[string][]int{}, map[int64]int{}
	for i, s := range sessions {
		in.byID[s.ID] = append(in.byID[s.ID], i)
		in.bySize[s.Bytes]++
	}
	// Compressed sessions come first. The length of their text is not known before, and the others are compared at that
	// length.
	for _, compressed := range []bool{true, false} {
		var order []int
		for i, s := range sessions {
			if isCompressedName(s.Path) == compressed {
				order = append(order, i)
			}
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(sessions[b].Bytes, sessions[a].Bytes) })
		in.run(order)
	}
	in.markCopies()
	return in.facts
}

func isCompressedName(path string) bool {
	return strings.HasSuffix(path, ".zst") || strings.HasSuffix(path, ".gz")
}

// An inspection is one run of Inspect.
type inspection struct {
	ctx      context.Context
	sessions []*Session
	facts    []Facts
	byID     map[string][]int
	bySize   map[int64]int // number of sessions of each size
	jobs     int

	newCounter func(i int) RecordCounter

	mu sync.Mutex // guards facts
}

// run inspects the sessions of a list, the largest first.
func (in *inspection) run(order []int) {
	sessions := make([]*Session, len(order))
	for n, i := range order {
		sessions[n] = in.sessions[i]
	}
	read := func(ctx context.Context, o *Opened) (Facts, error) { return in.inspect(ctx, o, order[o.Number]), nil }
	// A canceled inspection returns what it has. The caller checks the context.
	_ = Each(in.ctx, sessions, in.jobs, read, func(n int, f Facts, err error) error {
		f.Err = cmp.Or(f.Err, err)
		in.mu.Lock()
		defer in.mu.Unlock()
		in.facts[order[n]] = f
		return nil
	})
}

func (in *inspection) inspect(ctx context.Context, o *Opened, i int) Facts {
	in.mu.Lock()
	lengths := in.lengths(i)
	in.mu.Unlock()
	count := func(*jsonl.Record) error { return nil }
	if in.newCounter != nil {
		counter := in.newCounter(i)
		defer counter.End()
		o.Options.Prepare = counter.Prepare()
		count = func(rec *jsonl.Record) error { return counter.Count(ctx, rec) }
	}
	return inspect(o, lengths, count)
}

// lengths returns the lengths at which the digest of a session is taken: those of the other sessions with its id. It
// returns nil if the session cannot be a copy.
func (in *inspection) lengths(i int) []int64 {
	s := in.sessions[i]
	group := in.byID[s.ID]
	if s.Bytes == 0 || len(group) < 2 && in.bySize[s.Bytes] < 2 {
		return nil
	}
	lengths := []int64{}
	for _, j := range group {
		length := in.facts[j].Bytes
		if length == 0 && !isCompressedName(in.sessions[j].Path) {
			length = in.sessions[j].Bytes
		}
		if j != i && length > 0 {
			lengths = append(lengths, length)
		}
	}
	slices.Sort(lengths)
	return slices.Compact(lengths)
}

func inspect(o *Opened, lengths []int64, count func(*jsonl.Record) error) (f Facts) {
	stream := o.Input.Reader
	var d *digester
	if lengths != nil {
		d = &digester{src: stream, hash: sha256.New(), lengths: lengths, at: map[int64][sha256.Size]byte{}}
		stream = d
	}
	reader := o.LinesOf(stream)
	for rec, err := range reader.All() {
		if err == nil {
			err = count(rec)
		}
		if err != nil {
			f.Err = err
			break
		}
		f.take(rec)
	}
	f.Dialect = reader.Dialect()
	if o.Session.FolderOwner() != nil { // elsewhere the folders are not those of projects
		f.Project = f.Origin.Folder
	}
	if d != nil {
		f.digest, f.beginning = d.sum(), d.at
	}
	return f
}

// take counts one record.
func (f *Facts) take(rec *jsonl.Record) {
	f.Bytes += int64(len(rec.Raw))
	if rec.Damage != nil && !rec.Continued {
		f.Damaged++
	}
	if !rec.Legible() {
		return
	}
	f.Records++
	if t, ok := rec.Time(); ok {
		if f.First.IsZero() || t.Before(f.First) {
			f.First = t
		}
		if t.After(f.Last) {
			f.Last = t
		}
		f.LastRecord = t
	}
	if !f.Origin.IsKnown() {
		f.Origin = rec.Origin()
	}
	f.ancestor.Take(rec)
	f.Parent = f.ancestor.Name
	switch rec.Type() {
	case jsonl.TypeSession:
		if h, _ := rec.Header(); f.HeaderID == "" {
			f.HeaderID = h.ID
		}
	case jsonl.TypeSessionInfo:
		f.naming.Take(rec)
		f.Name = f.naming.Name()
	default:
		if m, ok := rec.Message(); ok {
			f.takeMessage(m)
		}
	}
}

func (f *Facts) takeMessage(m jsonl.Message) {
	if m.IsMirror() {
		return
	}
	if f.FirstText == "" && m.Role() == jsonl.RoleUser {
		f.FirstText = oneLine(jsonl.SaidText(m.Content()))
	}
}

// oneLine makes a title from the beginning of a text: its words on one line, without control characters.
func oneLine(text string) string {
	if len(text) > 8*maxTitle {
		text = text[:8*maxTitle]
	}
	words := strings.FieldsFunc(strings.ToValidUTF8(text, ""),
		func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	line := []rune(strings.Join(words, " "))
	if len(line) > maxTitle {
		return string(line[:maxTitle-1]) + "…"
	}
	return string(line)
}

// markCopies finds the session that each session is a copy or the beginning of. Among equal sessions, the most original
// one is not a copy.
func (in *inspection) markCopies() {
	type content struct {
		bytes  int64
		digest [sha256.Size]byte
	}
	originals := map[content]int{}
	for i := range in.facts {
		f := &in.facts[i]
		if f.beginning == nil || f.Err != nil || f.Bytes == 0 {
			continue
		}
		c := content{f.Bytes, f.digest}
		if first, known := originals[c]; !known || isMoreOriginal(in.sessions[i], in.sessions[first]) {
			originals[c] = i
		}
	}
	for i := range in.facts {
		f := &in.facts[i]
		if f.beginning == nil || f.Err != nil || f.Bytes == 0 {
			continue
		}
		if first := originals[content{f.Bytes, f.digest}]; first != i {
			f.CopyOf = in.sessions[first]
		} else if longer := in.longest(i); longer >= 0 {
			f.CopyOf = in.sessions[longer]
		}
	}
}

// longest returns the longest session with the same id that begins with all of session i, or -1.
func (in *inspection) longest(i int) int {
	best := -1
	for _, j := range in.byID[in.sessions[i].ID] {
		f := &in.facts[j]
		if digest, known := f.beginning[in.facts[i].Bytes]; !known || digest != in.facts[i].digest || f.Err != nil ||
			f.Bytes <= in.facts[i].Bytes {
			continue
		}
		if best < 0 || f.Bytes > in.facts[best].Bytes || f.Bytes == in.facts[best].Bytes &&
			isMoreOriginal(in.sessions[j], in.sessions[best]) {
			best = j
		}
	}
	return best
}

// isMoreOriginal reports whether a comes before b: live sessions first, then by kind and path.
func isMoreOriginal(a, b *Session) bool {
	if ka, kb := slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind); ka != kb {
		return ka < kb
	}
	return a.Path < b.Path || a.Path == b.Path && a.ID < b.ID
}

// A digester computes the digest of the bytes read, and of their beginnings of given lengths.
type digester struct {
	src     io.Reader
	hash    hash.Hash
	n       int64
	lengths []int64 // ascending, not reached yet
	at      map[int64][sha256.Size]byte
}

func (d *digester) Read(p []byte) (int, error) {
	n, err := d.src.Read(p)
	for passed := p[:n]; len(passed) > 0; {
		part := passed
		if len(d.lengths) > 0 && d.n+int64(len(part)) >= d.lengths[0] {
			part = part[:d.lengths[0]-d.n]
		}
		d.hash.Write(part)
		d.n += int64(len(part))
		passed = passed[len(part):]
		for len(d.lengths) > 0 && d.lengths[0] <= d.n {
			d.at[d.lengths[0]] = d.sum()
			d.lengths = d.lengths[1:]
		}
	}
	return n, err
}

func (d *digester) sum() (sum [sha256.Size]byte) {
	d.hash.Sum(sum[:0])
	return sum
}
