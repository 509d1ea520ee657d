package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf8"
)

// A ColumnBuilder collects the values of one column.
type ColumnBuilder struct {
	Column
	codec *Codec

	buffers     // of the page that is being filled
	count   int // of its values and nulls

	// The dictionary, of a column that repeats.
	indexes    map[string]uint32
	dictionary []byte
	entries    int    // of the dictionary
	last       string // the last text
	lastIndex  uint32

	pages    [][]byte // finished ones, and their headers before them
	rawSize  int64    // of the finished pages, and of the dictionary in the end
	size     int64    // the same, compressed
	total    int      // number of values and nulls in the finished pages
	nulls    int64
	interval interval

	// Of a finished column.
	dictionaryPage [][]byte // nil without a dictionary
	dictionarySize int64
	offset         int64 // in the file
}

// The buffers of a page, which the next one uses again.
type buffers struct {
	values  []byte  // plain values, after room for the levels
	numbers []int64 // values of an Int, a Timestamp or a Date
	marks   runs    // values of a Bool, or indexes of the dictionary
	defined runs    // 1 for a value, 0 for a null
}

// emptied returns the buffers for another page.
func (b buffers) emptied() buffers {
	if cap(b.values) < levelRoom || cap(b.values) > maxBuffer { // new, or of a value that was much longer than most
		b.values = make([]byte, levelRoom)
	}
	return buffers{b.values[:levelRoom], b.numbers[:0], b.marks[:0], b.defined[:0]}
}

// Null adds a null.
func (c *ColumnBuilder) Null() {
	if c.Required {
		panic("parquet: null in " + c.Name)
	}
	c.nulls++
	c.count++
	c.defined.add(0)
}

// addDefined counts a value.
func (c *ColumnBuilder) addDefined() {
	c.count++
	if !c.Required {
		c.defined.add(1)
	}
}

// Bool adds a truth value.
func (c *ColumnBuilder) Bool(v bool) {
	mark := uint32(0)
	if v {
		mark = 1
	}
	c.marks.add(mark)
	c.addDefined()
}

// Int adds a number, a timestamp or a date.
func (c *ColumnBuilder) Int(v int64) {
	c.numbers = append(c.numbers, v)
	c.addDefined()
}

// Float adds a number. Of the two zeros, only one is written, so that readers agree about bounds.
func (c *ColumnBuilder) Float(v float64) {
	if v == 0 {
		v = 0
	}
	c.interval.addFloat(v)
	c.values = binary.LittleEndian.AppendUint64(c.values, math.Float64bits(v))
	c.addDefined()
}

// Content adds a text, a JSON value or bytes to a column that does not repeat and has no range. What is not UTF-8 is
// replaced, except in bytes, because engines refuse it.
func (c *ColumnBuilder) Content(v []byte) {
	if c.Type != Bytes && !utf8.Valid(v) {
		v = bytes.ToValidUTF8(v, []byte("\uFFFD"))
	}
	c.values = appendText(c.values, v)
	c.addDefined()
	c.endFullPage()
}

// endFullPage ends the page if its values take enough bytes. One with enough rows is ended by the builder.
func (c *ColumnBuilder) endFullPage() {
	if len(c.values) >= levelRoom+pageSize {
		c.endPage()
	}
}

// Text adds a short text. What is not UTF-8 is replaced.
func (c *ColumnBuilder) Text(v string) {
	if c.Repeats {
		if v != c.last || c.indexes == nil { // it is often the one before
			c.last, c.lastIndex = v, c.index(v)
		}
		c.marks.add(c.lastIndex)
		c.addDefined()
		return
	}
	v = validText(v)
	c.interval.addText(v)
	c.values = appendText(c.values, v)
	c.addDefined()
	c.endFullPage()
}

