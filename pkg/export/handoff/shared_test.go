package handoff

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/pkg/tokens"
)

// Every real transcript gives a prompt that fits, whichever program wrote it.
func TestRealTranscripts(t *testing.T) {
	const folder = "../../../../shared/transcripts"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no real transcripts here")
	}
	roots := []string{"harness", "claw0", "pi1"}
	limits := []int{300, 1500}
	if longtest.IsLong() {
		roots, limits = []string{"."}, []int{230, 300, 777, 1500, 4000, 50_000}
	}
	tried := 0
	for _, root := range roots {
		err := filepath.WalkDir(filepath.Join(folder, root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".jsonl") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			tried++
			t.Run(strings.TrimPrefix(path, folder), func(t *testing.T) {
				m := collect(t, text)
				for _, limit := range limits {
					checkFit(t, m, limit, tokens.CL100K)
				}
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if tried < 40 {
		t.Error(tried, "transcripts")
	}
}
