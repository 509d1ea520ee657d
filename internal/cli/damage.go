package cli

import (
	"fmt"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// DamageShown is how many damaged lines of a file are reported one by one, unless --verbose.
const DamageShown = 10

// A DamageLog reports the damaged lines of one input.
type DamageLog struct {
	Console        *Console
	Name           string
	lines, damaged int64
	records        int64
	first          *jsonl.Damage
}

// Count takes the next record.
func (d *DamageLog) Count(rec *jsonl.Record) {
	d.lines = max(d.lines, rec.Line)
	if rec.Legible() {
		d.records++
	}
	if rec.Damage == nil || rec.Continued {
		return
	}
	d.damaged++
	if d.first == nil {
		d.first = rec.Damage
	}
	if d.damaged > DamageShown && !d.Console.Verbose {
		return
	}
	d.Console.Complain(DamageError(d.Name, rec.Damage).WithHint(""))
}

// Finish says what was read, if that is wanted, and sums up.
func (d *DamageLog) Finish(dialect jsonl.Dialect) error {
	if d.Console.Verbose {
		d.Console.Note("%s: %s, %d lines, %d records, %d damaged", d.Name, dialect, d.lines, d.records, d.damaged)
	}
	return d.SumUp()
}

// SumUp returns failure.Damaged if there was damage, and a failure if there was nothing else.
func (d *DamageLog) SumUp() error {
	if d.damaged == 0 {
		return nil
	}
	if hidden := d.damaged - DamageShown; hidden > 0 && !d.Console.Verbose {
		d.Console.Note("%s: %d more damaged lines; -v shows them all", d.Name, hidden)
	}
	if d.records == 0 {
		return notTranscript(&source.NotTranscriptError{Path: d.Name, First: d.first})
	}
	d.Console.Note("%s: %d of %d lines damaged; the others are intact", d.Name, d.damaged, d.lines)
	d.Console.Hint(damageHint(d.Name, d.first))
	return failure.Damaged
}

// notTranscript is the failure of an input that is something else.
func notTranscript(e *source.NotTranscriptError) *failure.Error {
	return failure.New(failure.NotTranscript, "%v", e).At(e.Path).WithHint(damageHint(e.Path, e.First))
}

// damageHint is the command that shows or mends the damage. Without damage, it shows the first line.
func damageHint(path string, damage *jsonl.Damage) string {
	switch {
	case path == StdinName:
		return ""
	case damage == nil:
		return "clawctl cat -q " + failure.Quote(path) + " | head -n 1"
	case damage.Code == jsonl.WrongCoded:
		return "iconv -f UTF-16 -t UTF-8 " + failure.Quote(path) + " | clawctl cat -"
	}
	return fmt.Sprintf("clawctl cat -q %s | sed -n %dp | cat -v", failure.Quote(path), damage.Line)
}
