package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"clawctl/internal/textid"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/read/rank"
	"clawctl/pkg/source"
)

// A Hit is a part that matches.
type Hit struct {
	Entry       string // its id, or ""
	Line        int64  // 0 if lines are not counted
	Offset      int64
	Time        time.Time // zero if unknown
	Role, Model string
	Kind        parts.Kind
	Place       string // where it was found, as in Places
	Part        int    // the number of the part in its entry
	Tool        string
	Failed      bool
	Harness     string // the program that the entry is from, if it did the work for another one
	// Text is the part, or the piece of it around the first match. It begins TextAt bytes after the part does.
	Text   string
	TextAt int
	Spans  []Span // in the part, at most maxSpans
	// Secrets are the ranges of the part that look like a key, as far as they are in Text.
	Secrets []Span
	// Content is a digest of the entry's id and the part, equal for all copies of it in one process.
	Content textid.ID
	// Weight says how well the part answers the words of a ranked search, whose hits have no text at first.
	Weight rank.Weight
}

// maxSpans is how many matches of one part are reported.
const maxSpans = 100

// maxText is how many bytes of a part are kept for a hit, on each side of the first match.
const maxText = 2048

// A Tally says what a scan has read.
type Tally struct {
	Lines, Bytes int64
	Unread       int64 // lines that may match but are not records
	Unsearched   int64 // lines that match only in what is not searched: images, signatures and encrypted text

	naming  source.Naming // in the chunks since the last one without
	unnamed int64         // bytes up to the end of that
}

// A Scan is a search of one stream.
type Scan struct {
	Query  *Query
	Rank   *rank.Query // weighs the parts that match, if set
	Scope  *Scope
	Active bool // only entries between the root and the leaf; Sessions heeds it
	// Uncounted leaves out the line numbers of hits, which take time, unless Active needs them.
	Uncounted bool
	// Unquoted leaves out the text of hits and their matches, for whoever only counts them.
	Unquoted bool
	// Named makes Sessions find the names of sessions with hits, for whoever prints them.
	Named bool
	// Jobs is how many goroutines look for matches while the stream is read. Up to 1, the caller's goroutine does all.
	Jobs int
	// Finder finds the keys and passwords that are masked. nil finds those of the table.
	Finder *redact.Finder
	// BeforeRead, if set, is called before every read. Its error ends the scan.
	BeforeRead func() error

	names *nameFinder // of the session at hand, or nil
}

// maxKept is the largest memory for the text of a part that is used again.
const maxKept = 4 << 20

// Each calls emit with the hits of a stream in order. The error of emit ends the scan.
func (s *Scan) Each(ctx context.Context, stream io.Reader, emit func(Hit) error) (Tally, error) {
	if s.Jobs > 1 {
		return s.eachParallel(ctx, stream, emit)
	}
	w := s.worker()
	return w.each(stream, emit)
}

// each searches a stream on the caller's goroutine.
func (w *worker) each(stream io.Reader, emit func(Hit) error) (tally Tally, err error) {
	w.makeBuffer()
	w.batches.Reset(stream, jsonl.Options{BeforeRead: w.scan.BeforeRead}, false)
	for {
		b, err := w.batches.Next(w.buf)
		if err != nil {
			return tally, ignoreEOF(err)
		}
		f := w.searchBatch(&b)
		w.batches.Release(b, w.buf)
		if err := tally.add(f, emit); err != nil {
			return tally, err
		}
	}
}

