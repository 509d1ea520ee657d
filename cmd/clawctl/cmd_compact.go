package main

import (
	"fmt"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/shrinking"
	"clawctl/internal/ui"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/window/compact"
)

func newCompactCommand() *cli.Command {
	return &cli.Command{
		Missing: func() string { return shrinking.SummaryRules },
		Options: &compactOptions{RecordOptions: shrinking.NewRecordOptions(),
			Keep: keepOption{Keep: compact.DefaultKeep, text: compact.DefaultKeep.String()}},
		Formats: []string{"table", "json", "ndjson"},
		Plain:   "the record",
	}
}

// compactOptions are the flags of compact.
type compactOptions struct {
	Plan    bool `flag:"plan: show where it would cut and why"`
	Keep    keepOption
	Like    string `flag:"like"`
	Reserve reading.ReserveOption
	shrinking.RecordOptions
}

// OwnFlags makes the flags.
func (o *compactOptions) OwnFlags() []cli.Flag {
	like := cli.ChoiceFlag(&o.Like, "like", "PROGRAM", rebuild.Likes, "measure and cut as this program does").
		WithDefault("the one that wrote the session")
	return cli.FlagsOf(o,
		like,
		like.Synonym("as"))
}

type keepOption struct {
	compact.Keep
	text  string
	given bool
}

// Flag is --keep.
func (o *keepOption) Flag() cli.Flag {
	f := cli.TextFlag(&o.text, "keep", "N|N%|Nm", "keep the last N tokens, N% of them, or N messages")
	return f.Checked(func() (err error) {
		o.given = true
		if o.Keep, err = compact.ParseKeep(o.text); err != nil {
			return fmt.Errorf("must be a number of tokens, a percentage from 1%% to 99%%, or messages such as 20m, got %q",
				o.text)
		}
		return nil
	})
}

// Run runs the command.
func (o *compactOptions) Run(a *cli.App, operands []string) error {
	defer reading.KeepSmall()()
	switch {
	case o.Like == "claw0" && o.Keep.given:
		return cli.Conflict("--like claw0", "--keep")
	case o.Plan && o.Appending.Enabled:
		return cli.Conflict("--append", "--plan")
	}
	r, err := shrinking.Open(a, &o.RecordOptions, operands, "compacted", rebuild.LikeNamed(o.Like))
	if err != nil {
		return err
	}
	if r.Summary.Keep = o.Keep.Keep; !o.Keep.given {
		r.Summary.Keep = r.Survey.UsualKeep()
	}
	r.Summary.IgnoreCheckpoints = !r.Settings.Session.Compaction.PreferCheckpoint
	compaction := &compaction{r}
	needed, err := r.IsNeeded(func(size int64) (bool, error) { return compaction.isDue(size, &o.Reserve) })
	if err != nil || !needed {
		return err
	}
	if o.Plan {
		return compaction.printPlan()
	}
	return compaction.print()
}

// A compaction is one session that is compacted.
type compaction struct{ *shrinking.Run }

// isDue reports whether less than the reserve is left of a window of this size.
func (c *compaction) isDue(size int64, reserve *reading.ReserveOption) (bool, error) {
	free, err := reserve.Of(size, c.Settings)
	if err != nil {
		return false, err
	}
	fill := c.Survey.Fill
	fill.Window = size
	return fill.NeedsCompaction(free), nil
}

// print finds a summary and prints the record.
func (c *compaction) print() error {
	if err := c.MustHaveIDs(); err != nil {
		return err
	}
	result, err := c.Survey.Compact(c.Ctx, c.Transcript.Again, c.Summary)
	if err != nil {
		return c.SummaryFailed(err)
	}
	record, err := result.Record(c.Context.Context.Leaf, c.Stamp())
	if err != nil {
		return failure.Internal(err)
	}
	c.explain(result)
	return c.Deliver(record)
}

// explain says what the record does, and what replaced a summary that failed.
func (c *compaction) explain(result *compact.Compaction) {
	source := c.Survey.SourceWords(result)
	if result.Failure != nil {
		c.Note("%s: %v; using %s instead", c.Transcript.Name, result.Failure, source)
	}
	c.Note("%s: summarized %s with %s, kept %s; reduced %s tokens to %s", c.Transcript.Name,
		ui.Count(result.Plan.Summarized, "message"), source, ui.Thousands(int64(result.Plan.Kept)),
		ui.Thousands(result.Plan.TokensBefore), ui.Thousands(result.TokensAfter))
}

// neighborsShown is how many messages a plan shows on either side of its cut.
const neighborsShown = 3

// printPlan prints where a compaction would cut.
func (c *compaction) printPlan() error {
	from, plan := c.Survey.Source(c.Summary)
	report := c.Survey.Report(c.Transcript.Session.Name(), c.Context.Context.Leaf, from, plan)
	var err error
	switch {
	case c.WantsJSON():
		err = c.PrintJSON(report)
	case !report.Compacts:
		err = c.Print(fmt.Sprintf("nothing to summarize: %s, %s tokens, and all are kept\n",
			ui.Count(plan.Kept+plan.Summarized, "message"), ui.Thousands(plan.TokensBefore)))
	default:
		err = c.printPlanText(report, plan)
	}
	if err != nil {
		return err
	}
	return c.Transcript.Damage
}

// printPlanText prints a plan for people.
func (c *compaction) printPlanText(report *compact.PlanReport, p *compact.Plan) error {
	neighbors, err := c.Survey.Neighbors(p, neighborsShown, c.Transcript.Again)
	if err != nil {
		return c.ReadFailed(err)
	}
	table, hidden := c.LayOut(neighborsTable(neighbors))
	text := p.Picture()
	for _, row := range report.Rows(p) {
		label := fmt.Sprintf("%-9s ", row.Name)
		text += cli.Labelled(c.Output.Term, label, ui.EscapeLine(row.Words)) + "\n"
	}
	if err := c.PrintStyled(text + "\n" + table); err != nil {
		return err
	}
	c.NoteHidden(hidden)
	return nil
}

// neighborsTable lists the messages around the cut.
func neighborsTable(neighbors []compact.Glance) *cli.Report {
	table := cli.NewReport(
		ui.Numbers("line"),
		ui.Middle("entry", 8, 2),
		ui.Numbers("tokens", 1),
		ui.Column{},
		ui.End("who", 11),
		ui.End("says", 20),
	)
	for _, n := range neighbors {
		fate := map[bool]string{false: "░ summarized", true: "█ kept"}[n.Kept]
		table.Add(nil, fmt.Sprint(n.Line), n.Entry, ui.Thousands(n.Tokens), fate, n.Who, n.Text)
	}
	return table
}
