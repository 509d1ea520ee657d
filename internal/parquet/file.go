package parquet

import (
	"encoding/binary"
	"sync"
)

// Numbers of the format's enumerations.
const (
	encodingPlain      = 0
	encodingHybrid     = 3
	encodingDelta      = 5
	encodingDictionary = 8
	codecZstd          = 6
	isRequired         = 0
	isOptional         = 1
)

// magic begins and ends a file.
const magic = "PAR1"

// A pageKind is the number of a kind of page, and that of the field with its header.
type pageKind struct{ number, field int }

var dataPage, dictionaryPage = pageKind{0, 5}, pageKind{2, 7}

// header returns what a page of a number of values says about itself. Only data has levels.
func (k pageKind) header(raw, compressed, count, encoding int) []byte {
	return encodeStruct(func(m *message) {
		m.int32(1, k.number)
		m.int32(2, raw)
		m.int32(3, compressed)
		m.fields(k.field, func(m *message) {
			m.int32(1, count)
			m.int32(2, encoding)
			if k == dataPage {
				m.int32(3, encodingHybrid)
				m.int32(4, encodingHybrid)
			}
		})
	})
}

// A Fact is a name and a value in the metadata of a file.
type Fact struct{ Name, Value string }

// Finish ends the file and returns its pieces, which are to be written one after another. The builder must not be used
// again.
func (b *Builder) Finish(creator string, facts ...Fact) [][]byte {
	pieces := [][]byte{[]byte(magic)}
	offset := int64(len(magic))
	for _, c := range b.columns {
		c.finish()
		c.offset = offset
		pieces = append(append(pieces, c.dictionaryPage...), c.pages...)
		offset += c.size
	}
	footer := b.footer(creator, facts)
	end := binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return append(pieces, append(end, magic...))
}

// footer returns the metadata of the file.
func (b *Builder) footer(creator string, facts []Fact) []byte {
	return encodeStruct(func(m *message) {
		m.int32(1, 2)
		m.structs(2, 1+len(b.columns), func(m *message, i int) {
			if i == 0 {
				m.text(4, "schema")
				m.int32(5, len(b.columns))
				return
			}
			b.columns[i-1].describe(m)
		})
		m.int64(3, int64(b.rows))
		m.structs(4, 1, func(m *message, _ int) { b.rowGroup(m) })
		if len(facts) > 0 {
			m.structs(5, len(facts), func(m *message, i int) {
				m.text(1, facts[i].Name)
				m.text(2, facts[i].Value)
			})
		}
		m.text(6, creator)
		m.structs(7, len(b.columns), func(m *message, _ int) { m.fields(1, func(*message) {}) })
	})
}

// rowGroup writes where the columns are.
func (b *Builder) rowGroup(m *message) {
	raw, compressed := int64(0), int64(0)
	m.structs(1, len(b.columns), func(m *message, i int) {
		raw += b.columns[i].rawSize
		compressed += b.columns[i].size
		m.int64(2, 0) // the metadata is only here
		m.fields(3, b.columns[i].metadata)
	})
	m.int64(2, raw)
	m.int64(3, int64(b.rows))
	m.int64(5, int64(len(magic)))
	m.int64(6, compressed)
}

// metadata writes where a column is and what it contains.
func (c *ColumnBuilder) metadata(m *message) {
	m.int32(1, kinds()[c.Type].physical)
	if c.Repeats {
		m.int32s(2, encodingPlain, encodingHybrid, encodingDictionary)
	} else {
		m.int32s(2, c.encoding(), encodingHybrid)
	}
	m.texts(3, c.Name)
	m.int32(4, codecZstd)
	m.int64(5, int64(c.total))
	m.int64(6, c.rawSize)
	m.int64(7, c.size)
	m.int64(9, c.offset+c.dictionarySize)
	if c.Repeats {
		m.int64(11, c.offset)
	}
	m.fields(12, func(m *message) {
		m.int64(3, c.nulls)
		if low, high, ok := c.interval.bounds(c.Type); ok {
			m.bytes(5, high)
			m.bytes(6, low)
		}
	})
}

// A kind is how the format names a type.
type kind struct {
	physical  int
	converted int // the old name of the logical type, or -1
	logical   func(m *message)
}

var kinds = sync.OnceValue(func() map[Type]kind {
	return map[Type]kind{
		Bool:  {physical: 0, converted: -1},
		Int:   {physical: 2, converted: -1},
		Float: {physical: 5, converted: -1},
		Bytes: {physical: 6, converted: -1},
		Text:  {6, 0, func(m *message) { m.fields(1, nothing) }},
		JSON:  {6, 19, func(m *message) { m.fields(12, nothing) }},
		Date:  {1, 6, func(m *message) { m.fields(6, nothing) }},
		Timestamp: {2, 10, func(m *message) {
			m.fields(8, func(m *message) {
				m.header(1, thriftTrue) // in UTC
				m.fields(2, func(m *message) { m.fields(2, nothing) })
			})
		}},
	}
})

func nothing(*message) {}

// describe writes the column's part of the schema.
func (c *ColumnBuilder) describe(m *message) {
	k := kinds()[c.Type]
	m.int32(1, k.physical)
	if c.Required {
		m.int32(3, isRequired)
	} else {
		m.int32(3, isOptional)
	}
	m.text(4, c.Name)
	if k.converted >= 0 {
		m.int32(6, k.converted)
	}
	if k.logical != nil {
		m.fields(10, k.logical)
	}
}
