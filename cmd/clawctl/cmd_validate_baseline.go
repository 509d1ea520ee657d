package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

// A baseline is a list of findings that are known. A finding is the same as another if it has the code, the file and
// the entry, or the line if there is no entry: transcripts only grow at their end.
type baseline struct {
	known map[string]int // how often each is known
	seen  []string       // those of this run
}

// baselineFile is how it is stored.
type baselineFile struct {
	SchemaVersion int      `json:"schema_version"`
	Findings      []string `json:"findings"`
}

// openBaseline reads a baseline; "" is one that knows nothing.
func openBaseline(path string) (*baseline, error) {
	b := &baseline{known: map[string]int{}}
	if path == "" {
		return b, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, inputError(path, err)
	}
	var file baselineFile
	if err := json.Unmarshal(data, &file); err != nil || file.SchemaVersion != 1 {
		return nil, failure.Usage("clawctl validate --write-baseline "+failure.Quote(path)+" --force",
			"%s is not a baseline", path)
	}
	for _, f := range file.Findings {
		b.known[f]++
	}
	return b, nil
}

// fingerprint tells a finding from others.
func fingerprint(f *finding) string {
	place := f.Entry
	if place == "" {
		place = fmt.Sprintf("%d", f.Line)
	}
	return strings.Join([]string{f.Rule.Code, fromHere(f.Path), place}, " ")
}

// fromHere is a path as seen from the current folder, however it was spelled.
func fromHere(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	relative, err := filepath.Rel(here, absolute)
	if err != nil {
		return path
	}
	return filepath.ToSlash(relative)
}

// knows reports whether the baseline lists a finding, as often as it came up so far.
func (b *baseline) knows(f finding) bool {
	print := fingerprint(&f)
	b.seen = append(b.seen, print)
	b.known[print]--
	return b.known[print] >= 0
}

// write stores the findings of this run.
func (b *baseline) write(path string) error {
	slices.Sort(b.seen)
	data, err := json.MarshalIndent(baselineFile{1, b.seen}, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(path, []byte(ui.Escape(string(data)+"\n")), atomicfile.Options{})
}
