package jsontext

import "iter"

// WithMembers returns an object with other values for some members: change returns the value of a member, which may be
// the same, or nil to leave the member out. Keys stay as they are written, and white space between members goes.
func (v Value) WithMembers(change func(key string, value Value) Value) []byte {
	out := []byte{'{'}
	for key, value := range v.members() {
		if value = change(string(PlainKey(key)), value); value != nil {
			out = append(append(append(startMember(out), '"'), key...), '"', ':')
			out = append(out, value...)
		}
	}
	return append(out, '}')
}

// AppendMember appends a member to an object that is being written and has another one, if there is a value.
func AppendMember(dst []byte, key string, v Value) []byte {
	if !v.Exists() {
		return dst
	}
	return append(append(append(append(dst, `,"`...), key...), `":`...), v...)
}

// startMember separates the next member of an object from those before it.
func startMember(object []byte) []byte {
	if len(object) == 1 {
		return object
	}
	return append(object, ',')
}

// With returns an object in which a key has a value. A new key comes last, and a repeated one occurs once. What is not
// an object counts as an empty one.
func (v Value) With(key string, value []byte) Value {
	isDone := false
	out := v.WithMembers(func(name string, old Value) Value {
		switch {
		case name != key:
			return old
		case isDone:
			return nil
		}
		isDone = true
		return value
	})
	if isDone {
		return out
	}
	out = append(AppendQuote(startMember(out[:len(out)-1]), key), ':')
	return append(append(out, value...), '}')
}

// WithText is With for a string.
func (v Value) WithText(key, text string) Value { return v.With(key, []byte(Quote(text))) }

// Without returns an object without a key.
func (v Value) Without(key string) Value {
	return v.WithMembers(func(name string, value Value) Value {
		if name == key {
			return nil
		}
		return value
	})
}

// List returns an array of values.
func List(values []Value) Value {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// Cuts is for whoever takes members out of an object, or elements out of an array, and leaves everything else as it is
// written. parts are where all of them are, in order, and goes says which ones go. It returns what has to go with each:
// the text up to the next part or, if none of those after it stay, the text from the end of the one before.
func Cuts(parts [][2]int, goes func(i int) bool) iter.Seq2[int, [2]int] {
	return func(yield func(int, [2]int) bool) {
		tail := len(parts) // from here on, all of them go
		for tail > 0 && goes(tail-1) {
			tail--
		}
		for i, part := range parts {
			switch {
			case !goes(i):
				continue
			case i < tail:
				part[1] = parts[i+1][0]
			case i > 0:
				part[0] = parts[i-1][1]
			}
			if !yield(i, part) {
				return
			}
		}
	}
}
