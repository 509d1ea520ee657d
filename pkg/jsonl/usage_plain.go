package jsonl

// Nearly all usage has the keys that OpenClaw writes, in the same order and without white space. Walking over them took
// a tenth of the time of counting a transcript.

// plainUsage reads usage of that form. ok is false for any other.
func plainUsage(v Value) (u Usage, ok bool) {
	r := plainReader{text: v}
	u.Input = tokenCount(r.number(`{"input":`))
	u.Output = tokenCount(r.number(`,"output":`))
	u.CacheRead = tokenCount(r.number(`,"cacheRead":`))
	u.CacheWrite = tokenCount(r.number(`,"cacheWrite":`))
	u.Total = tokenCount(r.number(`,"totalTokens":`))
	r.number(`,"cost":{"input":`)
	r.number(`,"output":`)
	r.number(`,"cacheRead":`)
	r.number(`,"cacheWrite":`)
	u.setCost(r.number(`,"total":`))
	return u, string(r.text) == "}}"
}

// A plainReader reads numbers after expected words. Its text is what follows them, nil if something else was found.
type plainReader struct{ text []byte }

// number returns the number after some words, or nil.
func (r *plainReader) number(words string) Value {
	rest := r.text
	r.text = nil
	if len(rest) < len(words) || string(rest[:len(words)]) != words {
		return nil
	}
	rest = rest[len(words):]
	end := 0
	for end < len(rest) && numberBytes[rest[end]] {
		end++
	}
	if end == 0 {
		return nil
	}
	r.text = rest[end:]
	return Value(rest[:end:end])
}

// numberBytes are the bytes that can be part of a number.
var numberBytes = [256]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'.': true, '-': true, '+': true, 'e': true, 'E': true,
}
