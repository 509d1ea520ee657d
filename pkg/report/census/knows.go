package census

// Knows reports whether a field of the objects in a place is known, in lines that are not translated.
func Knows(in, name string) bool {
	p := tableOf(nil)[in]
	return p != nil && (name == p.by || p.fields[name] != nil)
}

// KnowsValue reports whether a value of a field is known, or the field may have any.
func KnowsValue(in, name, value string) bool {
	if !Knows(in, name) {
		return false
	}
	f := tableOf(nil)[in].fields[name]
	return f == nil || f.values == nil || f.values[value]
}
