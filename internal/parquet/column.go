package parquet

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
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
	last       string // the last text
	lastIndex  uint32

	pages    [][]byte // finished ones with their headers
	rawSize  int64    // of the finished pages, and of the dictionary in the end
	size     int64    // the same, compressed
	total    int      // number of values and nulls in the finished pages
	nulls    int64
	interval interval
}

// The buffers of a page. The next file has the same columns, and uses them again.
type buffers struct {
	values  []byte   // plain values, after room for the levels
	bits    []uint32 // values of a Bool, or indexes of the dictionary
	defined []uint32 // 1 for a value, 0 for a null
}

// emptied returns the buffers for another page.
func (b buffers) emptied() buffers {
	if cap(b.values) < levelRoom || cap(b.values) > 2*pageSize { // new, or of a value that was much longer than most
		b.values = make([]byte, levelRoom)
	}
	return buffers{b.values[:levelRoom], b.bits[:0], b.defined[:0]}
}

// Null adds a null.
func (c *ColumnBuilder) Null() {
	if c.Required {
		panic("parquet: null in " + c.Name)
	}
	c.nulls++
	c.add(0)
}

// add counts a value or a null, and ends the page if it is full.
func (c *ColumnBuilder) add(defined uint32) {
	if !c.Required {
		c.defined = append(c.defined, defined)
	}
	c.count++
	if c.count == pageValues || len(c.values) >= levelRoom+pageSize {
		c.endPage()
	}
}

// Bool adds a truth value.
func (c *ColumnBuilder) Bool(v bool) {
	bit := uint32(0)
	if v {
		bit = 1
	}
	c.interval.addInt(int64(bit))
	c.bits = append(c.bits, bit)
	c.add(1)
}

// Int adds a number, a timestamp or a date.
func (c *ColumnBuilder) Int(v int64) {
	c.interval.addInt(v)
	if c.Type == Date {
		c.values = binary.LittleEndian.AppendUint32(c.values, uint32(v))
	} else {
		c.values = binary.LittleEndian.AppendUint64(c.values, uint64(v))
	}
	c.add(1)
}

// Float adds a number. Of the two zeros, only one is written, so that readers agree about bounds.
func (c *ColumnBuilder) Float(v float64) {
	if v == 0 {
		v = 0
	}
	c.interval.addFloat(v)
	c.values = binary.LittleEndian.AppendUint64(c.values, math.Float64bits(v))
	c.add(1)
}

// Content adds a text, a JSON value or bytes to a column that does not repeat and has no range.
func (c *ColumnBuilder) Content(v []byte) {
	c.values = append(binary.LittleEndian.AppendUint32(c.values, uint32(len(v))), v...)
	c.add(1)
}

// Text adds a short text.
func (c *ColumnBuilder) Text(v string) {
	if c.Repeats {
		c.bits = append(c.bits, c.index(v))
	} else {
		c.interval.addText(v)
		c.values = appendText(c.values, v)
	}
	c.add(1)
}

// index returns the index of a text in the dictionary. It is often the one before.
func (c *ColumnBuilder) index(v string) uint32 {
	if v == c.last && c.indexes != nil {
		return c.lastIndex
	}
	i, known := c.indexes[v]
	if !known {
		if c.indexes == nil {
			c.indexes = map[string]uint32{}
		}
		i = uint32(len(c.indexes))
		c.indexes[strings.Clone(v)] = i
		c.dictionary = appendText(c.dictionary, v)
		c.interval.addText(v)
	}
	c.last, c.lastIndex = v, i
	return i
}

// appendText appends the plain form of a text: its length and its bytes.
func appendText(dst []byte, v string) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(v))), v...)
}

// entrySize is about what a map takes for a text of the dictionary, beside its bytes.
const entrySize = 64

// held returns how many bytes of memory the values take.
func (c *ColumnBuilder) held() int {
	return len(c.values) - levelRoom + 4*len(c.bits) + 4*len(c.defined) + 2*len(c.dictionary) + entrySize*len(c.indexes) +
		int(c.size)
}

// levelRoom is more than the levels of a page take: their length, and at most two bytes for a group.
const levelRoom = 16 + 2*pageValues/groupSize

// endPage compresses the values into a page.
func (c *ColumnBuilder) endPage() {
	if c.count == 0 {
		return
	}
	encoding := encodingPlain
	switch {
	case c.Repeats:
		encoding = encodingDictionary
		width := bitWidth(uint32(len(c.indexes)))
		c.values = appendHybrid(append(c.values, byte(width)), c.bits, width)
	case c.Type == Bool:
		c.values = appendPacked(c.values, c.bits, 1)
	}
	c.pages = append(c.pages, c.newPage(c.withLevels(), dataPage{count: c.count, encoding: encoding}))
	c.total += c.count
	c.buffers = c.buffers.emptied()
	c.count = 0
}

// withLevels returns the page: the values, and before them the levels if there can be nulls.
func (c *ColumnBuilder) withLevels() []byte {
	if c.Required {
		return c.values[levelRoom:]
	}
	levels := appendHybrid(append(c.codec.levels[:0], 0, 0, 0, 0), c.defined, 1)
	binary.LittleEndian.PutUint32(levels, uint32(len(levels)-4))
	c.codec.levels = levels
	start := levelRoom - len(levels)
	copy(c.values[start:], levels)
	return c.values[start:]
}

// newPage returns a page with its header.
func (c *ColumnBuilder) newPage(page []byte, header pageHeader) []byte {
	compressed := c.codec.compress(page)
	head := header.encode(len(page), len(compressed))
	c.rawSize += int64(len(head) + len(page))
	c.size += int64(len(head) + len(compressed))
	return slices.Concat(head, compressed)
}

// A chunk is a finished column.
type chunk struct {
	*ColumnBuilder
	dictionaryPage []byte // nil without a dictionary
}

// finish ends the last page and makes the dictionary.
func (c *ColumnBuilder) finish() chunk {
	c.endPage()
	c.codec.giveBack(c.Column, c.buffers)
	c.buffers = buffers{}
	finished := chunk{ColumnBuilder: c}
	if c.Repeats {
		finished.dictionaryPage = c.newPage(c.dictionary, dictionaryPage(len(c.indexes)))
	}
	return finished
}
