package du

import (
	"slices"
	"testing"
)

func TestLargest(t *testing.T) {
	r := &Report{By: map[View][]Share{Tool: {{"a", 9, 1}, {"b", 5, 2}, {"c", 3, 1}, {"d", 1, 4}}}}
	tests := []struct {
		n    int
		want []Share
	}{
		{0, r.By[Tool]},
		{1, []Share{{"a", 9, 1}, {"(3 more)", 9, 7}}},
		{2, []Share{{"a", 9, 1}, {"b", 5, 2}, {"(2 more)", 4, 5}}},
		{3, r.By[Tool]},
		{9, r.By[Tool]},
	}
	for _, test := range tests {
		if got := r.Largest(Tool, test.n); !slices.Equal(got, test.want) {
			t.Errorf("%d: %v, want %v", test.n, got, test.want)
		}
	}
	if s, found := r.Share(Tool, "c"); !found || s.Bytes != 3 {
		t.Error(s, found)
	}
	if s, found := r.Share(Kind, "c"); found {
		t.Error(s)
	}
	r.KeepLargest(2)
	if rows := r.Rows([]View{Kind, Tool}); len(rows) != 2 || rows[1] != (ShareRow{1, Tool, Share{"b", 5, 2}}) {
		t.Error(rows)
	}
}
