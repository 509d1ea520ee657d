package source

import (
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"clawctl/pkg/jsonl"
)

// Facts are what reading a transcript once tells of it.
type Facts struct {
	Dialect  jsonl.Dialect
	Lines    int64
	Records  int64
	Messages int64 // without OpenClaw's mirrors, which no model sent
	Damaged  int64
	Bytes    int64 // of the text, decompressed
	First    time.Time
	Last     time.Time
	Name     string // the last name that a session_info record gives it
	FirstSay string // the beginning of the first user's text, on one line
	HeaderID string
	Recorded jsonl.Usage // the sum of what providers reported
	Err      error       // the transcript could not be read to its end

	// CopyOf is the session whose bytes these are, or begin with these; nil where there is none.
	CopyOf *Session

	digest    [sha256.Size]byte
	beginning map[int64][sha256.Size]byte // digests of the first n bytes
}

// maxSay is how many characters of a first text are kept.
const maxSay = 80

// Inspect reads every session once, on as many cores as jobs says, and returns the facts in the same order. Sessions
// that could be copies of each other, by id or size, are compared by digests that are taken on the way.
func Inspect(ctx context.Context, sessions []*Session, jobs int, done func(s *Session, f *Facts)) []Facts {
	facts := make([]Facts, len(sessions))
	groups := copyGroups(sessions)
	// Compressed ones first: how long their text is shows only now, and the others are to be compared at that length.
	for _, compressed := range []bool{true, false} {
		var order []int
		for i, s := range sessions {
			if isCompressedName(s.Path) == compressed {
				order = append(order, i)
			}
		}
		slices.SortFunc(order, func(a, b int) int { return int(sessions[b].Bytes - sessions[a].Bytes) })
		inspectAll(ctx, sessions, facts, order, groups, jobs, done)
	}
	markCopies(sessions, facts, groups)
	return facts
}

func isCompressedName(path string) bool {
	return strings.HasSuffix(path, ".zst") || strings.HasSuffix(path, ".gz")
}

// copyGroups returns for every session the others that it might be a copy of: those with its id or its size.
func copyGroups(sessions []*Session) [][]int {
	byID, bySize := map[string][]int{}, map[int64][]int{}
	for i, s := range sessions {
		byID[s.ID] = append(byID[s.ID], i)
		bySize[s.Bytes] = append(bySize[s.Bytes], i)
	}
	groups := make([][]int, len(sessions))
	for i, s := range sessions {
		group := append(slices.Clone(byID[s.ID]), bySize[s.Bytes]...)
		slices.Sort(group)
		groups[i] = slices.DeleteFunc(slices.Compact(group), func(j int) bool { return j == i })
	}
	return groups
}

