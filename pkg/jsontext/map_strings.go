package jsontext

// MapStrings returns a JSON value in which change was applied to every decoded string, keys included. A string that
// stays the same stays as it was written.
func MapStrings(v Value, change func(string) string) Value {
	dst := make(Value, 0, len(v))
	for i := 0; i < len(v); {
		if v[i] != '"' {
			dst = append(dst, v[i])
			i++
			continue
		}
		end := stringEnd(v, i)
		text := v[i:end].String()
		if changed := change(text); changed != text {
			dst = AppendQuote(dst, changed)
		} else {
			dst = append(dst, v[i:end]...)
		}
		i = end
	}
	return dst
}

// stringEnd returns the index after the string that starts at i.
func stringEnd(v Value, i int) int {
	for i++; v[i] != '"'; i++ {
		if v[i] == '\\' {
			i++
		}
	}
	return i + 1
}