// makeBuffer makes the memory for a batch, once.
func (w *worker) makeBuffer() {
	if w.buf == nil {
		w.buf = make([]byte, jsonl.BatchSize)
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// chunkHits are the result of searching a chunk. Their lines are counted from 0.
type chunkHits struct {
	hits               []Hit
	lines, bytes       int64
	unread, unsearched int64 // as in a Tally
	uncounted          bool  // lines is 0
	err                error // why the chunk could not be read
	naming             source.Naming
	unnamed            bool // no names were looked for
}

// add passes the hits of a chunk on, with the line numbers of the stream.
func (t *Tally) add(f chunkHits, emit func(Hit) error) error {
	if f.err != nil {
		return f.err
	}
	for _, hit := range f.hits {
		if !f.uncounted {
			hit.Line += t.Lines + 1
		}
		if err := emit(hit); err != nil {
			return err
		}
	}
	t.Lines += f.lines
	t.Bytes += f.bytes
	if t.naming.Join(f.naming); f.unnamed {
		t.naming, t.unnamed = source.Naming{}, t.Bytes
	}
	t.Unread += f.unread
	t.Unsearched += f.unsearched
	return nil
}

// hitInLine searches a line that is not part of a transcript: of a memory file, or a title.
func (q *Query) hitInLine(f *redact.Finder, line, place string) (h Hit, ok bool) {
	spans, ok := q.match(line, maxSpans)
	if !ok {
		return h, false
	}
	h = Hit{Place: place, Spans: spans, Content: textid.Of([]byte(line))}
	h.quote(line, f.Text(line))
	return h, true
}

// quote keeps the piece of a part's text around the first match, and the places of the secrets in it.
func (h *Hit) quote(text string, places []secrets.Span) {
	piece, at := excerpt(text, h.Spans)
	h.keep(piece, at, places)
}

// keep keeps a piece of a part's text.
func (h *Hit) keep(piece string, at int, places []secrets.Span) {
	h.Text, h.TextAt, h.Secrets = piece, at, nil
	for _, p := range places {
		if p.Start < h.TextAt+len(h.Text) && p.End > h.TextAt {
			h.Secrets = append(h.Secrets, Span{p.Start, p.End})
		}
	}
}

// A digester makes digests of parts. Its memory is that of the part before.
type digester []byte

// of returns the digest of a part. An entry without an id is known by its record. An id that is unique everywhere is
// kept by copies, which may have other times.
func (d *digester) of(e *parts.Entry, p *parts.Part, text string) textid.ID {
	whole := textid.AppendPart((*d)[:0], e.ID)
	if e.ID == "" {
		whole = textid.AppendPart(whole, bytes.TrimSpace(e.Record.Text()))
	}
	if !e.Record.CopyID().Exists() && !isUUID(e.ID) {
		whole = binary.AppendVarint(whole, e.Time.UnixMilli())
	}
	whole = binary.AppendVarint(whole, int64(p.Number))
	*d = append(whole, text...)
	return textid.Of(*d)
}

// isUUID reports whether an id has the form of those that no two programs choose.
func isUUID(id string) bool {
	const form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(id) != len(form) {
		return false
	}
	for i := range len(id) {
		isDash := id[i] == '-'
		if isDash != (form[i] == '-') || !isDash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(id[i])) {
			return false
		}
	}
	return true
}

// excerpt returns a copy of the piece of a text around its first match, and where it begins.
func excerpt(text string, spans []Span) (piece string, at int) {
	if len(text) <= 3*maxText {
		return strings.Clone(text), 0
	}
	first := Span{}
	if len(spans) > 0 {
		first = spans[0]
	}
	start, end := max(0, first.Start-maxText), min(len(text), max(first.End, first.Start)+maxText)
	end = min(end, start+3*maxText) // a match may be very long
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return strings.Clone(text[start:end]), start
}

// A worker searches chunks, and reuses its memory for one stream after another.
type worker struct {
	scan    *Scan
	sieve   *sieve
	parser  jsonl.Parser
	maker   parts.Maker
	batches jsonl.Batches
	buf     []byte // of a batch
	text    []byte // of the part at hand
	digest  digester
	secrets *redact.Secrets // of the record at hand, if a part of it matches
	names   *nameFinder     // of the session at hand, or nil
}

func (s *Scan) worker() *worker { return &worker{scan: s, sieve: s.Query.sieve(), names: s.names} }

var newline = []byte{'\n'}

// searchBatch returns the hits of a batch.
func (w *worker) searchBatch(b *jsonl.Batch) (f chunkHits) {
	err := b.Look(func(text []byte) {
		f = w.search(chunkOf(b, text))
		w.names.look(&f, text)
	})
	f.err = err
	return f
}

// search returns the hits of a chunk.
func (w *worker) search(c chunk) chunkHits {
	f := chunkHits{bytes: int64(len(c.text)) + c.skipped, unread: c.unread, uncounted: w.scan.Uncounted && !w.scan.Active}
	counted := 0
	w.sieve.each(c.text, func(start, end int) bool {
		f.count(c.text[counted:start])
		counted = start
		w.searchLine(&f, c.text[start:end], c.offset+int64(start))
		return true
	})
	f.count(c.text[counted:])
	return f
}

// count counts the lines of a text.
func (f *chunkHits) count(text []byte) {
	if !f.uncounted {
		f.lines += int64(bytes.Count(text, newline))
	}
}

var byteOrderMark = []byte("\ufeff")

// searchLine adds the hits of a line.
func (w *worker) searchLine(f *chunkHits, line []byte, offset int64) {
	if offset == 0 {
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	rec := w.parser.Parse(line, f.lines, offset)
	if !rec.Legible() {
		f.unread++
		return
	}
	w.secrets = nil
	e := w.maker.Entry(rec)
	if e == nil || !w.scan.Scope.hasEntry(e) {
		return
	}
	found := len(f.hits)
	for i := range e.Parts {
		p := &e.Parts[i]
		isRepeated := p.Kind == parts.Sent && len(f.hits) > found // most of it is what the user said
		if w.scan.Scope.hasPart(p) && !isRepeated {
			w.searchPart(f, e, p)
		}
	}
	if len(f.hits) == found && !w.scan.Query.Invert && w.matchesUnsearched(rec.Stated(), 0) {
		f.unsearched++
	}
}

// searchPart adds the hit of a part.
func (w *worker) searchPart(f *chunkHits, e *parts.Entry, p *parts.Part) {
	if p.Kind != parts.Checkpoint && len(p.Details) == 0 && !w.sieve.mayMatch(p.Body) {
		return
	}
	w.text = appendBody(w.text[:0], p)
	body := len(w.text)
	w.text = appendMore(w.text, p.Details)
	values := len(w.text)
	w.text = appendNames(w.text, p)
	defer w.forgetLong()
	text := stringOf(w.text)
	if w.scan.Rank != nil {
		w.weighPart(f, e, p, text)
		return
	}
	spans, ok := w.scan.Query.matchNamed(stringOf(withoutImages(w.text)), values, w.spansWanted())
	if !ok {
		return
	}
	hit := newHit(e, p, w.digest.of(e, p, text))
	hit.Line, hit.Spans, hit.Harness = f.lines, spans, e.Harness
	if w.scan.Unquoted {
		f.hits = append(f.hits, hit)
		return
	}
	if len(spans) > 0 && spans[0].End <= body { // then nobody needs to see the rest
		text = text[:body]
		hit.Spans = slices.DeleteFunc(spans, func(s Span) bool { return s.End > body })
	}
	places := w.secretsOf(e.Record).In(text)
	hit.quote(text, places)
	if len(spans) > 0 && spans[0].Start > values { // only names match, and nobody needs to see the values
		names := values + 1
		piece, at := excerpt(text[names:], []Span{{spans[0].Start - names, spans[0].End - names}})
		hit.keep(piece, names+at, places)
	}
	hit.nameTool(p)
	f.hits = append(f.hits, hit)
}

// newHit describes a part, without its text and its tool.
func newHit(e *parts.Entry, p *parts.Part, content textid.ID) Hit {
	return Hit{
		Entry: e.ID, Line: e.Line, Offset: e.Offset, Time: e.Time, Role: e.Role, Model: e.Model, Kind: p.Kind,
		Place: placeOf(p.Kind), Part: p.Number, Failed: p.Failed, Content: content,
	}
}

// nameTool names the tool of a call or a result.
func (h *Hit) nameTool(p *parts.Part) {
	if p.Kind == parts.Call || p.Kind == parts.Result {
		h.Tool = p.ToolName()
	}
}

// spansWanted returns how many matches of a part are looked for.
func (w *worker) spansWanted() int {
	if w.scan.Unquoted {
		return 1
	}
	return maxSpans
}

// secretsOf returns the secrets of the record at hand. A record may have many parts that match.
func (w *worker) secretsOf(rec *jsonl.Record) *redact.Secrets {
	if w.secrets == nil {
		w.secrets = w.scan.Finder.Record(rec)
	}
	return w.secrets
}

// forgetLong frees the memory of a very long part.
func (w *worker) forgetLong() {
	if cap(w.text)+cap(w.digest) > maxKept {
		w.text, w.digest = nil, nil
	}
}
