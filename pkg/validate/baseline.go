package validate

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/failure"
)

// A Baseline is a list of findings that are known. A finding is the same as another if it has the code, the file and
// the entry, or the line if there is no entry: transcripts only grow at their end.
type Baseline struct {
	here    string         // the folder from which files are named
	known   map[string]int // how often each is known
	counted map[string]int // how many are only counted, by code and file
	seen    []string       // those of this run
	count   int            // how many there are
}

// countedMark comes before the number of the findings of a code in a file that are only counted.
const countedMark = " counted: "

// baselineFile is how it is stored.
type baselineFile struct {
	SchemaVersion int      `json:"schema_version"`
	Findings      []string `json:"findings"`
}

// NewBaseline returns a baseline that knows nothing. here is the current folder.
func NewBaseline(here string) *Baseline {
	return &Baseline{here: here, known: map[string]int{}, counted: map[string]int{}}
}

// Load adds what a stored baseline knows. It reports whether the data is one.
func (b *Baseline) Load(data []byte) bool {
	var file baselineFile
	if err := json.Unmarshal(data, &file); err != nil || file.SchemaVersion != 1 {
		return false
	}
	for _, f := range file.Findings {
		if group, number, found := strings.Cut(f, countedMark); found {
			b.counted[group+countedMark], _ = strconv.Atoi(number)
			continue
		}
		b.known[f]++
	}
	return true
}

// Lists reports whether the baseline knows findings with a code.
func (b *Baseline) Lists(code failure.Code) bool {
	for print := range b.known {
		if strings.HasPrefix(print, string(code)+" ") {
			return true
		}
	}
	return false
}

// fingerprint tells a finding from others. here is the current folder.
func (f *Finding) fingerprint(here string) string {
	place := f.Entry
	if place == "" {
		place = fmt.Sprintf("%d", f.Line)
	}
	return strings.Join([]string{string(f.Rule.Code), seenFrom(here, f.Path), place}, " ")
}

// seenFrom is a path as seen from a folder, however it was spelled. It stays as it is if the folder is not known.
func seenFrom(here, path string) string {
	absolute, err := filepath.Abs(path)
	if here == "" || err != nil {
		return path
	}
	relative, err := filepath.Rel(here, absolute)
	if err != nil {
		return path
	}
	return filepath.ToSlash(relative)
}

// LeaveNew returns the findings without those that the baseline knows.
func (b *Baseline) LeaveNew(findings []Finding) (left []Finding) {
	for _, f := range findings {
		if b.leaveNew(&f) {
			left = append(left, f)
		}
	}
	return left
}

// leaveNew takes what the baseline knows from a finding, and reports whether anything is left. Of the findings that are
// only counted, as many are known as the baseline has counted.
func (b *Baseline) leaveNew(f *Finding) bool {
	print := f.fingerprint(b.here)
	b.seen = append(b.seen, print)
	b.count += 1 + f.More
	b.known[print]--
	isNew := b.known[print] < 0
	if f.More == 0 {
		return isNew
	}
	group := string(f.Rule.Code) + " " + seenFrom(b.here, f.Path) + countedMark
	b.seen = append(b.seen, group+strconv.Itoa(f.More))
	f.More = max(0, f.More-b.counted[group])
	if !isNew && f.More > 0 {
		f.More-- // this finding counts as one of those
		isNew = true
	}
	return isNew
}

// Len is the number of findings of this run, known or new.
func (b *Baseline) Len() int { return b.count }

// Encode returns the findings of this run as a baseline to store.
func (b *Baseline) Encode() ([]byte, error) {
	slices.Sort(b.seen)
	data, err := json.MarshalIndent(baselineFile{1, b.seen}, "", " ")
	return append(data, '\n'), err
}
