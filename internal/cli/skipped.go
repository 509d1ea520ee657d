package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// mostSkippedTypes is how many types of skipped files a remark names, and mostUnrecognized how many files that are
// named like transcripts, unless --verbose.
const mostSkippedTypes, mostUnrecognized = 5, 3

// A skippedReport is the remark about skipped files as JSON, on stderr.
type skippedReport struct {
	SchemaVersion int         `json:"schema_version"`
	Path          string      `json:"path"`
	Skipped       skippedBody `json:"skipped"`
}

type skippedBody struct {
	Files int                   `json:"files"`
	Types []source.SkippedCount `json:"types"`
	// Unrecognized are the files that are named like transcripts.
	Unrecognized []string `json:"unrecognized,omitempty"`
}

// WatchSkipped remembers places of which all sessions were wanted, for the remarks at the end of the run.
func (a *App) WatchSkipped(places ...*source.Listing) {
	for _, p := range places {
		if !slices.Contains(a.searched, p) {
			a.searched = append(a.searched, p)
		}
	}
}

// noteSkipped says which files of the searched places are not transcripts, in a line for each place. Databases are
// named, because somebody may expect transcripts in them.
func (a *App) noteSkipped() {
	for _, p := range a.searched {
		total, counts := p.SkippedCounts()
		if total == 0 || a.Quiet {
			continue
		}
		if a.JSON {
			a.sayJSON(skippedReport{1, p.Path, skippedBody{total, counts, Unrecognized(p)}})
			continue
		}
		for _, s := range p.Skipped {
			if s.Type == source.SkippedBareDB {
				a.Note("%s: this OpenClaw database has no transcripts", s.Path)
				total--
			}
		}
		switch {
		case total == 1:
			a.Note("%s: 1 file is not a transcript: %s", p.Path, onlySkipped(p))
		case total > 1:
			a.Note("%s: %s not transcripts: %s; to list them: %s", p.Path, ui.Are(total, "file"), a.skippedText(p, counts),
				failure.Command("clawctl", "sessions", p.Path, "--skipped"))
		}
	}
}

// onlySkipped names the only file that was skipped, besides databases without transcripts.
func onlySkipped(p *source.Listing) string {
	at := slices.IndexFunc(p.Skipped, func(s source.SkippedFile) bool {
		return !s.Expected && s.Type != source.SkippedBareDB
	})
	return ui.EscapeLine(p.Skipped[at].Path)
}

// Unrecognized lists the skipped files of a place that are named like transcripts.
func Unrecognized(p *source.Listing) (paths []string) {
	for _, s := range p.Skipped {
		if s.Unrecognized {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

// skippedText names a few files that are named like transcripts, and counts the others by type, as in "rows.jsonl,
// 8 .md, 2 images, 3 more".
func (a *App) skippedText(p *source.Listing, counts []source.SkippedCount) string {
	var list []string
	if names := Unrecognized(p); len(names) <= mostUnrecognized || a.Verbose {
		for _, path := range names {
			list = append(list, ui.EscapeLine(belowPlace(p, path)))
		}
		counts = countOthers(p)
	}
	return strings.Join(append(list, countTexts(counts)...), ", ")
}

// belowPlace is a path as seen from the place.
func belowPlace(p *source.Listing, path string) string {
	if below, err := filepath.Rel(p.Path, path); err == nil && filepath.IsLocal(below) {
		return below
	}
	return path
}

// countOthers counts the skipped files of a place without those that are named like transcripts.
func countOthers(p *source.Listing) []source.SkippedCount {
	others := &source.Listing{Skipped: slices.Clone(p.Skipped)}
	others.Skipped = slices.DeleteFunc(others.Skipped, func(s source.SkippedFile) bool { return s.Unrecognized })
	_, counts := others.SkippedCounts()
	return counts
}

// countTexts are the counts of skipped files, the most frequent first.
func countTexts(counts []source.SkippedCount) []string {
	var list []string
	rest := 0
	for _, c := range counts {
		switch {
		case c.Type == source.SkippedBareDB:
		case len(list) == mostSkippedTypes:
			rest += c.Files
		case strings.HasPrefix(c.Type, "."):
			list = append(list, ui.Thousands(int64(c.Files))+" "+c.Type)
		default:
			list = append(list, ui.Count(c.Files, c.Type))
		}
	}
	if rest > 0 {
		list = append(list, ui.Thousands(int64(rest))+" more")
	}
	return list
}

// A skippedRow is the JSON form of a skipped file. Fields are added, never renamed.
type skippedRow struct {
	SchemaVersion int    `json:"schema_version"`
	Path          string `json:"path"`
	Type          string `json:"type"`
	Expected      bool   `json:"expected"`
	Unrecognized  bool   `json:"unrecognized,omitempty"` // it is named like a transcript
}

// PrintSkipped lists what the places of arguments have besides transcripts. A place without any transcript is no error
// here.
func PrintSkipped(a *App, operands []string, s Search) error {
	s.Fast = true
	places, _, err := splitHosts(operands)
	if err != nil {
		return err
	}
	if places, err = ArgumentsOf(a, places, s); err != nil {
		return err
	}
	for _, argument := range places {
		known := len(a.searched)
		if _, err := Find(a, argument, s); err != nil && len(a.searched) == known {
			a.Blame(err)
		}
	}
	if a.Ctx.Err() != nil {
		return Interrupted(a)
	}
	err = a.PrintReport(skippedFiles(a.searched))
	a.searched = nil // the list says it all
	return errors.Join(err, a.Outcome.Err())
}

// skippedFiles lists what places have besides transcripts.
func skippedFiles(places []*source.Listing) *Report {
	r := NewReport(ui.Words("type"), ui.Middle("path", 20))
	for _, p := range places {
		for _, s := range p.Skipped {
			r.Add(skippedRow{1, s.Path, s.Type, s.Expected, s.Unrecognized}, s.Type, s.Path)
		}
	}
	return r
}
