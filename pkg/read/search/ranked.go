package search

import (
	"context"
	"strings"

	"clawctl/internal/textid"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/read/rank"
	"clawctl/pkg/source"
)

// RankedQuery returns the words to rank by, and a query that finds the parts with one of them.
func RankedQuery(words string) (*rank.Query, *Query, error) {
	ranked := rank.NewQuery(words)
	q := &Query{}
	for _, needle := range ranked.Needles() {
		t, err := Literal(needle, Options{Case: IgnoreCase})
		if err != nil {
			return nil, nil, err
		}
		q.Any = append(q.Any, t)
	}
	return ranked, q, nil
}

// weighPart adds a part with words of a ranked search, without its text.
func (w *worker) weighPart(f *chunkHits, e *parts.Entry, p *parts.Part, text string) {
	weight := w.scan.Rank.Weigh(stringOf(withoutImages([]byte(text))))
	if weight.Mask == 0 {
		return
	}
	f.hits = append(f.hits, Hit{Entry: e.ID, Line: f.lines, Offset: e.Offset, Time: e.Time, Part: p.Number,
		Content: textid.Of([]byte(text)), Weight: weight})
}

// A Ranking collects the hits of a ranked search, and tells which are the best.
type Ranking struct {
	Raw   bool // keys are not masked
	board rank.Board
	found []foundPart
	lines map[int]RankedHit // hits that are complete, by their index in found
}

// A foundPart is what is kept of a hit until it is among the best.
type foundPart struct {
	session, part int
	line          int64
}

// NewRanking returns an empty ranking. If it is raw, keys are not masked.
func NewRanking(raw bool) *Ranking { return &Ranking{Raw: raw, lines: map[int]RankedHit{}} }

// Len returns how many different texts have words of the query.
func (r *Ranking) Len() int { return r.board.Len() }

// Add adds a hit of a session.
func (r *Ranking) Add(session int, h Hit) {
	r.board.Add(rank.Text{ID: len(r.found), Time: h.Time, Digest: h.Content, Weight: h.Weight})
	r.found = append(r.found, foundPart{session, h.Part, h.Line})
}

// AddLine adds a hit that is a line of a file, with its text.
func (r *Ranking) AddLine(q *rank.Query, session int, h Hit) {
	if h.Weight = q.Weigh(h.Text); h.Weight.Mask == 0 {
		return
	}
	whole := RankedHit{Session: session, Hit: h}
	places := make([]secrets.Span, 0, len(h.Secrets))
	for _, s := range h.Secrets {
		if r.Raw {
			break
		}
		places = append(places, secrets.Span{Start: s.Start, End: s.End})
	}
	whole.Whole, whole.Best = maskedText(h.Text, places, Span{0, len(h.Text)})
	r.lines[len(r.found)] = whole
	r.Add(session, h)
}

// Read counts the lines of a session.
func (r *Ranking) Read(t Tally) { r.board.Texts += int(t.Lines) }

// A RankedHit is one of the best hits.
type RankedHit struct {
	Session int // its number
	Score   float64
	Hit     Hit    // its text is the best sentence and what is around it
	Whole   string // the text of the part, with keys masked
	Best    Span   // of the best sentence, in Whole
}

// Best reads the best hits again, the best one first, one part of each message.
func (r *Ranking) Best(ctx context.Context, scan *Scan, sessions []*source.Session, limit int) ([]RankedHit, error) {
	best, places := r.choose(limit)
	wanted := map[int]map[int64]int{} // by session and line: an index of best
	for i, at := range places {
		if best[i].Whole != "" {
			continue
		}
		if wanted[at.session] == nil {
			wanted[at.session] = map[int64]int{}
		}
		wanted[at.session][at.line] = i
	}
	for session := range sessions {
		if lines := wanted[session]; lines != nil {
			read := &bestReader{scan: scan, raw: r.Raw, lines: lines, best: best, places: places}
			if err := read.session(ctx, sessions[session]); err != nil {
				return nil, err
			}
		}
	}
	return best, nil
}

// choose returns the best hits, and where they are.
func (r *Ranking) choose(limit int) (best []RankedHit, places []foundPart) {
	type message struct {
		session int
		line    int64
	}
	taken := map[message]bool{}
	for _, t := range r.board.Best(len(r.found)) {
		at := r.found[t.ID]
		if m := (message{at.session, at.line}); taken[m] {
			continue // another part of the message is better
		} else if taken[m] = true; len(best) == limit {
			break
		}
		hit, isComplete := r.lines[t.ID]
		if !isComplete {
			hit = RankedHit{Session: at.session, Best: Span{t.Start, t.End}}
		}
		hit.Score = t.Score
		best, places = append(best, hit), append(places, at)
	}
	return best, places
}

// A bestReader reads the best hits of a session.
type bestReader struct {
	scan   *Scan
	raw    bool
	lines  map[int64]int
	best   []RankedHit
	places []foundPart
	maker  parts.Maker
}

// session reads a session up to the last of the lines that are wanted.
func (r *bestReader) session(ctx context.Context, s *source.Session) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	left := len(r.lines)
	for rec, err := range jsonl.Records(in.Reader, jsonl.Options{BeforeRead: ctx.Err}) {
		if err != nil {
			return err
		}
		if i, ok := r.lines[rec.Line]; ok {
			r.record(rec, i)
			if left--; left == 0 {
				return nil
			}
		}
	}
	return nil
}

// record completes the hit of a record.
func (r *bestReader) record(rec *jsonl.Record, i int) {
	e := r.maker.Entry(rec)
	if e == nil {
		return
	}
	for j := range e.Parts {
		if p := &e.Parts[j]; p.Number == r.places[i].part {
			r.part(&r.best[i], e, p)
		}
	}
}

// part completes a hit.
func (r *bestReader) part(b *RankedHit, e *parts.Entry, p *parts.Part) {
	text := Text(p)
	b.Hit = newHit(e, p, new(digester).of(e, p, text))
	b.Hit.nameTool(p)
	b.Best.End = min(b.Best.End, len(text))
	b.Best.Start = min(b.Best.Start, b.Best.End)
	places := r.scan.Finder.Record(e.Record).In(text)
	r.scan.Rank.EachMatch(text[b.Best.Start:b.Best.End], func(start, end int) {
		b.Hit.Spans = append(b.Hit.Spans, Span{b.Best.Start + start, b.Best.Start + end})
	})
	b.Hit.Spans = withoutOverlaps(b.Hit.Spans, maxSpans)
	if r.raw {
		places = nil
	}
	b.Hit.quote(text, places)
	b.Whole, b.Best = maskedText(text, places, b.Best)
}

// maskedText returns a text without its keys, and where a range of it is then.
func maskedText(text string, places []secrets.Span, at Span) (string, Span) {
	var b strings.Builder
	from, moved := 0, Span{}
	copyTo := func(end int) {
		if at.Start >= from && at.Start < end {
			moved.Start = b.Len() + at.Start - from
		}
		if at.End > from && at.End <= end {
			moved.End = b.Len() + at.End - from
		}
		b.WriteString(text[from:end])
	}
	for _, p := range places {
		if p.Start < from {
			continue
		}
		copyTo(p.Start)
		if at.Start >= p.Start && at.Start < p.End {
			moved.Start = b.Len()
		}
		b.WriteString(secrets.Masked)
		if at.End > p.Start && at.End <= p.End {
			moved.End = b.Len()
		}
		from = p.End
	}
	copyTo(len(text))
	return b.String(), moved
}
