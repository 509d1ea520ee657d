package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
)

// The corpus must have no damage. Otherwise the benchmark would measure the reports of damage.
func TestCorpusHasNoDamage(t *testing.T) {
	seen := map[string]bool{}
	for rec, err := range jsonl.NewReader(bytes.NewReader(generate(t, 1)), jsonl.Options{Strict: true}).All() {
		if err != nil {
			t.Fatal(err)
		}
		seen[rec.Type()] = true
	}
	for _, kind := range []string{"session", "message", "model_change", "custom", "compaction"} {
		if !seen[kind] {
			t.Errorf("no record of type %s", kind)
		}
	}
}

func TestCorpusDependsOnSeedOnly(t *testing.T) {
	first := generate(t, 1)
	if !bytes.Equal(first, generate(t, 1)) {
		t.Error("the same seed gives different bytes")
	}
	if bytes.Equal(first, generate(t, 2)) {
		t.Error("another seed gives the same bytes")
	}
}

func generate(t *testing.T, seed uint64) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "corpus.jsonl")
	list := fmt.Sprintf("%s\t7\t2026-01-01\n%s\t%d\t2026-02-01\n", path+".other", path, seed)
	if err := writeAll(strings.NewReader(list), shape{2_000_000, 1}); err != nil {
		t.Fatal(err)
	}
	text := testkit.Read(t, path)
	return text
}
