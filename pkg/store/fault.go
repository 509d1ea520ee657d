package store

import (
	"fmt"
	"strings"
)

// A FaultRow is the JSON form of a fault.
type FaultRow struct {
	SchemaVersion int         `json:"schema_version"`
	Fault         ProblemKind `json:"fault"`
	Store         string      `json:"store"`
	Table         string      `json:"table,omitempty"`
	Session       string      `json:"session,omitempty"`
	Message       string      `json:"message"`
}

// Row returns the JSON form of a fault in the store at a path.
func (f *Problem) Row(path string) FaultRow {
	return FaultRow{1, f.Kind, path, f.Table, f.Session, f.Text}
}

// faultWords name the kinds of faults in a summary, in this order.
var faultWords = []struct {
	kind  ProblemKind
	words string
}{
	{Damaged, "%d damaged"},
	{Incomplete, "%d incomplete"},
	{Undigested, "%d without a digest"},
	{Unreachable, "%d in an archive that is not there"},
	{Foreign, "%d written by another program"},
	{Unsealed, "no checksums of rows until the next import"},
}

// CountFaults says how many faults of each kind there are.
func CountFaults(faults []Problem) string {
	counts := map[ProblemKind]int{}
	for _, f := range faults {
		counts[f.Kind]++
	}
	var parts []string
	for _, w := range faultWords {
		switch n := counts[w.kind]; {
		case n == 0:
		case strings.Contains(w.words, "%d"):
			parts = append(parts, fmt.Sprintf(w.words, n))
		default:
			parts = append(parts, w.words)
		}
	}
	if parts == nil {
		return "nothing damaged"
	}
	return strings.Join(parts, ", ")
}
