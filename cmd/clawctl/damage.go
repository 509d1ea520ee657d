package main

import (
	"errors"
	"fmt"

	"clawctl/pkg/jsonl"
)

// damageShown is how many damaged lines of a file are reported one by one, unless --verbose.
const damageShown = 10

// A damageLog reports the damaged lines of one input.
type damageLog struct {
	*app
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
	var f *failure
	errors.As(inputError(d.name, rec.Damage), &f)
	f.hint = ""
	d.complain(f)
}

// finish says what was read, where that is wanted, and sums up.
func (d *damageLog) finish(dialect jsonl.Dialect) error {
	if d.verbose {
		d.note("%s: %s, %d lines, %d records, %d damaged", d.name, dialect, d.lines, d.records, d.damaged)
	}
	return d.sumUp()
}

// sumUp returns errDamaged where there was damage, and a failure where there was nothing else.
func (d *damageLog) sumUp() error {
	if d.damaged == 0 {
		return nil
	}
	if hidden := d.damaged - damageShown; hidden > 0 && !d.verbose {
		d.note("%s: %d more damaged lines; -v shows them all", d.name, hidden)
	}
	if d.records == 0 {
		return notTranscript(d.name, d.first)
	}
	d.note("%s: %d of %d lines damaged, every other line is whole", d.name, d.damaged, d.lines)
	if hint := damageHint(d.name, d.first); hint != "" && !d.quiet && !d.json {
		fmt.Fprintf(d.stderr, "%s %s\n", d.errTerm.paint(styleHint, "hint:"), escapeControls(hint))
	}
	return errDamaged
}

// notTranscript is the failure for an input without a record, of which first is the first line.
func notTranscript(name string, first *jsonl.Damage) *failure {
	return &failure{exit: exitNothing, code: codeNoTranscript, path: name, text: "not a transcript: none of its lines is a record", hint: damageHint(name, first)}
}

// damageHint is the command that shows or mends the damage.
func damageHint(path string, damage *jsonl.Damage) string {
	if path == stdinName {
		return ""
	}
	if damage.Code == jsonl.WrongCoded {
		return "iconv -f UTF-16 -t UTF-8 " + shellQuote(path) + " | clawctl cat -"
	}
	return fmt.Sprintf("clawctl cat -q %s | sed -n %dp | cat -v", shellQuote(path), damage.Line)
}
