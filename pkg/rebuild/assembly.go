package rebuild

import (
	"iter"
	"slices"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
)

// ErrChanged means that a transcript changed between two readings.
var ErrChanged error = &failure.Sentinel{Code: failure.Changed, Again: []string{}}

// An assembly writes messages made from records while the transcript is read for the second time. It keeps a record
// only until the messages that need it are written. Messages are nearly in the order of their records, so it keeps only
// a few at a time.
type assembly struct {
	ix     *Index
	count  int                 // number of messages
	needs  func(m int) []int32 // the entries that a message is made from
	render func(m int, body func(entry int32) *jsonl.Record) error

	uses []int32 // number of messages that still need an entry
	held map[int32]*jsonl.Record
	// messages are those inside the compaction that was asked for last.
	listed   *jsonl.Record
	messages []jsonl.Value

	next int // the next message to write
	// needed are the entries of the next message. The first there of them have been read.
	needed []int32
	ready  int
}

// assemble reads the records again, and calls render with every message, whose entries body returns the records of.
func (ix *Index) assemble(
	records iter.Seq2[*jsonl.Record, error], count int, needs func(m int) []int32,
	render func(m int, body func(entry int32) *jsonl.Record) error,
) error {
	a := &assembly{ix: ix, count: count, needs: needs, render: render, held: map[int32]*jsonl.Record{}}
	return a.run(records)
}

// eachRecord reads the records again, and calls take with that of every entry.
func (ix *Index) eachRecord(
	records iter.Seq2[*jsonl.Record, error], entries []int32, take func(at int, rec *jsonl.Record) error,
) error {
	needs := func(m int) []int32 { return entries[m : m+1] }
	return ix.assemble(records, len(entries), needs, func(m int, body func(entry int32) *jsonl.Record) error {
		return take(m, body(entries[m]))
	})
}

// run reads the records and writes the messages.
func (a *assembly) run(records iter.Seq2[*jsonl.Record, error]) error {
	a.uses = make([]int32, a.ix.len())
	for m := range a.count {
		for _, e := range a.needs(m) {
			a.uses[a.ix.rowOf(e)]++
		}
	}
	if err := a.write(); err != nil {
		return err
	}
	at := 0
	for rec, err := range records {
		if err != nil {
			return err
		}
		if a.next == a.count {
			return nil
		}
		for at < a.ix.len() && int64(a.ix.at(int32(at)).line) < rec.Line {
			at++
		}
		if at == a.ix.len() || a.uses[at] == 0 || int64(a.ix.at(int32(at)).line) != rec.Line || rec.Continued {
			continue
		}
		if !a.ix.isSame(int32(at), rec) {
			return ErrChanged
		}
		a.held[int32(at)] = rec.Clone()
		if err := a.write(); err != nil {
			return err
		}
	}
	if a.next < a.count {
		return ErrChanged
	}
	return nil
}

// isSame reports whether a record is the one that an entry was made from.
func (ix *Index) isSame(i int32, rec *jsonl.Record) bool {
	e := ix.at(i)
	return e.offset == rec.Offset && rec.Legible() && e.digest == digest(rec.Text())
}

// write writes the messages whose records have all been read. It does not look again for records it has already found.
func (a *assembly) write() error {
	for a.next < a.count {
		if a.needed == nil {
			a.needed = a.needs(a.next)
		}
		for ; a.ready < len(a.needed); a.ready++ {
			if a.held[a.ix.rowOf(a.needed[a.ready])] == nil {
				return nil
			}
		}
		if err := a.render(a.next, a.body); err != nil {
			return err
		}
		for _, e := range a.needed {
			e = a.ix.rowOf(e)
			if a.uses[e]--; a.uses[e] == 0 {
				delete(a.held, e)
			}
		}
		a.next++
		a.needed, a.ready = nil, 0
	}
	return nil
}

// body returns the record of an entry. A message inside a compaction is made one.
func (a *assembly) body(e int32) *jsonl.Record {
	inner := a.ix.innerAt(e)
	if inner == nil {
		return a.held[e]
	}
	rec := a.held[inner.row]
	if a.listed != rec {
		a.listed, a.messages = rec, slices.Collect(rec.Get("messages").Elements())
	}
	return innerRecord(a.messages[inner.at], rec.Line, rec.Offset)
}