// index returns the index of a text in the dictionary.
func (c *ColumnBuilder) index(v string) uint32 {
	if i, known := c.indexes[v]; known {
		return i
	}
	if c.indexes == nil {
		c.indexes = map[string]uint32{}
	}
	i := uint32(c.entries)
	if valid := validText(v); valid != v {
		i = c.index(valid)
	} else {
		c.entries++
		c.dictionary = appendText(c.dictionary, v)
		c.interval.addText(v)
	}
	c.indexes[strings.Clone(v)] = i
	return i
}

// validText replaces what is not UTF-8.
func validText(v string) string {
	if utf8.ValidString(v) {
		return v
	}
	return strings.ToValidUTF8(v, "\uFFFD")
}

// appendText appends the plain form of a text: its length and its bytes.
func appendText[T ~string | ~[]byte](dst []byte, v T) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(v))), v...)
}

// entrySize is about what a map takes for a text of the dictionary, beside its bytes.
const entrySize = 64

// held returns how many bytes of memory the values take.
func (c *ColumnBuilder) held() int {
	return len(c.values) - levelRoom + 8*len(c.numbers) + 8*len(c.marks) + 8*len(c.defined) + 2*len(c.dictionary) +
		entrySize*len(c.indexes) + int(c.size)
}

// levelRoom is more than the levels of a page take: their length, and at most two bytes for a group.
const levelRoom = 16 + 2*pageValues/groupSize

// endPage compresses the values into a page.
func (c *ColumnBuilder) endPage() {
	if c.count == 0 {
		return
	}
	c.appendNumbers()
	c.appendMarks()
	c.pages = append(c.pages, c.newPage(dataPage, c.withLevels(), c.count, c.encoding())...)
	c.total += c.count
	c.buffers = c.buffers.emptied()
	c.count = 0
}

// encoding returns how the values are written.
func (c *ColumnBuilder) encoding() int {
	switch {
	case c.Repeats:
		return encodingDictionary
	case c.Type == Int || c.Type == Timestamp || c.Type == Date:
		return encodingDelta
	}
	return encodingPlain
}

func (c *ColumnBuilder) appendNumbers() {
	if c.encoding() != encodingDelta {
		return
	}
	for _, v := range c.numbers {
		c.interval.addInt(v)
	}
	c.values = appendDelta(c.values, c.numbers, c.Type == Date)
}

// appendMarks appends truth values or indexes of the dictionary to the values.
func (c *ColumnBuilder) appendMarks() {
	switch {
	case c.Repeats:
		width := bitWidth(uint32(c.entries))
		c.values = appendHybrid(append(c.values, byte(width)), c.codec.expand(c.marks), width)
	case c.Type == Bool:
		for _, r := range c.marks {
			c.interval.addInt(int64(r.value))
		}
		c.values = appendPacked(c.values, c.codec.expand(c.marks), 1)
	}
}

// withLevels returns the page: the values, and before them the levels if there can be nulls.
func (c *ColumnBuilder) withLevels() []byte {
	if c.Required {
		return c.values[levelRoom:]
	}
	levels := appendHybrid(append(c.codec.levels[:0], 0, 0, 0, 0), c.codec.expand(c.defined), 1)
	binary.LittleEndian.PutUint32(levels, uint32(len(levels)-4))
	c.codec.levels = levels
	start := levelRoom - len(levels)
	copy(c.values[start:], levels)
	return c.values[start:]
}

// newPage returns a page and its header before it.
func (c *ColumnBuilder) newPage(kind pageKind, page []byte, count, encoding int) [][]byte {
	compressed := c.codec.compress(page)
	head := kind.header(len(page), len(compressed), count, encoding)
	c.rawSize += int64(len(head) + len(page))
	c.size += int64(len(head) + len(compressed))
	return [][]byte{head, bytes.Clone(compressed)}
}

// finish ends the last page and makes the dictionary.
func (c *ColumnBuilder) finish() {
	c.endPage()
	c.buffers = buffers{}
	before := c.size
	if c.Repeats {
		c.dictionaryPage = c.newPage(dictionaryPage, c.dictionary, c.entries, encodingPlain)
	}
	c.dictionarySize = c.size - before
}
