package follow

import (
	"bytes"
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

// Sizes of the pieces that are read from the end of a file, and searched for line ends. Tests make them smaller.
var firstWindow, searchPiece int64 = 64 << 10, 64 << 10

// readLast gives the last records of the first end bytes of a file to an ending. It reads a larger and larger part of
// the file until that has enough, so it reads at most four times the bytes that are needed, and one window.
func readLast(ctx context.Context, src io.ReaderAt, end int64, e *Ending) error {
	for window := firstWindow; ; window *= 4 {
		start, err := startOfLine(src, max(0, end-window), end)
		if err != nil {
			return err
		}
		if start > 0 && beginsOddly(src) {
			start = 0
		}
		e.reset()
		if err := e.read(ctx, src, start, end); err != nil {
			return err
		}
		if e.isFull() || start == 0 {
			return nil
		}
	}
}

// read adds the records of a part of a file that begins with a line.
func (e *Ending) read(ctx context.Context, src io.ReaderAt, start, end int64) error {
	opts := jsonl.Options{BytesBefore: start, BeforeRead: ctx.Err}
	for rec, err := range jsonl.Records(io.NewSectionReader(src, start, end-start), opts) {
		if err != nil {
			return err
		}
		withoutLine(rec)
		e.add(rec)
	}
	return nil
}

// beginsOddly reports whether the beginning of a file may matter to its other lines: it may be UTF-16, or have a byte
// order mark after empty lines.
func beginsOddly(src io.ReaderAt) bool {
	head := make([]byte, 8)
	n, _ := src.ReadAt(head, 0) // a file that cannot be read has no beginning
	head = head[:n]
	return n == 0 || bytes.IndexByte(head, 0) >= 0 || bytes.IndexByte([]byte(" \t\r\n\xef\xff\xfe"), head[0]) >= 0
}

// startOfLine returns where the first line begins that does so at from or after it, or end if none does before.
func startOfLine(src io.ReaderAt, from, end int64) (int64, error) {
	if from == 0 {
		return 0, nil
	}
	buf := make([]byte, searchPiece)
	for at := from - 1; at < end; at += int64(len(buf)) {
		piece := buf[:min(int64(len(buf)), end-at)]
		if _, err := src.ReadAt(piece, at); err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.IndexByte(piece, '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
	}
	return end, nil
}

// endOfLines returns where the last line ends that has a line end between from and end, or from if none has.
func endOfLines(src io.ReaderAt, from, end int64) (int64, error) {
	buf := make([]byte, searchPiece)
	for at := end; at > from; {
		piece := buf[:min(int64(len(buf)), at-from)]
		at -= int64(len(piece))
		if _, err := src.ReadAt(piece, at); err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
	}
	return from, nil
}
