package secrets

import (
	"bytes"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/longtest"
)

// Of 10,000 lines of Go's own sources, with their tests, logs and documents, at most one has a finding. Keys that the
// sources have of their own count too, except those in files that are about keys.
func TestFalseAlarmsInSources(t *testing.T) {
	most := int64(longtest.Rounds(t, "CLAWCTL_SOURCE_BYTES", 8<<20, 100<<20))
	var size int64
	lines, alarms := 0, 0
	roots := []string{filepath.Join(build.Default.GOROOT, "src"), filepath.Join(build.Default.GOPATH, "pkg", "mod")}
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || size > most {
				return fs.SkipAll
			}
			if e.IsDir() || !isText(path) {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil || len(text) > 8<<20 || bytes.Contains(text, []byte("PRIVATE KEY-----")) {
				return nil
			}
			size += int64(len(text))
			lines += bytes.Count(text, []byte("\n"))
			for _, m := range Find(text) {
				alarms++
				if alarms <= 60 {
					t.Logf("%s: %s: %q", strings.TrimPrefix(path, root), m.Rule.Name,
						text[max(0, m.Start-40):min(len(text), m.End+10)])
				}
			}
			return nil
		})
	}
	if size < 1<<20 {
		t.Skip("no sources of Go here")
	}
	t.Logf("%d findings in %d lines, %d MB", alarms, lines, size>>20)
	if alarms*10_000 > lines {
		t.Errorf("%d findings in %d lines", alarms, lines)
	}
}

func isText(path string) bool {
	switch filepath.Ext(path) {
	case ".go", ".txt", ".md", ".log", ".s", ".json", ".html", ".yaml", ".yml", ".sh", ".js", ".ts", ".golden", ".mod",
		".sum":
		return true
	}
	return false
}
