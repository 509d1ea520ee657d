package parquet

import "encoding/binary"

// The types of fields in Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftInt32  = 5
	thriftInt64  = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

// A message is a struct in Thrift's compact protocol. Its fields must be written in the order of their numbers.
type message struct {
	buf  []byte
	last int // number of the last field
}

func (m *message) header(number, kind int) {
	m.buf = append(m.buf, byte((number-m.last)<<4|kind))
	m.last = number
}

func (m *message) int32(number int, v int) {
	m.header(number, thriftInt32)
	m.buf = binary.AppendVarint(m.buf, int64(v))
}

func (m *message) int64(number int, v int64) {
	m.header(number, thriftInt64)
	m.buf = binary.AppendVarint(m.buf, v)
}

func (m *message) bytes(number int, v []byte) {
	m.header(number, thriftBinary)
	m.buf = append(binary.AppendUvarint(m.buf, uint64(len(v))), v...)
}

func (m *message) text(number int, v string) { m.bytes(number, []byte(v)) }

// fields writes a struct whose fields a function writes.
func (m *message) fields(number int, write func(*message)) {
	m.header(number, thriftStruct)
	m.element(write)
}

// element writes a struct without a field's header, as an element of a list.
func (m *message) element(write func(*message)) {
	inner := message{buf: m.buf}
	write(&inner)
	m.buf = append(inner.buf, 0)
}

// list begins a list. The caller writes its elements.
func (m *message) list(number, kind, length int) {
	m.header(number, thriftList)
	if length < 15 {
		m.buf = append(m.buf, byte(length<<4|kind))
		return
	}
	m.buf = binary.AppendUvarint(append(m.buf, byte(15<<4|kind)), uint64(length))
}

// structs writes a list of n structs.
func (m *message) structs(number, n int, write func(m *message, i int)) {
	m.list(number, thriftStruct, n)
	for i := range n {
		m.element(func(m *message) { write(m, i) })
	}
}

// int32s writes a list of numbers.
func (m *message) int32s(number int, list ...int) {
	m.list(number, thriftInt32, len(list))
	for _, v := range list {
		m.buf = binary.AppendVarint(m.buf, int64(v))
	}
}

func (m *message) texts(number int, list ...string) {
	m.list(number, thriftBinary, len(list))
	for _, v := range list {
		m.buf = append(binary.AppendUvarint(m.buf, uint64(len(v))), v...)
	}
}

// encodeStruct returns a struct whose fields a function writes.
func encodeStruct(write func(*message)) []byte {
	m := message{}
	m.element(write)
	return m.buf
}
