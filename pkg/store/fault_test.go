package store

import "testing"

func TestCountFaults(t *testing.T) {
	tests := []struct {
		kinds []FaultKind
		want  string
	}{
		{nil, "nothing damaged"},
		{[]FaultKind{Foreign, Damaged, Damaged}, "2 damaged, 1 written by another program"},
		{[]FaultKind{Unsealed, Undigested, Incomplete},
			"1 incomplete, 1 without a digest, no checksums of rows until the next import"},
	}
	for _, test := range tests {
		var faults []Fault
		for _, kind := range test.kinds {
			faults = append(faults, Fault{Kind: kind})
		}
		if got := CountFaults(faults); got != test.want {
			t.Errorf("%v: %q, want %q", test.kinds, got, test.want)
		}
	}
}
