package tokens

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every text of the real transcripts has the same number of tokens in tiktoken-go, in pieces that it can handle.
func TestRealTexts(t *testing.T) {
	const folder = "../../../shared/transcripts"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no real transcripts here")
	}
	limit := 250_000
	if os.Getenv("CLAWCTL_TEXTS") != "" {
		limit = 1 << 40
	}
	texts, size := 0, 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			var value any
			if json.Unmarshal([]byte(line), &value) != nil {
				continue
			}
			eachText(value, func(text string) {
				for ; len(text) > 0 && size < limit; texts++ {
					n := min(len(text), 2000)
					compare(t, text[:n])
					text, size = text[n:], size+n
				}
			})
		}
		return nil
	})
	if err != nil || texts < 500 {
		t.Error(texts, "texts", err)
	}
	t.Logf("%d texts, %d bytes", texts, size)
}

// eachText yields the strings in a JSON value.
func eachText(value any, yield func(string)) {
	switch v := value.(type) {
	case string:
		yield(v)
	case []any:
		for _, e := range v {
			eachText(e, yield)
		}
	case map[string]any:
		for _, e := range v {
			eachText(e, yield)
		}
	}
}
