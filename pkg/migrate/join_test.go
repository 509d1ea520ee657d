package migrate

import "testing"

// Files of one place keep their paths. Of several, each has a folder of its own; files named one by one have none.
func TestJoinItems(t *testing.T) {
	list := func(paths ...string) (items []Item) {
		for _, p := range paths {
			items = append(items, Item{Path: p})
		}
		return items
	}
	for _, test := range []struct {
		groups []Items
		want   []string
	}{
		{nil, nil},
		{[]Items{{"/a/home", list("x/1.jsonl")}}, []string{"x/1.jsonl"}},
		{
			[]Items{{"/a/home", list("x/1.jsonl")}, {"/b/home", list("x/1.jsonl")}, {"", list("1.jsonl", "1.jsonl")}},
			[]string{"home/x/1.jsonl", "home-2/x/1.jsonl", "1.jsonl", "1.jsonl.2"},
		},
	} {
		got := JoinItems(test.groups, nil)
		if len(got) != len(test.want) {
			t.Errorf("got %d files, want %q", len(got), test.want)
			continue
		}
		for i := range got {
			if got[i].Path != test.want[i] {
				t.Errorf("got %s, want %s", got[i].Path, test.want[i])
			}
		}
	}
}
