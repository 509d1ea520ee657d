package parquet

import (
	"encoding/binary"
	"math/bits"
)

// runs are values that often repeat.
type runs []run

type run struct{ value, count uint32 }

func (r *runs) add(v uint32) {
	if last := len(*r) - 1; last >= 0 && (*r)[last].value == v {
		(*r)[last].count++
		return
	}
	*r = append(*r, run{v, 1})
}

// bitWidth returns the number of bits that values below n need, which is at least one.
func bitWidth(n uint32) int { return max(1, bits.Len32(n-min(n, 1))) }

// groupSize is the number of values that are packed together.
const groupSize = 8

// appendHybrid appends values as runs: of one value that repeats, or of packed values in groups of eight.
func appendHybrid(dst []byte, values []uint32, width int) []byte {
	for len(values) > 0 {
		if n := repeats(values); n >= groupSize {
			dst = binary.AppendUvarint(dst, uint64(n)<<1)
			for shift := 0; shift < width; shift += 8 {
				dst = append(dst, byte(values[0]>>shift))
			}
			values = values[n:]
			continue
		}
		n := packable(values)
		groups := (n + groupSize - 1) / groupSize
		dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
		before := len(dst)
		dst = appendPacked(dst, values[:n], width)
		for len(dst)-before < groups*width {
			dst = append(dst, 0) // the last group is filled with zeros
		}
		values = values[n:]
	}
	return dst
}

// repeats returns how often the first value is repeated.
func repeats(values []uint32) int {
	n := 1
	for n < len(values) && values[n] == values[0] {
		n++
	}
	return n
}

// packable returns the number of values before the next run that is worth its own header. It is a multiple of the group
// size, unless it is all of them.
func packable(values []uint32) int {
	for n := groupSize; n < len(values); n += groupSize {
		if len(values)-n >= groupSize && repeats(values[n:min(n+2*groupSize, len(values))]) >= groupSize {
			return n
		}
	}
	return len(values)
}

// appendPacked appends values one after another, each in some bits, the lowest first. They end at a byte.
func appendPacked[V uint32 | uint64](dst []byte, values []V, width int) []byte {
	pending, used := uint64(0), 0
	for _, v := range values {
		pending |= uint64(v) << used
		if used += width; used >= 64 {
			dst = binary.LittleEndian.AppendUint64(dst, pending)
			used -= 64
			pending = uint64(v) >> (width - used)
		}
	}
	for ; used > 0; used -= 8 {
		dst = append(dst, byte(pending))
		pending >>= 8
	}
	return dst
}
