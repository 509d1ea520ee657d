package diff

import (
	"context"
	"io"
	"sync"

	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsonl/content"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/store/dbfile"
)

// A digest identifies bytes within one process.
type digest = textid.ID

func digestOf(text []byte) digest { return textid.Of(text) }

// A row is what the index keeps of a record.
type row struct {
	text digest // of its bytes, without the line end
	id   digest // zero if it has none
	line int64
}

// headerID stands for the id of every header: two headers match, even if they belong to different sessions.
var headerID = sync.OnceValue(func() digest { return digestOf([]byte("\x00header")) })

// A Side is one of the two transcripts.
type Side struct {
	// Open opens its text. It is called up to four times and must return the same text each time.
	Open func() (io.ReadCloser, error)
	// Jobs is how many goroutines check its lines.
	Jobs int
}

// A side is a Side with its index.
type side struct {
	Side
	isB     bool
	rows    []row
	damaged int64
	size    int64 // of its text
	buf     []byte
}

// read calls each for every record: lines that are not blank. A line that is longer than the reader's limit is one
// record, and the pieces after its first are passed with Continued.
func (s *side) read(ctx context.Context, each func(rec *jsonl.Record)) (size int64, err error) {
	in, err := s.Open()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	for rec, err := range jsonl.Records(in, jsonl.Options{BeforeRead: ctx.Err, Jobs: s.Jobs}) {
		if err != nil {
			return 0, err
		}
		size = rec.Offset + int64(len(rec.Raw))
		if !rec.Blank {
			each(rec)
		}
	}
	return size, nil
}

// index reads the side for the first time.
func (s *side) index(ctx context.Context) error {
	var err error
	s.size, err = s.read(ctx, func(rec *jsonl.Record) {
		if rec.Continued && len(s.rows) > 0 {
			last := &s.rows[len(s.rows)-1].text
			*last = s.joined(*last, rec.Text())
			return
		}
		if rec.Damage != nil {
			s.damaged++
		}
		s.rows = append(s.rows, row{text: digestOf(rec.Text()), id: s.idOf(rec), line: rec.Line})
	})
	return err
}

// joined returns the digest of a long line with one more piece.
func (s *side) joined(before digest, piece []byte) digest {
	next := digestOf(piece)
	return digestOf(append(before[:], next[:]...))
}

func (s *side) idOf(rec *jsonl.Record) digest {
	if !rec.Legible() {
		return digest{}
	}
	if rec.Type() == jsonl.TypeSession {
		return headerID()
	}
	return s.reference(rec.Get("id"))
}

// reference returns the digest of an id, zero if the value is not one.
func (s *side) reference(v jsonl.Value) digest {
	if !v.IsString() || len(v) == 2 {
		return digest{}
	}
	s.buf = jsontext.Decode(s.buf[:0], v[1:len(v)-1])
	return digestOf(s.buf)
}

// A meaning is what is known about a record that has no byte-identical partner.
type meaning struct {
	row     int32
	content digest
	// body is the content without ids and links.
	body  digest
	links *links // to other records; nil if there are none, because millions of records may have none
}

func (m *meaning) link(key int) digest {
	if m.links == nil {
		return digest{}
	}
	return m.links[key]
}

// meanings reads the side again for the records that are not matched yet.
func (s *side) meanings(ctx context.Context, partner []int32) (list []meaning, err error) {
	at := -1
	list = make([]meaning, 0, countUnmatched(partner))
	var text digest
	changed := false
	_, err = s.read(ctx, func(rec *jsonl.Record) {
		if rec.Continued {
			return // the first piece has stood for the line
		}
		if at++; at >= len(s.rows) || partner[at] != unmatched {
			return
		}
		if text = digestOf(rec.Text()); text != s.rows[at].text && !isPiece(rec) {
			changed = true
			return
		}
		list = append(list, s.meaningOf(rec, int32(at)))
	})
	if err != nil {
		return list, err
	}
	if changed || at+1 < len(s.rows) {
		return list, dbfile.ErrChanged
	}
	return list, nil
}

// isPiece reports whether a record is the first piece of a line longer than the reader's limit.
func isPiece(rec *jsonl.Record) bool { return rec.Damage != nil && rec.Damage.Code == jsonl.TooLong }

func (s *side) meaningOf(rec *jsonl.Record, at int32) meaning {
	m := meaning{row: at}
	if !rec.Legible() {
		m.content = s.rows[at].text // the bytes of a damaged line are all there is
		m.body = m.content
		return m
	}
	m.content = short(content.Of(rec, &s.buf))
	m.body, m.links = s.bodyOf(rec)
	return m
}

// short shortens a sum.
func short(sum content.Sum) digest { return digestOf(sum[:]) }
