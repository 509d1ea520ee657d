package rebuild

import (
	"fmt"
	"strings"
	"testing"
)

// Names of every length keep their symbols and their text, also after the table was dropped and made again.
func TestSymbols(t *testing.T) {
	table := newSymbols()
	names := []string{""}
	for _, length := range []int{1, wholeBlock - 1, wholeBlock, wholeBlock + 1, 1, symbolBlock, 2 * symbolBlock} {
		names = append(names, strings.Repeat("n", length)+fmt.Sprint(len(names)))
	}
	for len(names) < largeTable {
		names = append(names, fmt.Sprint(len(names)))
	}
	for i, name := range names {
		if got := table.of([]byte(name)); int(got) != i {
			t.Fatalf("name %d is symbol %d", i, got)
		}
	}
	if table.rest(); table.slots != nil {
		t.Fatalf("%d slots are kept", len(table.slots))
	}
	if _, known := table.find([]byte("unknown")); known {
		t.Error("an unknown name is found without the table")
	}
	for i, name := range names {
		if got, known := table.find([]byte(name)); int(got) != i || !known || string(table.bytes(got)) != name {
			t.Fatalf("name %d is found as symbol %d, %.20q", i, got, table.bytes(got))
		}
	}
	table.rest()
	if got := table.of([]byte("new")); int(got) != len(names) || table.len() != len(names)+1 {
		t.Errorf("a new name is symbol %d of %d", got, table.len())
	}
	if _, known := table.find([]byte("unknown")); known {
		t.Error("an unknown name is found")
	}
}

// Names with a mark are found with and without the table, and no others.
func TestMarkedSymbols(t *testing.T) {
	table := newSymbols()
	for i := range largeTable {
		table.of(fmt.Append(nil, "name ", i))
	}
	table.rest()
	marks := make([]int32, table.len())
	for i := 0; i < largeTable; i += 5000 {
		marked, other := fmt.Append(nil, "name ", i), fmt.Append(nil, "name ", i+1)
		marks[i+1] = 1 // the first symbol is that of no name
		if !table.has(marked, marks) || table.has(other, marks) || table.has([]byte("unknown"), marks) {
			t.Errorf("%s: %v, %s: %v", marked, table.has(marked, marks), other, table.has(other, marks))
		}
	}
	if table.slots == nil {
		t.Error("many names were looked up without the table")
	}
}
