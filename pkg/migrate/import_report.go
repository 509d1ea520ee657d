package migrate

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// An ImportRow is the JSON form of an outcome.
type ImportRow struct {
	SchemaVersion int           `json:"schema_version"`
	Verdict       Verdict       `json:"verdict"`
	Session       string        `json:"session,omitempty"`
	Source        string        `json:"source"`
	Kind          source.Kind   `json:"kind"`
	Records       int64         `json:"records"`
	Lines         int64         `json:"lines"`
	Bytes         int64         `json:"bytes"`
	Damaged       int64         `json:"damaged"`
	DamagedLine   int64         `json:"damaged_line,omitempty"`
	Error         *failure.Body `json:"error,omitempty"`
}

// Row returns the JSON form of an outcome, without its error.
func (o *Outcome) Row() ImportRow {
	row := ImportRow{
		SchemaVersion: 1, Verdict: o.Verdict, Session: o.Key, Source: o.Session.Place(), Kind: o.Session.Kind,
		Records: o.Records, Lines: o.Lines, Bytes: o.Bytes, Damaged: o.Damaged,
	}
	if o.Damage != nil {
		row.DamagedLine = o.Damage.Line
	}
	return row
}

// WasRead reports whether an import read the text of a source.
func (v Verdict) WasRead() bool { return v != Unchanged && v != Older && v != Newer }

// DamageFailure is the failure of a source with damaged lines, nil if it has none. They are kept, and reported when
// they are new.
func (o *Outcome) DamageFailure() *failure.Error {
	if o.Damage == nil {
		return nil
	}
	f := o.Damage.FailureAt(o.Session.Place()).AfterWork()
	if o.Damaged > 1 {
		f.Text += ", and " + ui.Count(o.Damaged-1, "more damaged line")
	}
	if o.Damage.Code == jsonl.TooLong {
		f.Text += "; it was not imported"
	}
	return f
}

// Failure says why a source was not imported into the store at a path. f is the failure of reading the source.
func (o *Outcome) Failure(f *failure.Error, path string) *failure.Error {
	switch {
	case errors.Is(o.Err, ErrSourceChanged):
		f.Code, f.Exit = failure.Changed, failure.ExitDamaged
		f.Text = "the file changed while it was being read; it was skipped"
		f.Hint = failure.Command("clawctl", "import", o.Session.Path)
	case errors.Is(o.Err, ErrDiffers):
		f.Code, f.Text = failure.Differs, failure.Differs.Words()
	case f.Code == failure.BadCompression: // as much as can be read
		f.Hint = failure.Command("clawctl", "cat", "-q", o.Session.Path) + " | " +
			failure.Command("clawctl", "import", "-", "--to", path)
	case f.Status() == failure.ExitUsage || f.Code == failure.NotFound:
		f.Exit = failure.ExitDamaged // one source that cannot be read, or is gone, is skipped
	}
	return f.AfterWork()
}

// ImportSums adds up outcomes. It is the last object of a report in JSON.
type ImportSums struct {
	SchemaVersion int             `json:"schema_version"`
	Summary       bool            `json:"summary"`
	Sources       int             `json:"sources"`
	Outcomes      map[Verdict]int `json:"outcomes"`
	Records       int64           `json:"records"`
	Damaged       int64           `json:"damaged"`
	Bytes         int64           `json:"bytes"`
	Seconds       float64         `json:"seconds"`
	DryRun        bool            `json:"dry_run,omitempty"`

	differing int // sessions whose stored copy is not what was read
}

// NewImportSums returns the sums of no outcomes.
func NewImportSums(dryRun bool) ImportSums {
	return ImportSums{SchemaVersion: 1, Summary: true, Outcomes: map[Verdict]int{}, DryRun: dryRun}
}

// Add adds an outcome.
func (s *ImportSums) Add(o *Outcome) {
	s.Sources++
	s.Outcomes[o.Verdict]++
	s.Records += o.Records
	s.Damaged += o.Damaged
	s.Bytes += o.Bytes
	if o.Err != nil && o.Verdict != Refused {
		s.differing++
	}
}

// Words are for people, and safe to paste: they name no file and no key. version is that of clawctl.
func (s *ImportSums) Words(version string) string {
	if s.Sources == 0 {
		return "Nothing to import."
	}
	sentences := []string{s.whatHappened()}
	if n := s.Outcomes[Older]; n > 0 {
		sentences = append(sentences, "Skipped "+ui.Count(n, "transcript")+" older than --since.")
	}
	if n := s.Outcomes[Newer]; n > 0 {
		sentences = append(sentences, "Skipped "+ui.Count(n, "transcript")+" with records from --until on.")
	}
	if n := s.Outcomes[Refused]; n > 0 {
		sentences = append(sentences, "Refused "+ui.Count(n, "transcript")+".")
	}
	return strings.Join(sentences, " ") + " (" + s.figures(version) + ")"
}

// importedWords are the outcomes that count as imported, as a summary names them.
var importedWords = []struct {
	verdict   Verdict
	one, many string
}{
	{New, "new", "new"},
	{Generation, "older version", "older versions"},
	{Grown, "updated", "updated"},
	{Copy, "already present", "already present"},
	{Unchanged, "unchanged", "unchanged"},
}

// whatHappened is the first sentence: how many transcripts were imported, and as what.
func (s *ImportSums) whatHappened() string {
	total, parts := 0, []string{}
	for _, w := range importedWords {
		n := s.Outcomes[w.verdict]
		switch {
		case n == 1:
			parts = append(parts, "1 "+w.one)
		case n > 1:
			parts = append(parts, ui.Thousands(int64(n))+" "+w.many)
		}
		total += n
	}
	text := ui.Count(total, "transcript") + ": " + strings.Join(parts, ", ") + "."
	switch {
	case total == 0:
		return "Nothing imported."
	case s.Outcomes[Unchanged] == total:
		return "Nothing new: " + ui.Count(total, "transcript") + " already imported."
	case s.DryRun:
		return "Would import " + text
	case s.differing > 0:
		return "Imported " + text + " " + ui.Count(s.differing, "stored copy") + " did not verify."
	}
	return "Imported " + text + " All verified."
}

// figures are for bug reports.
func (s *ImportSums) figures(version string) string {
	text := ui.Count(s.Records, "record")
	if s.Damaged > 0 {
		text += " and " + ui.Count(s.Damaged, "damaged line")
	}
	return fmt.Sprintf("%s, %s, %.2f s, clawctl %s %s/%s",
		text, ui.Bytes(s.Bytes), s.Seconds, version, runtime.GOOS, runtime.GOARCH)
}
