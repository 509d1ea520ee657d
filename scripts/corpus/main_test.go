package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// The corpus must have no damage. Otherwise the benchmark would measure the reports of damage.
func TestCorpusHasNoDamage(t *testing.T) {
	for like, kinds := range map[string][]string{
		"openclaw":    {"session", "message", "model_change", "custom", "compaction"},
		"claude-code": {"message", "compaction", "custom", "usage"},
		"codex":       {"session", "message", "model_change", "custom", "compaction", "usage"},
	} {
		seen := map[string]bool{}
		text := bytes.NewReader(generate(t, 1, like))
		for rec, err := range jsonl.NewReader(text, jsonl.Options{Strict: true}).All() {
			if err != nil {
				t.Fatal(err)
			}
			if isForeign := like != "openclaw"; isForeign != (rec.Translator() != nil) {
				t.Fatalf("%s: line %d is not like its program: %s", like, rec.Line, rec.Raw)
			}
			seen[rec.Type()] = true
		}
		for _, kind := range kinds {
			if !seen[kind] {
				t.Errorf("%s: no record of type %s", like, kind)
			}
		}
	}
}

func TestCorpusDependsOnSeedOnly(t *testing.T) {
	first := generate(t, 1, "openclaw")
	if !bytes.Equal(first, generate(t, 1, "openclaw")) {
		t.Error("the same seed gives different bytes")
	}
	if bytes.Equal(first, generate(t, 2, "openclaw")) {
		t.Error("another seed gives the same bytes")
	}
}

func generate(t *testing.T, seed uint64, like string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "corpus.jsonl")
	list := fmt.Sprintf("%s\t7\t2026-01-01\n%s\t%d\t2026-02-01\n", path+".other", path, seed)
	if err := writeAll(strings.NewReader(list), shape{2_000_000, 1, like}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
