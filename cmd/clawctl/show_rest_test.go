//go:build unix

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// What the second reading leaves out, because it is before all that is shown, would not have been shown.
func TestShowReadsTheRest(t *testing.T) {
	const damage = "{\"type\":\"message\",\n"
	for name, c := range map[string]struct{ before, between, after string }{
		"whole": {}, "damage before": {before: damage}, "damage between": {between: damage}, "damage after": {after: damage},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			text := "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-05-01T10:00:00.000Z\"}\n" +
				aChain("a", 900) + c.before + aChain("b", 900) + c.between + aChain("c", 900) + c.after
			testkit.Write(t, path, text)
			for _, form := range []string{"json", "ndjson"} {
				got, _ := clawctl("show", "-q", "--format", form, path).Output()
				all, _ := clawctl("show", "-q", "--format", form, "--all", path).Output()
				if want := linesOnPath(all); linesOnPath(got) != want || strings.Count(want, "\n") < 900 {
					t.Errorf("%s: %d lines, want %d", form, bytes.Count(got, []byte("\n")), strings.Count(want, "\n"))
				}
			}
		})
	}
}

// aChain returns entries without a parent before the first, which take more than a reader reads at once.
func aChain(name string, entries int) string {
	var b strings.Builder
	parent := "null"
	for i := range entries {
		fmt.Fprintf(&b, `{"type":"message","id":"%s%d","parentId":%s,"timestamp":"2026-05-01T10:00:00.000Z",`+
			`"message":{"role":"user","content":[{"type":"text","text":"%s"}]}}`+"\n",
			name, i, parent, strings.Repeat(name, 300))
		parent = fmt.Sprintf(`"%s%d"`, name, i)
	}
	return b.String()
}

func linesOnPath(objects []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(objects)) {
		if strings.Contains(line, `"on_path":true`) {
			b.WriteString(strings.TrimRight(line, ",\n") + "\n")
		}
	}
	return b.String()
}
