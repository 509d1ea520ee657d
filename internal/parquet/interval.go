package parquet

// longestBound is the length of the longest text that is written as a bound.
const longestBound = 256

// An interval is the least and the greatest value of a column, in their plain form without a length.
type interval struct {
	low, high           []byte
	lowInt, highInt     int64
	lowFloat, highFloat float64
	isSet, isUnknown    bool
}

// add extends the interval by a value whose order is that of a number.
func (r *interval) add(plain []byte, v int64) {
	if !r.isSet || v < r.lowInt {
		r.low, r.lowInt = append(r.low[:0], plain...), v
	}
	if !r.isSet || v > r.highInt {
		r.high, r.highInt = append(r.high[:0], plain...), v
	}
	r.isSet = true
}

// addFloat extends the interval by a number. One that is not a number has no order, so there are no bounds.
func (r *interval) addFloat(plain []byte, v float64) {
	if v != v {
		r.isUnknown = true
		return
	}
	if !r.isSet || v < r.lowFloat {
		r.low, r.lowFloat = append(r.low[:0], plain...), v
	}
	if !r.isSet || v > r.highFloat {
		r.high, r.highFloat = append(r.high[:0], plain...), v
	}
	r.isSet = true
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

// bounds returns the bounds, if they are known.
func (r *interval) bounds() (low, high []byte, ok bool) {
	return r.low, r.high, r.isSet && !r.isUnknown
}
