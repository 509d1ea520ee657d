package diff

import (
	"cmp"
	"context"
	"io"
	"iter"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// A Change is one difference. Its records are valid until the next change.
type Change struct {
	Kind  Kind
	Moved bool // a changed or renumbered record that is at another place as well
	// A and B are the records. A record that was only moved has none in A.
	A, B         *jsonl.Record
	LineA, LineB int64 // 0 if the side does not have it
	// Fields are the differences of a changed or renumbered record. They are missing if Unread is set.
	Fields []Field
	// Unread is set for a changed record that was moved, if there are so many that their text is not compared.
	Unread bool
}

// maxHeld is the size of the records of A that are kept because they changed and were moved.
const maxHeld = 64 << 20

// Changes reads both sides again and returns the differences in the order of the transcripts: what is only in A comes
// before what is in B at the same place. A yielded error is final: a *SideError or that of the context.
func (c *Comparison) Changes(ctx context.Context) iter.Seq2[*Change, error] {
	return func(yield func(*Change, error) bool) {
		if c.differences() == 0 {
			return
		}
		w := &walk{comparison: c, ctx: ctx, yield: yield}
		defer w.close()
		if err := w.run(); err != nil && !w.stopped {
			yield(nil, err)
		}
	}
}

// Record is the record of B, or of A if only that has it.
func (c *Change) Record() *jsonl.Record { return cmp.Or(c.B, c.A) }

// CountByRecord counts the differences by the role of a message or the type of another record. An error is a *SideError
// or that of the context.
func (c *Comparison) CountByRecord(ctx context.Context) (map[string]map[Kind]int64, error) {
	counts := map[string]map[Kind]int64{}
	for change, err := range c.Changes(ctx) {
		if err != nil {
			return nil, err
		}
		rec := change.Record()
		name := cmp.Or(rec.Role(), rec.StatedType(), "unknown")
		if !rec.Legible() {
			name = "damaged"
		}
		if counts[name] == nil {
			counts[name] = map[Kind]int64{}
		}
		counts[name][change.Kind]++
	}
	return counts, nil
}

// A walk goes through both sides at the same time.
type walk struct {
	comparison *Comparison
	ctx        context.Context
	yield      func(*Change, error) bool
	stopped    bool
	here       cursor
	there      cursor
	held       map[int32]*jsonl.Record // records of A that come out of order
}

func (w *walk) run() error {
	var err error
	c := w.comparison
	if err = w.hold(); err != nil {
		return err
	}
	w.here, w.there = cursor{side: c.a, at: -1}, cursor{side: c.b, at: -1}
	i, j := int32(0), int32(0)
	for !w.stopped && err == nil && (int(i) < len(c.toB) || int(j) < len(c.toA)) {
		switch {
		case int(i) < len(c.toB) && c.toB[i] == unmatched:
			err = w.report(Change{Kind: Removed}, i, unmatched)
			i++
		case int(i) < len(c.toB) && c.isMoved[i]:
			i++ // reported at its new place
		case int(j) < len(c.toA) && c.toA[j] == unmatched:
			err = w.report(Change{Kind: Added}, unmatched, j)
			j++
		case int(j) < len(c.toA) && c.isMoved[c.toA[j]]:
			kind := c.kindOf(c.toA[j])
			err = w.report(Change{Kind: kind, Moved: kind != Moved}, c.toA[j], j)
			j++
		default: // both sides have it here
			if kind := c.kindOf(i); kind != Same {
				err = w.report(Change{Kind: kind}, i, j)
			}
			i, j = i+1, j+1
		}
	}
	return err
}

// hold reads the records of A that have changed and come out of order, as many as there is room for.
func (w *walk) hold() error {
	w.held = map[int32]*jsonl.Record{}
	scan := cursor{side: w.comparison.a, at: -1}
	defer scan.close()
	size := 0
	for i, moved := range w.comparison.isMoved {
		if !moved || w.comparison.kindOf(int32(i)) == Moved {
			continue
		}
		rec, err := scan.seek(w.ctx, int32(i))
		if err != nil {
			return err
		}
		if size += len(rec.Raw); size > maxHeld {
			return nil
		}
		w.held[int32(i)] = rec.Clone()
	}
	return nil
}

// report adds the records to a change and passes it on.
func (w *walk) report(change Change, i, j int32) error {
	var err error
	if err = w.ctx.Err(); err != nil {
		return err
	}
	if i != unmatched {
		change.LineA = w.comparison.a.rows[i].line
	}
	if j != unmatched {
		change.LineB = w.comparison.b.rows[j].line
		if change.B, err = w.there.seek(w.ctx, j); err != nil {
			return err
		}
	}
	switch {
	case i == unmatched || change.Kind == Moved:
	case change.Moved:
		change.A = w.held[i]
		change.Unread = change.A == nil
	default:
		if change.A, err = w.here.seek(w.ctx, i); err != nil {
			return err
		}
	}
	if change.A != nil && change.B != nil {
		change.Fields = Fields(change.A, change.B)
	}
	w.stopped = !w.yield(&change, nil)
	return nil
}

func (w *walk) close() {
	w.here.close()
	w.there.close()
}

// A cursor reads the records of a side once, in order.
type cursor struct {
	side   *side
	at     int32 // of the last record that was read
	in     io.Closer
	reader *jsonl.Reader
}

// seek returns the record with an index, which must be larger than that of the last one.
func (c *cursor) seek(ctx context.Context, to int32) (*jsonl.Record, error) {
	if c.reader == nil {
		in, err := c.side.Open()
		if err != nil {
			return nil, c.side.named(err)
		}
		c.in, c.reader = in, jsonl.NewReader(in, jsonl.Options{BeforeRead: ctx.Err})
	}
	for {
		rec, err := c.reader.Next()
		if err == io.EOF {
			err = dbfile.ErrChanged
		}
		if err != nil {
			return nil, c.side.named(err)
		}
		if rec.Blank || rec.Continued {
			continue
		}
		if c.at++; c.at < to {
			continue
		}
		if digestOf(rec.Text()) != c.side.rows[to].text && !isPiece(rec) {
			return nil, c.side.named(dbfile.ErrChanged)
		}
		return rec, nil
	}
}

func (c *cursor) close() {
	if c.in != nil {
		c.in.Close()
	}
}
