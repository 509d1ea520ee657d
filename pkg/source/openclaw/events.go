package openclaw

import (
	"context"
	"database/sql"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source/packed"
	"clawctl/pkg/store/dbfile"
)

// maxEvent is the maximum size of a compressed event in OpenClaw.
const maxEvent = 4 << 20

// An eventReader reads the rows of transcript_events as lines. If a compressed row is damaged or a row is too long, the
// other rows are still read, and the error comes at the end.
type eventReader struct {
	db     *Database
	rows   *sql.Rows
	cancel context.CancelFunc
	frames frameDecoder
	rest   []byte
	buf    []byte
	failed error
	seq    int64 // of the last row
	line   int64 // of the last row
	offset int64 // of the next line
}

func (r *eventReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if !r.rows.Next() {
			return 0, r.end()
		}
		if err := r.next(); err != nil && r.failed == nil {
			r.failed = err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close ends the query.
func (r *eventReader) Close() error {
	r.cancel()
	r.rows.Close()
	r.frames.close()
	return nil
}

// next reads the next row.
func (r *eventReader) next() error {
	var text, frame sql.RawBytes
	var length, size sql.NullInt64
	var isEmpty bool
	if err := r.rows.Scan(&r.seq, &length, &text, &frame, &size, &isEmpty); err != nil {
		return fmt.Errorf("%w: %v", dbfile.ErrCorrupt, err)
	}
	r.line++
	if isEmpty {
		return fmt.Errorf("%w: row %d has no text", dbfile.ErrCorrupt, r.seq)
	}
	r.buf = r.buf[:0]
	if length.Int64 > maxRow {
		return &jsonl.Damage{Code: jsonl.TooLong, Line: r.line, Column: 1, Offset: r.offset,
			Detail: fmt.Sprintf("row %d has %d bytes", r.seq, length.Int64)}
	}
	if text != nil {
		r.buf = append(r.buf, text...)
	} else {
		var err error
		if r.buf, err = r.frames.decode(r.buf, frame, size.Int64); err != nil {
			return &packed.Error{Format: "zstd", Err: fmt.Errorf("row %d: %w", r.seq, err)}
		}
	}
	r.buf = append(r.buf, '\n')
	r.rest = r.buf
	r.offset += int64(len(r.buf))
	return nil
}

func (r *eventReader) end() error {
	if err := r.rows.Err(); err != nil {
		return r.db.file.Classify(err)
	}
	if r.db.file.Changed() {
		return dbfile.ErrChanged // a writer has started: the rows may be from two states
	}
	if r.failed != nil {
		return r.failed
	}
	return io.EOF
}

// A frameDecoder decodes the frames of compressed events with one decoder.
type frameDecoder struct{ zstd *zstd.Decoder }

func (d *frameDecoder) decode(dst, frame []byte, size int64) ([]byte, error) {
	if d.zstd == nil {
		var err error
		if d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(2*maxEvent)); err != nil {
			return dst, err
		}
	}
	start := len(dst)
	dst, err := d.zstd.DecodeAll(frame, dst)
	if err != nil {
		return dst[:start], err
	}
	if int64(len(dst)-start) != size {
		return dst[:start], fmt.Errorf("expected %[2]d bytes, got %[1]d", len(dst)-start, size)
	}
	return dst, nil
}

func (d *frameDecoder) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}
