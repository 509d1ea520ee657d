package rebuild

import (
	"cmp"
	"slices"

	"clawctl/pkg/jsonl"
)

// A misfit is the first field of a record that has not the shape that OpenClaw requires. Without one, its field is "".
type misfit struct {
	field   string // a name of a format, never text of the transcript
	missing bool
}

// String says what is wrong with the field.
func (m misfit) String() string {
	switch {
	case m.field == "":
		return "message.role"
	case m.missing:
		return m.field + " is missing"
	}
	return m.field + " has the wrong type or value"
}

// need reports whether a field fits, and remembers the first one that does not.
func (s *sketcher) need(field string, v jsonl.Value, fits bool) bool {
	if !fits && s.sketch.misfit.field == "" {
		s.sketch.misfit = misfit{field, !v.Exists()}
	}
	return fits
}

func (ix *Index) misfitOf(entry int32) misfit { return ofEntry(ix.misfits, entry) }

// A noted value is what the index knows about one entry, where few entries have such a thing.
type noted[T any] struct {
	entry int32
	value T
}

// ofEntry returns the value of an entry in a list in the order of entries, or the zero value.
func ofEntry[T any](list []noted[T], entry int32) (value T) {
	byEntry := func(n noted[T], entry int32) int { return cmp.Compare(n.entry, entry) }
	if at, found := slices.BinarySearchFunc(list, entry, byEntry); found {
		value = list[at].value
	}
	return value
}
