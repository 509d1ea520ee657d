package migrate

import (
	"slices"
	"testing"
)

func TestConvertedNames(t *testing.T) {
	items := []Item{
		{Path: "a/s.jsonl"}, {Path: "a/s.jsonl.zst"}, {Path: "a/s.jsonl.gz"}, {Path: "a/s.jsonl.gz.2"},
		{Path: "a/s.jsonl.zst.0123456789ab"}, {Path: "b.zst/s.jsonl.reset.2026-05-20T04-30-00.000Z.zst"},
		{Path: "c/s.jsonl.bak-1-1"},
	}
	var names []string
	for _, it := range ConvertNames(items) {
		names = append(names, it.Path)
	}
	want := []string{"a/s.jsonl", "a/s.jsonl.2", "a/s.jsonl.3", "a/s.jsonl.2.2", "a/s.jsonl.0123456789ab",
		"b.zst/s.jsonl.reset.2026-05-20T04-30-00.000Z", "c/s.jsonl.bak-1-1"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}
