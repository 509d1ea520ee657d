package parquet

import (
	"encoding/binary"
	"math"
)

// longestBound is the length of the longest text that is written as a bound.
const longestBound = 256

// An interval is the least and the greatest value of a column.
type interval struct {
	low, high           []byte // of texts
	lowInt, highInt     int64
	lowFloat, highFloat float64
	isSet, isUnknown    bool
}

// addInt extends the interval by a number.
func (r *interval) addInt(v int64) {
	if !r.isSet {
		r.lowInt, r.highInt, r.isSet = v, v, true
		return
	}
	r.lowInt, r.highInt = min(r.lowInt, v), max(r.highInt, v)
}

// addFloat extends the interval by a number. One that is not a number has no order, so there are no bounds.
func (r *interval) addFloat(v float64) {
	switch {
	case v != v:
		r.isUnknown = true
	case !r.isSet:
		r.lowFloat, r.highFloat, r.isSet = v, v, true
	default:
		r.lowFloat, r.highFloat = min(r.lowFloat, v), max(r.highFloat, v)
	}
}

// addText extends the interval by a text.
func (r *interval) addText(v string) {
	if r.isUnknown = r.isUnknown || len(v) > longestBound; r.isUnknown {
		return
	}
	if !r.isSet || v < string(r.low) {
		r.low = append(r.low[:0], v...)
	}
	if !r.isSet || v > string(r.high) {
		r.high = append(r.high[:0], v...)
	}
	r.isSet = true
}

// bounds returns the bounds in their plain form without a length, if they are known.
func (r *interval) bounds(t Type) (low, high []byte, ok bool) {
	if !r.isSet || r.isUnknown {
		return nil, nil, false
	}
	switch t {
	case Bool:
		return []byte{byte(r.lowInt)}, []byte{byte(r.highInt)}, true
	case Date:
		return binary.LittleEndian.AppendUint32(nil, uint32(r.lowInt)),
			binary.LittleEndian.AppendUint32(nil, uint32(r.highInt)), true
	case Int, Timestamp:
		return binary.LittleEndian.AppendUint64(nil, uint64(r.lowInt)),
			binary.LittleEndian.AppendUint64(nil, uint64(r.highInt)), true
	case Float:
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(r.lowFloat)),
			binary.LittleEndian.AppendUint64(nil, math.Float64bits(r.highFloat)), true
	}
	return r.low, r.high, true
}
