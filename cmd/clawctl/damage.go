package main

import (
	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// damageShown is how many damaged lines of a file are reported one by one, unless --verbose.
const damageShown = 10

// A damageLog reports the damaged lines of one input.
type damageLog struct {
	*console
	name           string
	lines, damaged int64
	records        int64
	first          *jsonl.Damage
}

func (d *damageLog) count(rec *jsonl.Record) {
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
	if d.damaged > damageShown && !d.verbose {
		return
	}
	d.complain(rec.Damage.FailureAt(d.name).WithHint(""))
}

// finish says what was read, if that is wanted, and sums up.
func (d *damageLog) finish(dialect jsonl.Dialect) error {
	if d.verbose {
		d.note("%s: %s, %d lines, %d records, %d damaged", d.name, dialect, d.lines, d.records, d.damaged)
	}
	return d.sumUp()
}

// sumUp returns failure.Damaged if there was damage, and a failure if there was nothing else.
func (d *damageLog) sumUp() error {
	if d.damaged == 0 {
		return nil
	}
	if hidden := d.damaged - damageShown; hidden > 0 && !d.verbose {
		d.note("%s: %d more damaged lines; -v shows them all", d.name, hidden)
	}
	if d.records == 0 {
		return (&source.NotTranscriptError{Path: d.name, First: d.first}).FailureAt(d.name)
	}
	d.note("%s: %d of %d lines damaged; the others are intact", d.name, d.damaged, d.lines)
	d.hint(d.first.Command(d.name))
	return failure.Damaged
}
