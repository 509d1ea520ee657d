package rebuild

import (
	"fmt"
	"strings"
	"testing"
)

// Names of every length keep their symbols and their text.
func TestSymbols(t *testing.T) {
	table := newSymbols()
	names := []string{""}
	for _, length := range []int{1, wholeBlock - 1, wholeBlock, wholeBlock + 1, 1, symbolBlock, 2 * symbolBlock} {
		names = append(names, strings.Repeat("n", length)+fmt.Sprint(len(names)))
	}
	for len(names) < 1<<19 {
		names = append(names, fmt.Sprint(len(names)))
	}
	for i, name := range names {
		if got := table.of([]byte(name)); int(got) != i {
			t.Fatalf("name %d is symbol %d", i, got)
		}
	}
	for i, name := range names {
		if got, known := table.find([]byte(name)); int(got) != i || !known || string(table.bytes(got)) != name {
			t.Fatalf("name %d is found as symbol %d, %.20q", i, got, table.bytes(got))
		}
	}
	if got := table.of([]byte("new")); int(got) != len(names) || table.len() != len(names)+1 {
		t.Errorf("a new name is symbol %d of %d", got, table.len())
	}
	if _, known := table.find([]byte("unknown")); known {
		t.Error("an unknown name is found")
	}
}
