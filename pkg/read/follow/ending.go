package follow

import (
	"context"
	"io"

	"clawctl/pkg/jsonl"
)

// An Ending keeps the last records of a session: as few as have the number of units that are wanted.
type Ending struct {
	Want int
	// Count returns how many units a record has. Records without any are not kept.
	Count func(*jsonl.Record) int
	// Growing leaves out a last line that has no line end yet.
	Growing bool
	// Numbered gives records the numbers of their lines, for which everything before them must be read.
	Numbered bool

	records []*jsonl.Record
	counts  []int
	total   int
}

// Records returns the records that were kept. They stay valid.
func (e *Ending) Records() []*jsonl.Record { return e.records }

// Surplus returns how many units of the first record are more than was wanted.
func (e *Ending) Surplus() int { return max(0, e.total-e.Want) }

// isFull reports whether records before the first one would not be kept.
func (e *Ending) isFull() bool { return e.total >= e.Want }

func (e *Ending) reset() { e.records, e.counts, e.total = nil, nil, 0 }

// add takes the next record.
func (e *Ending) add(rec *jsonl.Record) {
	n := e.Count(rec)
	if n == 0 || e.Want == 0 {
		return
	}
	e.records, e.counts, e.total = append(e.records, rec.Clone()), append(e.counts, n), e.total+n
	for e.total-e.counts[0] >= e.Want {
		e.total -= e.counts[0]
		e.records[0] = nil // for the garbage collector
		e.records, e.counts = e.records[1:], e.counts[1:]
	}
}

// readLast gives the last records of the first end bytes of a file to an ending. It reads a larger and larger part of
// the file until that has enough. It returns how many lines there are, or -1 if they are not numbered.
func readLast(ctx context.Context, src io.ReaderAt, end int64, e *Ending) (lines int64, err error) {
	isOdd := jsonl.BeginsOddly(src)
	for start, err := range jsonl.Ends(src, end) {
		if err != nil {
			return 0, err
		}
		if isOdd {
			start = 0
		}
		e.reset()
		lines, err := e.read(ctx, src, start, end)
		if err != nil {
			return 0, err
		}
		if e.isFull() || start == 0 {
			return e.number(src, start, lines)
		}
	}
	return -1, nil // not reached: the last end is the whole file
}

// read adds the records of a part of a file that begins with a line, and returns the number of its lines. The records
// are numbered from that line on.
func (e *Ending) read(ctx context.Context, src io.ReaderAt, start, end int64) (lines int64, err error) {
	opts := jsonl.Options{BytesBefore: start, BeforeRead: ctx.Err}
	for rec, err := range jsonl.Records(io.NewSectionReader(src, start, end-start), opts) {
		if err != nil {
			return 0, err
		}
		lines = rec.Line
		e.add(rec)
	}
	return lines, nil
}

// number makes the numbers of lines those of the file, or hides them if nobody asks for them. Only then are the lines
// before the ending counted.
func (e *Ending) number(src io.ReaderAt, start, lines int64) (int64, error) {
	if !e.Numbered {
		for _, rec := range e.records {
			withoutLine(rec)
		}
		return -1, nil
	}
	before, err := jsonl.CountLines(src, start)
	for _, rec := range e.records {
		setLine(rec, before+rec.Line)
	}
	return before + lines, err
}
