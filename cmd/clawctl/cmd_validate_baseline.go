package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

// A baseline is a list of findings that are known. A finding is the same as another if it has the code, the file and
// the entry, or the line if there is no entry: transcripts only grow at their end.
type baseline struct {
	known   map[string]int // how often each is known
	counted map[string]int // how many are only counted, by code and file
	seen    []string       // those of this run
	count   int            // how many there are
}

// countedMark stands before the number of the findings of a code in a file that are only counted.
const countedMark = " counted: "

// baselineFile is how it is stored.
type baselineFile struct {
	SchemaVersion int      `json:"schema_version"`
	Findings      []string `json:"findings"`
}

// openBaseline reads a baseline; "" is one that knows nothing.
func openBaseline(path string) (*baseline, error) {
	b := &baseline{known: map[string]int{}, counted: map[string]int{}}
	if path == "" {
		return b, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, cli.InputError(path, err)
	}
	var file baselineFile
	if err := json.Unmarshal(data, &file); err != nil || file.SchemaVersion != 1 {
		return nil, failure.Usage("clawctl validate --write-baseline "+failure.Quote(path)+" --force",
			"%s is not a baseline", path)
	}
	for _, f := range file.Findings {
		if group, number, found := strings.Cut(f, countedMark); found {
			b.counted[group+countedMark], _ = strconv.Atoi(number)
			continue
		}
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
	return strings.Join([]string{string(f.Rule.Code), fromHere(f.Path), place}, " ")
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

// leaveNew returns a finding without what the baseline knows. isNew is false if nothing is left. Of the findings that
// are only counted, as many are known as the baseline has counted.
func (b *baseline) leaveNew(f finding) (left finding, isNew bool) {
	print := fingerprint(&f)
	b.seen = append(b.seen, print)
	b.count += 1 + f.More
	b.known[print]--
	isNew = b.known[print] < 0
	if f.More == 0 {
		return f, isNew
	}
	group := string(f.Rule.Code) + " " + fromHere(f.Path) + countedMark
	b.seen = append(b.seen, group+strconv.Itoa(f.More))
	f.More = max(0, f.More-b.counted[group])
	if !isNew && f.More > 0 {
		f.More-- // this finding stands for one of those
		isNew = true
	}
	return f, isNew
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
