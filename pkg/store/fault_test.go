package store

import "testing"

func TestCountFaults(t *testing.T) {
	tests := []struct {
		kinds []ProblemKind
		want  string
	}{
		{nil, "nothing damaged"},
		{[]ProblemKind{Foreign, Damaged, Damaged}, "2 damaged, 1 written by another program"},
		{[]ProblemKind{Unsealed, Undigested, Incomplete},
			"1 incomplete, 1 without a digest, no checksums of rows until the next import"},
	}
	for _, test := range tests {
		var faults []Problem
		for _, kind := range test.kinds {
			faults = append(faults, Problem{Kind: kind})
		}
		if got := CountFaults(faults); got != test.want {
			t.Errorf("%v: %q, want %q", test.kinds, got, test.want)
		}
	}
}
