package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
	"clawctl/pkg/diff"
	"clawctl/pkg/parts"
)

// printSums prints the sums of two sessions.
func (d *diffing) printSums(p sessionPair, s *diff.Sums) error {
	if d.app.WantsJSON() {
		row := newDiffSums(p, s)
		row.Summary, row.Session = true, ""
		if row.Status == "other-kind" {
			row.Status = "same" // whoever names two sessions knows their kinds
		}
		return d.app.Print(cli.JSONLine(row))
	}
	return d.printWrapped(fmt.Sprintf("A: %s, B: %s. %s", ui.Count(s.A, "record"), ui.Thousands(s.B), d.sumsOf(s)))
}

// printWrapped prints a paragraph.
func (d *diffing) printWrapped(text string) error {
	if d.app.Output.Term.Is {
		text = ui.Wrap(text, d.app.Output.Term.Columns, "")
	}
	return d.app.PrintStyled(text + "\n")
}

// sumsOf describes the differences in a sentence.
func (d *diffing) sumsOf(s *diff.Sums) string {
	var list []string
	for _, k := range diff.Kinds {
		if n := s.Of(k); n > 0 && d.options.wants(k) {
			list = append(list, ui.Thousands(n)+" "+kindWords[k])
		}
	}
	spelling := ""
	if s.Respelled > 0 {
		spelling = fmt.Sprintf(" (%s written differently)", ui.Thousands(s.Respelled))
	}
	switch {
	case s.Differences() == 0:
		return "The same content" + spelling + "."
	case s.HasSameContent() && len(list) > 0:
		return "The same content" + spelling + ", " + ui.Count(s.Renumbered, "record") + " renumbered."
	case len(list) == 0:
		return "Nothing " + onlyWords(d.options.only) + "."
	case len(d.options.only) > 0:
		return strings.Join(list, ", ") + "."
	}
	return fmt.Sprintf("%s the same%s, %s.", ui.Thousands(s.Same), spelling, strings.Join(list, ", "))
}

// kindWords describe the kinds of differences after a number.
var kindWords = map[diff.Kind]string{
	diff.Removed: "only in A", diff.Added: "only in B", diff.Changed: "changed", diff.Moved: "moved",
	diff.Renumbered: "renumbered",
}

// onlyWords joins the values of --only.
func onlyWords(only []string) string {
	var words []string
	for _, k := range diff.Kinds {
		if slices.Contains(only, k.String()) {
			words = append(words, kindWords[k])
		}
	}
	return strings.Join(words, " or ")
}

// printChanges prints the records that differ. session is printed before them if there are several.
func (d *diffing) printChanges(p sessionPair, c *diff.Comparison, session string) error {
	t := &diffText{term: d.app.Output.Term, full: d.options.full}
	if session != "" && !d.app.WantsJSON() {
		if err := d.app.PrintStyled("\n" + d.app.Output.Term.Paint(ui.Bold, ui.EscapeLine(session)) + "\n"); err != nil {
			return err
		}
	}
	var maker parts.Maker
	hidden := int64(0)
	for change, err := range c.Changes(d.app.Ctx) {
		if err != nil {
			return d.failed(p, err)
		}
		if !d.options.wants(change.Kind) {
			continue
		}
		if d.hides(change, c) {
			hidden++
			continue
		}
		if err := d.printChange(t, change, maker.Entry(cmp.Or(change.B, change.A)), session); err != nil {
			return err
		}
	}
	if hidden > 0 {
		d.app.Note("%s not listed; --full lists them", ui.Count(hidden, "renumbered record"))
	}
	return nil
}

// hides reports whether a record is left out because nobody wants to read a hundred new ids.
func (d *diffing) hides(change *diff.Change, c *diff.Comparison) bool {
	const most = 3
	return change.Kind == diff.Renumbered && c.Renumbered > most && !d.options.full && len(d.options.only) == 0 &&
		!d.app.WantsJSON()
}

func (d *diffing) printChange(t *diffText, c *diff.Change, e *parts.Entry, session string) error {
	if d.app.WantsJSON() {
		return d.app.Print(cli.JSONLine(newChangeRow(c, e, session)))
	}
	return d.app.PrintStyled(t.change(c, e))
}

