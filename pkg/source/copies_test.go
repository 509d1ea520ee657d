package source

import (
	"maps"
	"testing"
)

// A list leaves out copies that say nothing of their own, and follows copies of copies as far as it has them.
func TestFolded(t *testing.T) {
	first, live := &Session{Host: "a", Kind: Live, Listed: true}, &Session{Host: "a", Kind: Live, Listed: true}
	archive, reset := &Session{Host: "a", Kind: Archive}, &Session{Host: "a", Kind: Archive}
	elsewhere, unlisted := &Session{Host: "b", Kind: Archive}, &Session{Host: "a", Kind: Archive}
	copies := Copies{live: first, archive: first, reset: archive, elsewhere: first, unlisted: elsewhere}
	tests := []struct {
		name   string
		listed []*Session
		want   Copies
	}{
		{"live keys and other hosts stay", []*Session{first, live, elsewhere}, Copies{}},
		{"copies of copies", []*Session{reset, archive, first}, Copies{archive: first, reset: first}},
		{"the original is not listed", []*Session{reset, archive}, Copies{reset: archive}},
		{"what is between is not listed", []*Session{reset, first}, Copies{}},
		{"by way of another host", []*Session{unlisted, elsewhere, first}, Copies{unlisted: first}},
	}
	for _, test := range tests {
		got := copies.Folded(test.listed)
		if !maps.Equal(got, test.want) {
			t.Errorf("%s: %d copies folded, want %d", test.name, len(got), len(test.want))
		}
	}
	circle := Copies{archive: reset, reset: archive}
	if got := circle.Folded([]*Session{archive, reset}); len(got) > 1 {
		t.Errorf("both sessions of a circle are left out")
	}
}
