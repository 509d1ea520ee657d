package cli

import (
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
	Later          func(say func()) // gets what is to be said, if sessions are read at the same time
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
	f := rec.Damage.FailureAt(d.Name).WithHint("")
	if d.Later != nil {
		d.Later(func() { d.Console.Complain(f) })
		return
	}
	d.Console.Complain(f)
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
		return (&source.NotTranscriptError{Path: d.Name, First: d.first}).FailureAt(d.Name)
	}
	d.Console.Note("%s: %d of %d lines damaged; the others are intact", d.Name, d.damaged, d.lines)
	d.Console.Hint(d.first.Command(d.Name))
	return failure.Damaged
}