// printStat prints how many records differ, by the role of a message or the type of another record.
func (d *diffing) printStat(p sessionPair, c *diff.Comparison) error {
	counts := map[string]map[diff.Kind]int64{}
	for change, err := range c.Changes(d.app.Ctx) {
		if err != nil {
			return d.failed(p, err)
		}
		rec := cmp.Or(change.B, change.A)
		name := cmp.Or(rec.Role(), rec.StatedType(), "unknown")
		if !rec.Legible() {
			name = "damaged"
		}
		if counts[name] == nil {
			counts[name] = map[diff.Kind]int64{}
		}
		counts[name][change.Kind]++
	}
	if len(counts) == 0 {
		return nil
	}
	r := cli.NewReport(append([]ui.Column{{Name: "record", Cut: ui.AtEnd}}, kindColumns(d.kinds())...)...)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		object := map[string]any{"schema_version": 1, "record": name}
		cells := []string{name}
		for _, k := range d.kinds() {
			object[k.String()] = counts[name][k]
			cells = append(cells, ui.Thousands(counts[name][k]))
		}
		r.Add(object, cells...)
	}
	return d.app.PrintReport(r)
}

// kinds are the kinds of differences that are wanted.
func (d *diffing) kinds() []diff.Kind {
	return slices.DeleteFunc(slices.Clone(diff.Kinds), func(k diff.Kind) bool { return !d.options.wants(k) })
}

func kindColumns(kinds []diff.Kind) (columns []ui.Column) {
	for i, k := range kinds {
		columns = append(columns, ui.Column{Name: kindWords[k], Right: true, Rank: i / 3})
	}
	return columns
}

// kindsIn are the kinds of differences that are wanted and occur.
func (d *diffing) kindsIn(list []comparedPair) []diff.Kind {
	return slices.DeleteFunc(d.kinds(), func(k diff.Kind) bool {
		return !slices.ContainsFunc(list, func(p comparedPair) bool { return p.sums.Of(k) > 0 })
	})
}

// printSessions prints a line for each session that differs.
func (d *diffing) printSessions(list []comparedPair) error {
	sums := placeSums{SchemaVersion: 1, Summary: true, Sessions: len(list), Status: map[string]int{}}
	kinds := d.kindsIn(list)
	columns := []ui.Column{{Name: "session", Cut: ui.InMiddle, Min: 20}, {Name: "status"}}
	r := cli.NewReport(append(columns, kindColumns(kinds)...)...)
	for i := range list {
		p := &list[i]
		row := newDiffSums(p.sessionPair, &p.sums)
		if p.err != nil {
			row.Status, row.Error = "unreadable", p.err.Error()
		}
		sums.Status[row.Status]++
		if d.app.WantsJSON() {
			r.AddObject(row)
		} else if p.err != nil || d.options.isDifferent(p) {
			r.Add(row, sessionCells(p, row.Status, kinds)...)
		}
	}
	if d.app.WantsJSON() {
		r.Objects = slices.Insert(r.Objects, 0, any(sums))
		return d.app.PrintReport(r)
	}
	if err := d.printWrapped(sums.words()); err != nil || len(r.Rows) == 0 {
		return err
	}
	return d.app.PrintTables(r)
}

func sessionCells(p *comparedPair, status string, kinds []diff.Kind) []string {
	words := statusWords[status]
	if p.a != nil && p.b != nil && p.a.Kind != p.b.Kind {
		words = fmt.Sprintf("%s (%s in A, %s in B)", words, p.a.Kind, p.b.Kind)
	}
	cells := []string{p.name(), words}
	for _, k := range kinds {
		cell := ""
		if n := p.sums.Of(k); n > 0 {
			cell = ui.Thousands(n)
		}
		cells = append(cells, cell)
	}
	return cells
}

// statuses are those of sessions, in the order in which they are counted.
var statuses = []string{"same", "other-kind", "renumbered", "different", "only-a", "only-b", "unreadable"}

var statusWords = map[string]string{
	"same": "the same", "other-kind": "of another kind", "renumbered": "renumbered", "different": "different",
	"only-a": "only in A", "only-b": "only in B", "unreadable": "unreadable",
}

// words describes the sums in a sentence.
func (s *placeSums) words() string {
	var list []string
	for _, status := range statuses {
		if n := s.Status[status]; n > 0 {
			list = append(list, ui.Thousands(int64(n))+" "+statusWords[status])
		}
	}
	return fmt.Sprintf("%s: %s.", ui.Count(s.Sessions, "session"), strings.Join(list, ", "))
}