func inspectAll(ctx context.Context, sessions []*Session, facts []Facts, order []int, groups [][]int, jobs int, done func(*Session, *Facts)) {
	var next atomic.Int64
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range max(1, min(jobs, len(order))) {
		workers.Go(func() {
			reader := &jsonl.Reader{} // one buffer a worker
			for {
				n := int(next.Add(1)) - 1
				if n >= len(order) || ctx.Err() != nil {
					return
				}
				i := order[n]
				mu.Lock()
				lengths := lengthsOf(groups[i], sessions, facts)
				mu.Unlock()
				f := inspect(ctx, reader, sessions[i], lengths)
				mu.Lock()
				facts[i] = f
				if done != nil {
					done(sessions[i], &facts[i])
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
}

// lengthsOf returns the lengths of a session's possible copies, nil where there is none.
func lengthsOf(group []int, sessions []*Session, facts []Facts) (lengths []int64) {
	for _, j := range group {
		length := facts[j].Bytes
		if length == 0 && !isCompressedName(sessions[j].Path) {
			length = sessions[j].Bytes
		}
		if length > 0 {
			lengths = append(lengths, length)
		}
	}
	slices.Sort(lengths)
	return slices.Compact(lengths)
}

// inspect reads one session.
func inspect(ctx context.Context, reader *jsonl.Reader, s *Session, lengths []int64) (f Facts) {
	in, err := s.Open()
	if err != nil {
		f.Err = err
		return f
	}
	defer in.Close()
	stream := in.Reader
	var d *digester
	if lengths != nil {
		d = &digester{src: stream, hash: sha256.New(), lengths: lengths, at: map[int64][sha256.Size]byte{}}
		stream = d
	}
	reader.Reset(stream, jsonl.Options{BeforeRead: ctx.Err})
	for rec, err := range reader.All() {
		if err != nil {
			f.Err = err
			break
		}
		f.take(rec)
	}
	f.Dialect = reader.Dialect()
	if d != nil {
		f.digest, f.beginning = d.sum(), d.at
	}
	return f
}

// take counts one record.
func (f *Facts) take(rec *jsonl.Record) {
	f.Bytes += int64(len(rec.Raw))
	if !rec.Continued {
		f.Lines++
		if rec.Damage != nil {
			f.Damaged++
		}
	}
	if !rec.Legible() {
		return
	}
	f.Records++
	if t, ok := rec.Time(); ok {
		if f.First.IsZero() {
			f.First = t
		}
		f.Last = t
	}
	switch rec.Type() {
	case jsonl.TypeSession:
		if h, _ := rec.Header(); f.HeaderID == "" {
			f.HeaderID = h.ID
		}
	case jsonl.TypeSessionInfo:
		if name, _ := rec.SessionName(); name != "" {
			f.Name = name
		}
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
	f.Messages++
	if u, ok := m.Usage(); ok {
		f.Recorded.Input += u.Input
		f.Recorded.Output += u.Output
		f.Recorded.CacheRead += u.CacheRead
		f.Recorded.CacheWrite += u.CacheWrite
		f.Recorded.Total += u.Total
		f.Recorded.Cost += u.Cost
		f.Recorded.HasCost = f.Recorded.HasCost || u.HasCost
	}
	if f.FirstSay == "" && m.Role() == jsonl.RoleUser {
		f.FirstSay = oneLine(jsonl.PlainText(m.Content()))
	}
}

// oneLine makes a title of the beginning of a text: its words on one line, without control characters.
func oneLine(text string) string {
	if len(text) > 8*maxSay {
		text = text[:8*maxSay]
	}
	words := strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	line := []rune(strings.Join(words, " "))
	if len(line) > maxSay {
		return string(line[:maxSay-1]) + "…"
	}
	return string(line)
}

// markCopies finds for every session the one whose bytes, or whose first bytes, are the same.
func markCopies(sessions []*Session, facts []Facts, groups [][]int) {
	for i := range sessions {
		best := -1
		for _, j := range groups[i] {
			if facts[i].Bytes == 0 || facts[i].Err != nil || facts[j].Err != nil || !beginsWith(&facts[j], &facts[i]) {
				continue
			}
			same := facts[j].Bytes == facts[i].Bytes
			if same && !before(sessions[j], sessions[i]) {
				continue // of two equal ones the first is the original
			}
			if best < 0 || facts[j].Bytes > facts[best].Bytes || facts[j].Bytes == facts[best].Bytes && before(sessions[j], sessions[best]) {
				best = j
			}
		}
		if best >= 0 {
			facts[i].CopyOf = sessions[best]
		}
	}
}

// beginsWith reports whether the text of long begins with all of short.
func beginsWith(long, short *Facts) bool {
	if long.Bytes == short.Bytes {
		return long.digest == short.digest && long.beginning != nil
	}
	digest, known := long.beginning[short.Bytes]
	return known && digest == short.digest
}

// before orders sessions by how much they are the original: the live one, then by kind and path.
func before(a, b *Session) bool {
	if ka, kb := slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind); ka != kb {
		return ka < kb
	}
	return a.Path < b.Path || a.Path == b.Path && a.ID < b.ID
}

// A digester takes the digest of what passes, and of its beginnings of certain lengths.
type digester struct {
	src     io.Reader
	hash    hash.Hash
	n       int64
	lengths []int64 // ascending, still to come
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
