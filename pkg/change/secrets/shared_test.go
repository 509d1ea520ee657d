package secrets

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sharedTranscripts is the folder of real transcripts, which only some machines have. Other words replace all of their
// words, and other keys their keys.
const sharedTranscripts = "../../../../shared/transcripts"

// replacedKeys are the fingerprints of what stands for a key or a password in the transcripts, by what shows that.
var replacedKeys = map[string][]string{
	"planted to be found": {
		"1178ec25a572", "d462c7685892", "d8343cfe6bf6", "b3af7300fb9a", "6964909a6106", "6cedd335a4d8",
	},
	"a key of a model provider": {"45256d22dc60"},
	"the value of a field or a variable for a credential, a password or a token": {
		"b23cd80a5785", "fdff3e7582fc", "f1d89f98ae0f", "3c81ad0e93af",
	},
	"the token in an address":    {"2c4523855716"},
	"the password in an address": {"278fa2ac3309", "5929020728cb", "215e71210ed4", "928d1ce860e3"},
}

// Of 10,000 lines of the shared transcripts, at most one has a finding that does not stand for a key.
func TestFalseAlarmsInTranscripts(t *testing.T) {
	isKey := map[string]bool{}
	for _, list := range replacedKeys {
		for _, print := range list {
			isKey[print] = true
		}
	}
	lines, alarms := 0, 0
	for _, line := range sharedLines(t) {
		lines++
		standard().Strings(line, func(f Leak) bool {
			for _, m := range f.Matches {
				if print := Fingerprint(string(f.Text[m.Start:m.End])); !isKey[print] {
					alarms++
					t.Logf("%s %s: %q", print, m.Rule.Name, f.Text[max(0, m.Start-30):min(len(f.Text), m.End+10)])
				}
			}
			return true
		})
	}
	t.Logf("%d false alarms in %d lines", alarms, lines)
	if alarms*10_000 > lines {
		t.Errorf("%d false alarms in %d lines", alarms, lines)
	}
}

// sharedLines returns the lines of the transcripts, and skips the test if there are none.
func sharedLines(t *testing.T) (lines [][]byte) {
	t.Helper()
	_ = filepath.WalkDir(sharedTranscripts, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.Contains(path, ".jsonl") || strings.HasSuffix(path, ".zst") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(text) {
			lines = append(lines, line)
		}
		return nil
	})
	if len(lines) == 0 {
		t.Skip("no shared transcripts here")
	}
	return lines
}
