package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
)

// An importRow is the JSON form of an outcome.
type importRow struct {
	SchemaVersion int             `json:"schema_version"`
	Verdict       migrate.Verdict `json:"verdict"`
	Session       string          `json:"session,omitempty"`
	Source        string          `json:"source"`
	Kind          source.Kind     `json:"kind"`
	Records       int64           `json:"records"`
	Lines         int64           `json:"lines"`
	Bytes         int64           `json:"bytes"`
	Damaged       int64           `json:"damaged"`
	DamagedLine   int64           `json:"damaged_line,omitempty"`
	Error         *cli.ErrorBody  `json:"error,omitempty"`
}

func newImportReport() *cli.Report {
	return cli.NewReport(
		ui.Column{Name: "verdict"},
		ui.Column{Name: "records", Right: true},
		ui.Column{Name: "damaged", Right: true, Rank: 3},
		ui.Column{Name: "size", Right: true, Rank: 2},
		ui.Column{Name: "session", Cut: ui.InMiddle, Min: 16},
		ui.Column{Name: "source", Cut: ui.InMiddle, Min: 16},
	)
}

// done takes one outcome, which is durable and was compared.
func (im *importing) done(o migrate.Outcome) {
	im.sums.add(o)
	if slices.Contains([]migrate.Verdict{migrate.Unchanged, migrate.Older, migrate.Newer}, o.Verdict) {
		im.app.Progress.Advance(o.Session.Bytes) // the others are counted as they are read
	}
	row := importRow{
		SchemaVersion: 1, Verdict: o.Verdict, Session: o.Key, Source: o.Session.Place(), Kind: o.Session.Kind,
		Records: o.Records, Lines: o.Lines, Bytes: o.Bytes, Damaged: o.Damaged,
	}
	if o.Damage != nil {
		row.DamagedLine = o.Damage.Line
		im.app.Blame(im.outcome, importDamage(o))
	}
	if o.Err != nil {
		f := im.outcomeFailure(o)
		im.app.SettleHint(f)
		body := cli.NewErrorBody(f)
		row.Error = &body
		im.app.Blame(im.outcome, f)
	}
	im.rows.Add(row, string(o.Verdict), fmt.Sprint(o.Records), fmt.Sprint(o.Damaged), ui.Bytes(o.Bytes), o.Key,
		cli.SourceName(im.app, o.Session))
}

// importDamage is the failure of a source with damaged lines. They are kept and reported when they are new.
func importDamage(o migrate.Outcome) *failure.Error {
	f := o.Damage.FailureAt(o.Session.Place()).AfterWork()
	if o.Damaged > 1 {
		f.Text += ", and " + ui.Count(o.Damaged-1, "more damaged line")
	}
	if o.Damage.Code == jsonl.TooLong {
		f.Text += "; it was not imported"
	}
	return f
}

// outcomeFailure says why a source was not imported.
func (im *importing) outcomeFailure(o migrate.Outcome) *failure.Error {
	f := cli.InputError(o.Session.Place(), o.Err).AfterWork()
	switch {
	case errors.Is(o.Err, migrate.ErrSourceChanged):
		f.Code, f.Exit = failure.Changed, failure.ExitDamaged
		f.Text = "the file changed while it was being read; it was skipped"
		f.Hint = failure.Command("clawctl", "import", o.Session.Path)
	case errors.Is(o.Err, migrate.ErrDiffers):
		f.Code, f.Text = failure.Differs, failure.Differs.Words()
	case f.Code == failure.BadCompression: // as much as can be read
		f.Hint = failure.Command("clawctl", "cat", "-q", o.Session.Path) + " | " +
			failure.Command("clawctl", "import", "-", "--to", im.target)
	case f.Status() == failure.ExitUsage:
		f.Exit = failure.ExitDamaged // one source that cannot be read is skipped
	}
	return f
}

// finish prints the report and the summary.
func (im *importing) finish() error {
	im.sums.Seconds = im.app.Now().Sub(im.begun).Seconds()
	if im.app.Format != "" || im.app.Verbose {
		if im.app.JSON {
			im.rows.AddObject(im.sums)
		}
		if err := im.app.PrintReport(im.rows); err != nil {
			return err
		}
	}
	im.app.Note("%s", im.sums.summary())
	if im.undigested > 0 {
		im.app.Note("%s of the store without a digest; to list them: %s", ui.Count(im.undigested, "session"),
			failure.Command("clawctl", "verify", im.target))
	}
	return im.outcome.Err()
}

// importSums is the last object of --json.
type importSums struct {
	SchemaVersion int                     `json:"schema_version"`
	Summary       bool                    `json:"summary"`
	Sources       int                     `json:"sources"`
	Outcomes      map[migrate.Verdict]int `json:"outcomes"`
	Records       int64                   `json:"records"`
	Damaged       int64                   `json:"damaged"`
	Bytes         int64                   `json:"bytes"`
	Seconds       float64                 `json:"seconds"`
	DryRun        bool                    `json:"dry_run,omitempty"`

	differing int // sessions whose stored copy is not what was read
}

func (s *importSums) add(o migrate.Outcome) {
	s.Sources++
	s.Outcomes[o.Verdict]++
	s.Records += o.Records
	s.Damaged += o.Damaged
	s.Bytes += o.Bytes
	if o.Err != nil && o.Verdict != migrate.Refused {
		s.differing++
	}
}

// summary is for people, and safe to paste: it names no file and no key.
func (s *importSums) summary() string {
	if s.Sources == 0 {
		return "Nothing to import."
	}
	sentences := []string{s.whatHappened()}
	if n := s.Outcomes[migrate.Older]; n > 0 {
		sentences = append(sentences, "Skipped "+ui.Count(n, "transcript")+" older than --since.")
	}
	if n := s.Outcomes[migrate.Newer]; n > 0 {
		sentences = append(sentences, "Skipped "+ui.Count(n, "transcript")+" with records from --until on.")
	}
	if n := s.Outcomes[migrate.Refused]; n > 0 {
		sentences = append(sentences, "Refused "+ui.Count(n, "transcript")+".")
	}
	return strings.Join(sentences, " ") + " (" + s.figures() + ")"
}

// importedWords are the outcomes that count as imported, as a summary names them.
var importedWords = []struct {
	verdict   migrate.Verdict
	one, many string
}{
	{migrate.New, "new", "new"},
	{migrate.Generation, "older version", "older versions"},
	{migrate.Grown, "updated", "updated"},
	{migrate.Copy, "already present", "already present"},
	{migrate.Unchanged, "unchanged", "unchanged"},
}

// whatHappened is the first sentence: how many transcripts were imported, and as what.
func (s *importSums) whatHappened() string {
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
	case s.Outcomes[migrate.Unchanged] == total:
		return "Nothing new: " + ui.Count(total, "transcript") + " already imported."
	case s.DryRun:
		return "Would import " + text
	case s.differing > 0:
		return "Imported " + text + " " + ui.Count(s.differing, "stored copy") + " did not verify."
	}
	return "Imported " + text + " All verified."
}

// figures are for bug reports.
func (s *importSums) figures() string {
	text := ui.Count(s.Records, "record")
	if s.Damaged > 0 {
		text += " and " + ui.Count(s.Damaged, "damaged line")
	}
	return fmt.Sprintf("%s, %s, %.2f s, clawctl %s %s/%s",
		text, ui.Bytes(s.Bytes), s.Seconds, version(), runtime.GOOS, runtime.GOARCH)
}
