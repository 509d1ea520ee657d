package jsonl

import "testing"

// No start of the program searches for the factor of the types. If this fails, the new one is typeTable.Get().factor.
func TestTypeFactor(t *testing.T) {
	if typeTable().factor != typeFactor {
		t.Errorf("typeFactor should be %#x", typeTable().factor)
	}
}
