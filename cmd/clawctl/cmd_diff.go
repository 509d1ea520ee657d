package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/read/diff"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/source"
)

func newDiffCommand() *cli.Command {
	return &cli.Command{
		Paged:   true,
		Options: &diffOptions{},
		Formats: []string{"text", "json", "ndjson"},
	}
}

// diffOptions are the flags of diff.
type diffOptions struct {
	Only       diff.Selection `flag:"only"`
	Compaction int            `flag:"compaction N: show what the model lost at this compaction of one session" least:"1"`
	Stat       bool           `flag:"stat: print only sums, by role and type of record"`
	Full       bool           `flag:"full: print texts in full, and the records of every session"`
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *diffOptions) OwnFlags() []cli.Flag {
	var kinds []string
	for _, k := range diff.Kinds {
		kinds = append(kinds, k.String())
	}
	return cli.FlagsOf(o,
		cli.ChoicesFlag((*[]string)(&o.Only), "only", "WHICH", kinds, "list and count only these differences"))
}

// Run runs the command.
func (o *diffOptions) Run(a *cli.App, operands []string) error {
	switch {
	case o.Compaction > 0:
		return o.showLost(a, operands)
	case len(operands) != 2:
		return cli.Usage("diff takes two arguments, got %d", len(operands))
	case operands[0] == "-" && operands[1] == "-":
		return cli.Usage("only one of A and B can be stdin")
	case o.Stat && o.Full:
		return cli.Conflict("--stat", "--full")
	}
	defer reading.KeepSmall()()
	d := &diffRun{App: a, diffOptions: o}
	first, err := d.find(operands[0])
	if err != nil {
		return err
	}
	second, err := d.find(operands[1])
	if err != nil {
		return err
	}
	if diff.NamesSession(first) || diff.NamesSession(second) {
		if err := d.compareOne(operands, first, second); err != nil {
			return err
		}
	} else if err := d.compareAll(diff.PairAll(first, second)); err != nil {
		return err
	}
	return a.Outcome.Err()
}

// find returns the sessions of one side.
func (d *diffRun) find(argument string) (*source.Match, error) {
	m, err := cli.FindTranscripts(d.App, []string{argument}, cli.Search{SourceOptions: d.SourceOptions,
		Defaults: cli.LiveOnly})
	switch {
	case err != nil:
		return nil, err
	case len(m.Sessions) == 0:
		return nil, d.Outcome.Err()
	case !m.ByName:
		cli.BlameProblems(d.App, m.Places)
	case len(m.Sessions) > 1:
		return nil, failure.Usage(failure.Command("clawctl", "sessions", m.Places[0].Path),
			"%s matches %d sessions; name one of them:", argument, len(m.Sessions)).WithList(reading.NameList(m.Sessions))
	}
	return m, nil
}

// A diffRun is one run of the command.
type diffRun struct {
	*cli.App
	*diffOptions
}

// failed gives an error of comparing its report.
func (d *diffRun) failed(p diff.Pair, err error) error {
	var side *diff.SideError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &side) && side.InB:
		return cli.InputError(p.B.Place(), side.Err)
	case errors.As(err, &side):
		return cli.InputError(p.A.Place(), side.Err)
	}
	return err
}

// compareOne compares two sessions, or a session and its counterpart in a place, and prints the records that differ.
func (d *diffRun) compareOne(operands []string, first, second *source.Match) error {
	p, err := diff.PairOne(d.Ctx, first, second)
	switch {
	case err != nil:
		return d.failed(p, err)
	case p.A == nil:
		return noCounterpart(p, operands[0])
	case p.B == nil:
		return noCounterpart(p, operands[1])
	}
	err = d.comparePair(p)
	if cli.IsOutputGone(err) {
		return err
	}
	d.Blame(err)
	return nil
}

func noCounterpart(p diff.Pair, place string) error {
	return failure.New(failure.Nothing, "no counterpart of %s", p.Name()).At(place).
		WithHint(failure.Command("clawctl", "sessions", place))
}

// comparePair compares two sessions and prints the records that differ.
func (d *diffRun) comparePair(p diff.Pair) error {
	cli.WatchReading(d.App, "Comparing", []*source.Session{p.A, p.B})
	c, err := p.Compare(d.Ctx)
	d.Progress.End()
	if err != nil {
		return d.failed(p, err)
	}
	if d.WantsJSON() {
		err = d.PrintJSON(diff.NewSummaryRow(&diff.Result{Pair: p, Sums: c.Sums}))
	} else {
		err = d.printWrapped(fmt.Sprintf("A: %s, B: %s. %s", ui.Count(c.Sums.A, "record"), ui.Thousands(c.Sums.B),
			d.Only.Sentence(&c.Sums)))
	}
	if err != nil {
		return err
	}
	for i, damaged := range []int64{c.Sums.DamagedA, c.Sums.DamagedB} {
		if place := []*source.Session{p.A, p.B}[i].Place(); damaged > 0 {
			d.Note("%s: damaged lines were compared byte by byte: %d", place, damaged)
			d.Hint(failure.Command("clawctl", "validate", place))
		}
	}
	if d.Stat {
		err = d.printStat(p, c)
	} else {
		err = d.printChanges(p, c, "")
	}
	if err != nil {
		return err
	}
	if d.Only.HasAny(&c.Sums) {
		return failure.Findings
	}
	return nil
}

