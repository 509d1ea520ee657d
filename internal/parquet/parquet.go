// Package parquet writes Apache Parquet files of flat tables.
//
// A Builder takes rows, column by column, and keeps them as compressed pages. Finish returns the whole file, which has
// one row group. So the caller knows the file's digest before it is written, and bounds the memory by the size at which
// it finishes a file. Equal rows make equal bytes.
//
// It writes what every engine reads: data pages of version 1, compressed with zstd, plain, with a dictionary or as
// differences, and the least and greatest value and the number of nulls of every column. What flat tables do not need
// is left out: lists, maps, encryption, indexes of pages.
package parquet

import (
	"github.com/klauspost/compress/zstd"
)

// A Type is the type of a column.
type Type uint8

// The types of columns.
const (
	Bool      Type = iota
	Int            // of 64 bits
	Float          // of 64 bits
	Timestamp      // microseconds since 1970, UTC
	Date           // days since 1970
	Text           // UTF-8
	JSON           // a JSON value
	Bytes          // any bytes
)

// A Column describes a column.
type Column struct {
	Name     string
	Type     Type
	Required bool // it has no nulls
	// Repeats says that few values occur again and again. Each of them is then written once.
	Repeats bool
}

// A page ends after that many bytes or values. Larger pages compress better and take more memory.
const (
	pageSize   = 1 << 20
	pageValues = 20_000
)

// maxBuffer is the size up to which the buffer of a page is used again.
const maxBuffer = 4 * pageSize

// A Codec compresses pages. It must not be used by two goroutines at the same time.
type Codec struct {
	encoder    *zstd.Encoder
	levels     []byte   // of the last page
	expanded   []uint32 // the last runs
	compressed []byte   // the last page
}

// NewCodec returns a codec.
func NewCodec() *Codec {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true), zstd.WithNoEntropyCompression(true))
	if err != nil {
		panic(err) // the options are constant
	}
	return &Codec{encoder: encoder}
}

// expand returns the values of runs. They are valid until the next call.
func (c *Codec) expand(list runs) []uint32 {
	c.expanded = c.expanded[:0]
	for _, r := range list {
		for range r.count {
			c.expanded = append(c.expanded, r.value)
		}
	}
	return c.expanded
}

// compress returns the compressed form of a page. It is valid until the next call.
func (c *Codec) compress(page []byte) []byte {
	if cap(c.compressed) > maxBuffer {
		c.compressed = nil // of a value that was much longer than most
	}
	c.compressed = c.encoder.EncodeAll(page, c.compressed[:0])
	return c.compressed
}

// A Builder collects the rows of a file.
type Builder struct {
	columns []*ColumnBuilder
	rows    int
}

// NewBuilder returns a builder without rows.
func NewBuilder(columns []Column, codec *Codec) *Builder {
	b := &Builder{columns: make([]*ColumnBuilder, len(columns))}
	for i, c := range columns {
		b.columns[i] = &ColumnBuilder{Column: c, codec: codec, buffers: buffers{}.emptied()}
	}
	return b
}

// Column returns a column by its number. A row gives every column one value.
func (b *Builder) Column(i int) *ColumnBuilder { return b.columns[i] }

// EndRow ends a row. Every column has one value more.
func (b *Builder) EndRow() {
	b.rows++
	for _, c := range b.columns {
		if c.count == pageValues {
			c.endPage()
		}
	}
}

// Rows returns the number of rows.
func (b *Builder) Rows() int { return b.rows }

// Held returns how many bytes of memory the rows take.
func (b *Builder) Held() (n int) {
	for _, c := range b.columns {
		n += c.held()
	}
	return n
}

// Raw returns how many bytes the rows take without compression.
func (b *Builder) Raw() (n int64) {
	for _, c := range b.columns {
		n += c.rawSize + int64(c.held())
	}
	return n
}
