package main

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var secretPlaces = regexp.MustCompile(`CL702 .*\((\d+) places?\)`)

// validate --secrets and redact --check count the same places.
func TestSecretPlacesAgree(t *testing.T) {
	const most = 120 // files; more would say the same
	files := 0
	count := func(path string) {
		_, printed, _ := inProcess("", "validate", "--secrets", "--all", "-v", path)
		validated, surveyed := 0, 0
		for _, m := range secretPlaces.FindAllStringSubmatch(printed, -1) {
			n, _ := strconv.Atoi(m[1])
			validated += n
		}
		_, printed, _ = inProcess("", "redact", "--check", "--json", path)
		for line := range strings.Lines(printed) {
			var row struct{ Places int }
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%s: %v in %s", path, err, line)
			}
			surveyed += row.Places
		}
		if validated != surveyed {
			t.Errorf("%s: %d places in validate, %d in redact", path, validated, surveyed)
		}
		files++
	}
	for _, folder := range []string{"../../testdata/transcripts", "../../../shared/transcripts"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && filepath.Ext(path) == ".jsonl" && files < most {
				count(path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 20 {
		t.Errorf("only %d files", files)
	}
}
