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

type entryMisfit struct {
	entry int32
	misfit
}

func (ix *Index) misfitOf(entry int32) misfit {
	at, found := slices.BinarySearchFunc(ix.misfits, entry, func(m entryMisfit, entry int32) int {
		return cmp.Compare(m.entry, entry)
	})
	if !found {
		return misfit{}
	}
	return ix.misfits[at].misfit
}
