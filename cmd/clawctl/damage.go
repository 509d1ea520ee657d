package main

import (
	"fmt"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// damageShown is how many damaged lines of a file are reported one by one, unless --verbose.
const damageShown = 10

// A damageLog reports the damaged lines of one input.
type damageLog struct {
	console        *console
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
	if d.damaged > damageShown && !d.console.verbose {
		return
	}
	d.console.complain(damageError(d.name, rec.Damage).WithHint(""))
}

// finish says what was read, if that is wanted, and sums up.
func (d *damageLog) finish(dialect jsonl.Dialect) error {
	if d.console.verbose {
		d.console.note("%s: %s, %d lines, %d records, %d damaged", d.name, dialect, d.lines, d.records, d.damaged)
	}
	return d.sumUp()
}

// sumUp returns failure.Damaged if there was damage, and a failure if there was nothing else.
func (d *damageLog) sumUp() error {
	if d.damaged == 0 {
		return nil
	}
	if hidden := d.damaged - damageShown; hidden > 0 && !d.console.verbose {
		d.console.note("%s: %d more damaged lines; -v shows them all", d.name, hidden)
	}
	if d.records == 0 {
		return notTranscript(&source.NotTranscriptError{Path: d.name, First: d.first})
	}
	d.console.note("%s: %d of %d lines damaged; the others are intact", d.name, d.damaged, d.lines)
	d.console.hint(damageHint(d.name, d.first))
	return failure.Damaged
}

// notTranscript is the failure of an input that is something else.
func notTranscript(e *source.NotTranscriptError) *failure.Error {
	return failure.New(failure.NotTranscript, "%v", e).At(e.Path).WithHint(damageHint(e.Path, e.First))
}

// damageHint is the command that shows or mends the damage. Without damage, it shows the first line.
func damageHint(path string, damage *jsonl.Damage) string {
	switch {
	case path == stdinName:
		return ""
	case damage == nil:
		return "clawctl cat -q " + failure.Quote(path) + " | head -n 1"
	case damage.Code == jsonl.WrongCoded:
		return "iconv -f UTF-16 -t UTF-8 " + failure.Quote(path) + " | clawctl cat -"
	}
	return fmt.Sprintf("clawctl cat -q %s | sed -n %dp | cat -v", failure.Quote(path), damage.Line)
}