// compareAll compares sessions pair by pair, and prints the records only with --full.
func (d *diffRun) compareAll(pairs []diff.Pair) error {
	var sessions []*source.Session
	for _, p := range pairs {
		if p.IsWhole() {
			sessions = append(sessions, p.A, p.B)
		}
	}
	cli.WatchReading(d.App, "Comparing", sessions)
	list := make([]diff.Result, len(pairs))
	for i, p := range pairs {
		list[i] = d.sum(p)
		if d.Ctx.Err() != nil {
			return cli.Interrupted(d.App)
		}
	}
	d.Progress.End()
	if err := d.printSessions(list); err != nil {
		return err
	}
	for i := range list {
		if list[i].Err != nil {
			d.Blame(list[i].Err)
		} else if d.Only.IsDifferent(&list[i]) {
			d.Blame(failure.Findings)
		}
	}
	for i := range list {
		r := &list[i]
		if !d.Full || r.Err != nil || !r.Pair.IsWhole() || !d.Only.HasAny(&r.Sums) {
			continue
		}
		c, err := r.Pair.Compare(d.Ctx)
		if err != nil {
			return d.failed(r.Pair, err)
		}
		if err := d.printChanges(r.Pair, c, r.Pair.Name()); err != nil {
			return err
		}
	}
	return nil
}

// sum compares a pair. The index of a session is not kept: that of a home would not fit into memory.
func (d *diffRun) sum(p diff.Pair) diff.Result {
	if !p.IsWhole() {
		return diff.Result{Pair: p}
	}
	c, err := p.Compare(d.Ctx)
	if err != nil {
		return diff.Result{Pair: p, Err: d.failed(p, err)}
	}
	return diff.Result{Pair: p, Sums: c.Sums}
}

// printWrapped prints a paragraph.
func (d *diffRun) printWrapped(text string) error {
	return d.PrintStyled(wrapped(d.App, text))
}

// printChanges prints the records that differ. session is printed before them if there are several.
func (d *diffRun) printChanges(p diff.Pair, c *diff.Comparison, session string) error {
	t := &diff.Text{Term: d.Output.Term, Full: d.Full}
	if session != "" && !d.WantsJSON() {
		if err := d.PrintStyled("\n" + t.Term.Paint(ui.Bold, ui.EscapeLine(session)) + "\n"); err != nil {
			return err
		}
	}
	const mostRenumbered = 3 // nobody wants to read a hundred new ids
	isLong := c.Renumbered > mostRenumbered && !d.Full && len(d.Only) == 0 && !d.WantsJSON()
	var maker parts.Maker
	hidden := int64(0)
	for change, err := range c.Changes(d.Ctx) {
		if err != nil {
			return d.failed(p, err)
		}
		switch {
		case !d.Only.Wants(change.Kind):
			continue
		case isLong && change.Kind == diff.Renumbered:
			hidden++
			continue
		}
		entry := maker.Entry(change.Record())
		if d.WantsJSON() {
			err = d.PrintJSON(diff.NewChangeRow(change, entry, session))
		} else {
			err = d.PrintStyled(t.Change(change, entry))
		}
		if err != nil {
			return err
		}
	}
	if hidden > 0 {
		d.Note("%s not listed; --full lists them", ui.Count(hidden, "renumbered record"))
	}
	return nil
}

// printStat prints how many records differ, by the role of a message or the type of another record.
func (d *diffRun) printStat(p diff.Pair, c *diff.Comparison) error {
	counts, err := c.CountByRecord(d.Ctx)
	if err != nil {
		return d.failed(p, err)
	}
	if len(counts) == 0 {
		return nil
	}
	kinds := d.Only.Kinds()
	r := cli.NewReport(append([]ui.Column{{Name: "record", Cut: ui.AtEnd}}, kindColumns(kinds)...)...)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		cells := []string{name}
		for _, k := range kinds {
			cells = append(cells, ui.Thousands(counts[name][k]))
		}
		r.Add(d.Only.CountRow(name, counts[name]), cells...)
	}
	return d.PrintReport(r)
}

func kindColumns(kinds []diff.Kind) (columns []ui.Column) {
	for i, k := range kinds {
		columns = append(columns, ui.Numbers(k.Words(), i/3))
	}
	return columns
}

// printSessions prints a line for each session that differs.
func (d *diffRun) printSessions(list []diff.Result) error {
	rows := make([]diff.SumsRow, len(list))
	for i := range list {
		rows[i] = diff.NewSumsRow(&list[i])
	}
	sums := diff.NewPlaceSums(rows)
	if d.WantsJSON() {
		r := cli.NewReport()
		r.AddObject(sums)
		for _, row := range rows {
			r.AddObject(row)
		}
		return d.PrintReport(r)
	}
	kinds := d.Only.KindsIn(list)
	columns := []ui.Column{{Name: "session", Cut: ui.InMiddle, Min: 20}, {Name: "status"}}
	r := cli.NewReport(append(columns, kindColumns(kinds)...)...)
	for i := range list {
		if list[i].Err != nil || d.Only.IsDifferent(&list[i]) {
			r.Add(rows[i], rows[i].Cells(&list[i].Sums, kinds)...)
		}
	}
	if err := d.printWrapped(sums.Sentence()); err != nil || len(r.Table.Rows) == 0 {
		return err
	}
	return d.PrintTables(r)
}
