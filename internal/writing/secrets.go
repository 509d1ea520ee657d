package writing

import (
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
)

// Masks says that a run masks texts and keeps ids, which are noted from now on. rules find what the user named.
func Masks(a *cli.App, rules []*secrets.Rule) { a.Kept = redact.NewSurvey(rules...).Redactor() }

// BlameKept names what a masked copy still has of secrets, and makes the run end with status 1.
func BlameKept(a *cli.App) {
	if a.Kept != nil {
		BlameLeft(a, a.Kept.Counts.Left())
	}
}

// BlameLeft names what a copy without secrets still has of them, and makes the run end with status 1.
func BlameLeft(a *cli.App, left []redact.LeftName) {
	const shown = 20
	if len(left) == 0 {
		return
	}
	what := "keys, ids and file names"
	if slices.ContainsFunc(left, func(n redact.LeftName) bool { return n.Kind == redact.Number }) {
		what = "keys, ids, file names and numbers of the format"
	}
	a.Say("Secrets are left in %s, because %s never change:", ui.Count(len(left), "name"), what)
	for _, n := range left[:min(shown, len(left))] {
		a.Say("  %s %s", n.Kind, ui.EscapeLine(n.Name))
	}
	if more := len(left) - shown; more > 0 {
		a.Say("  and %d more", more)
	}
	a.Blame(failure.Findings)
}

// BlameLine returns a function that names a line that is left out of the copy of a session.
func BlameLine(a *cli.App, place string) func(*jsonl.Record) {
	return func(rec *jsonl.Record) {
		f := rec.Damage.FailureAt(place).WithHint("").AfterWork()
		f.Text += "; it was left out of the copy"
		a.Blame(f)
	}
}

// BlameLost says what a copy without secrets does not have. A line that was left out makes the run end with status 3.
func BlameLost(a *cli.App, counts *redact.Counts) {
	for _, lost := range []struct {
		n          int
		what, rest string
	}{
		{counts.Thinking, "thinking block", "dropped: signed or encrypted, with a secret in it"},
		{counts.Signatures, "signature", "dropped, because what it signs has changed"},
		{counts.Checkpoints, "provider checkpoint", "dropped, because what was replaced may be inside"},
		{counts.Lines, "damaged line", "left out, because it cannot be searched"},
	} {
		if lost.n > 0 {
			a.Note("%s %s.", ui.Count(lost.n, lost.what), lost.rest)
		}
	}
	if counts.Lines > 0 {
		a.Blame(failure.Damaged)
	}
	if n := counts.CheckpointsKept; n > 0 {
		a.Say("Kept %s, which may hold what was replaced.", ui.Count(n, "provider checkpoint"))
		a.Blame(failure.Findings)
	}
}
