package secrets

// A Place is a range of bytes that holds a key, without the mark that it begins with.
type Place struct{ Start, End int }

// Find returns the places that Mask replaces, in order and without overlaps.
func Find(text string) (found []Place) {
	if key, _ := Search([]byte(text)); !key {
		return nil
	}
	from := 0
	for _, p := range placesOf([]byte(text)) {
		if p.start >= from {
			found = append(found, Place{p.start, p.end})
			from = p.end
		}
	}
	return found
}
