package main

import (
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/rebuild"
)

// refuse is the failure of --strict.
func (r *rebuilding) refuse(fix rebuild.Fix) error {
	f := failure.New(fix.Code, "").At(r.transcript.Name).WithExit(failure.ExitFindings)
	f.Line = fix.Line
	if fix.Entry != "" {
		f.Text += " (entry " + fix.Entry + ")"
	}
	if r.transcript.Kept == nil {
		f.Hint = failure.Command("clawctl", "rebuild", "--fixes", "-", r.transcript.Session.Place())
	}
	return f
}

// mayWriteFixes refuses a file of --fixes that something else needs.
func (r *rebuilding) mayWriteFixes() error {
	path := r.options.fixes
	if path == "" || path == "-" {
		return nil
	}
	if path == r.app.Output.Options.Path || cli.IsSameFile(path, r.transcript.Session.Path) {
		return failure.Usage(rebuildHelp, "--fixes must not replace the messages or the transcript, got %s", path)
	}
	return cli.MayCreate(path, r.app.Output.Options.Force, r.app.CommandLine("--force"))
}

// fixReport is the JSON form of a fix.
type fixReport struct {
	SchemaVersion int          `json:"schema_version"`
	Code          rebuild.Code `json:"code"`
	Path          string       `json:"path"`
	Line          int64        `json:"line,omitempty"`
	Offset        int64        `json:"offset"`
	EntryID       string       `json:"entry_id,omitempty"`
	Message       string       `json:"message"`
}

// writeFixes writes the fixes to where --fixes says, or sums them up in a remark.
func (r *rebuilding) writeFixes(fixes []rebuild.Fix) error {
	var b strings.Builder
	for _, f := range fixes {
		b.WriteString(cli.JSONLine(fixReport{1, f.Code, r.transcript.Name, f.Line, f.Offset, f.Entry, f.Code.FixWords()}))
	}
	switch path := r.options.fixes; path {
	case "":
		r.noteFixes(fixes)
	case "-":
		if err := r.app.Output.PrintToStdout(b.String()); err != nil {
			return cli.WriteError(r.app, err)
		}
	default:
		if err := atomicfile.WriteFile(path, []byte(b.String()), atomicfile.Options{}); err != nil {
			return cli.OutputError(path, err)
		}
	}
	return nil
}

// noteFixes sums the fixes up.
func (r *rebuilding) noteFixes(fixes []rebuild.Fix) {
	if len(fixes) == 0 {
		return
	}
	counts := map[rebuild.Code]int{}
	for _, f := range fixes {
		counts[f.Code]++
	}
	r.app.Note("%s: made %s so that the API accepts it: %s; --fixes - lists them",
		r.transcript.Name, ui.Count(len(fixes), "fix"), reading.TallyCodes(counts))
}
