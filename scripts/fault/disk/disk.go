// Package disk models what a disk may contain after the power is cut.
//
// A Record lists what a program did to the files of a folder: writes, truncations, syncs, and changes of names. State
// builds one of the folders that a power cut at some moment may leave. What was synced before is there. Of everything
// else, any part may be there: each sector that was written after the last sync has one of its contents since then, and
// a folder has a prefix of the changes since its own last sync. Real file systems promise more. A program that is safe
// here does not depend on that.
package disk

import (
	"cmp"
	"maps"
	"path"
	"slices"
)

// A Kind is what an operation does.
type Kind int

// The kinds of operations.
const (
	Write    Kind = iota // Data at Offset of File
	Truncate             // File to Size
	Sync                 // File
	Create               // Path as File, which may have other names
	Mkdir                // Path
	Remove               // Path
	Rename               // Path to To, in the same folder
	SyncDir              // Path
)

// An Op is an operation on a folder. It runs from moment Start to moment End.
type Op struct {
	Kind       Kind
	Start, End int
	File       int
	Path, To   string // below the folder, with slashes; "." is the folder itself
	Offset     int64
	Size       int64
	Data       []byte
}

// An Output is what the program printed at a moment.
type Output struct {
	Moment int
	Text   string
}

// A Record is what a program did, in the order in which the operations began. Files are numbered. A number stays with
// its file under every name.
type Record struct {
	Before  map[string]int // the files that were there and durable, by path
	Content map[int][]byte // what they contained
	Folders []string       // the folders that were there
	Ops     []Op
	Printed []Output
	Moments int // the number of moments; every Start, End and Moment is below it
}

// Without returns the record of a program that leaves out some operations.
func (r *Record) Without(left func(Op) bool) *Record {
	other := *r
	other.Ops = slices.DeleteFunc(slices.Clone(r.Ops), left)
	return &other
}

// PrintedBefore returns what the program had printed at a moment.
func (r *Record) PrintedBefore(moment int) (text string) {
	for _, o := range r.Printed {
		if o.Moment < moment {
			text += o.Text
		}
	}
	return text
}

// split returns the operations that had begun at a moment and that keep selects, and how many of them are durable.
// isSync selects the operations that make them durable.
func (r *Record) split(moment int, keep, isSync func(Op) bool) (ops []Op, durable int) {
	synced := -1 // what had ended before this moment is durable
	for _, op := range r.Ops {
		if isSync(op) && op.End < moment {
			synced = max(synced, op.Start)
		}
	}
	for _, op := range r.Ops {
		if op.Start < moment && keep(op) {
			ops = append(ops, op)
			if op.End < synced {
				durable = len(ops)
			}
		}
	}
	return ops, durable
}

// changesNames reports whether an operation changes the names in a folder.
func changesNames(op Op, folder string) bool {
	return op.Kind >= Create && op.Kind <= Rename && path.Dir(op.Path) == folder
}

// sortedKeys returns the keys of a map in order, so that a state depends on the random numbers alone.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
