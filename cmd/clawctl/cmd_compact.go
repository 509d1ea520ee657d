package main

import (
	"fmt"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/shrinking"
	"clawctl/internal/ui"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/window/compact"
)

func newCompactCommand() *cli.Command {
	o := &compactOptions{RecordOptions: shrinking.NewRecordOptions(), keep: newKeepOption()}
	c := &cli.Command{
		Operands: "[SOURCE]",
		About: "Prints a compaction record: one line of JSON that belongs after the last line of the session. It never " +
			"changes a transcript.\n\n" +
			"--keep says how many of the latest messages stay as they are. The default, 20000 tokens, cuts where the program " +
			"that wrote the session cuts, which may split a turn. pi estimates one token for four characters. OpenClaw " +
			"counts Chinese, Japanese, Korean and images more, and scales its estimate to the size that the model reported. " +
			"claw0 summarizes half of the messages. --like chooses one of them. 50% of the estimate or 20m " +
			"messages keep at least that much, and begin with a turn unless that would keep more than twice as much or " +
			"summarize less than half as much. A tool call always stays with its result, " +
			"and nothing from before the last compaction or reset comes back. --plan shows where it cuts and why.\n\n" +
			"The summary is that of --summary or --summarizer. Without them it is the last checkpoint, if that covers more " +
			"than half of the context. It then replaces everything before it, and --keep does not apply. Otherwise, --offline " +
			"makes an extract, which says that it is one. If a summarizer fails, the last checkpoint is used, then --offline. " +
			shrinking.SummaryRules + " Without a summary nothing is printed, and the exit status is 1.\n\n" +
			"With --if-needed, it prints a record only if the context no longer fits in the window minus --reserve.\n\n" +
			"You can add the record yourself: `clawctl compact S.jsonl >> S.jsonl`. Programs that open the session afterwards " +
			"see the summary and what was kept. A gateway that has the session open does not: it continues after the last " +
			"entry it wrote, so the record becomes a branch that nobody sees. Let it finish and stop it first. OpenClaw since " +
			"2026.8 keeps its sessions in SQLite and reads no JSONL.\n\n" +
			"--append adds the record to a session in clawctl's store instead, unless the session has changed since it was " +
			"read. Names are then looked up in the store. Otherwise they are looked up in your state folder first.",
		Examples: []cli.Example{
			{"Where would it cut?", "clawctl compact SESSION.jsonl --plan"},
			{"Ask a model for the summary, but only if the context is nearly full",
				"clawctl compact SESSION.jsonl --if-needed --summarizer 'llm -m haiku' --offline > record.json"},
			{"Use your own summary and keep the latest half",
				"clawctl compact SESSION.jsonl --summary notes.md --keep 50% >> SESSION.jsonl"},
			{"Compact a session in clawctl's store",
				"clawctl compact --append --session goclaw:main:main --if-needed --summarizer 'llm -m haiku'"},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing,
			failure.ExitDatabase, failure.ExitLocked, failure.ExitInterrupted,
		},
		Outcomes: map[int]string{
			failure.ExitOK:       "done or not needed",
			failure.ExitFindings: "nothing to summarize or no usable summary",
		},
		Flags:   o.flags,
		Formats: []string{"table", "json", "ndjson"},
		Plain:   "the record",
	}
	c.Run = func(a *cli.App, operands []string) error { return o.run(a, c, operands) }
	return c
}

// compactOptions are the flags of compact.
type compactOptions struct {
	shrinking.RecordOptions
	plan    bool
	keep    keepOption
	like    string
	reserve reading.ReserveOption
}

func (o *compactOptions) flags() []cli.Flag {
	like := cli.ChoiceFlag(&o.like, "like", "PROGRAM", rebuild.Likes, "measure and cut as this program does").
		WithDefault("the one that wrote the session")
	return slices.Concat(
		[]cli.Flag{
			cli.SwitchFlag(&o.plan, "plan", "show where it would cut and why"),
			o.keep.flag(),
			like, like.Synonym("as"),
			o.reserve.Flag(),
		},
		o.RecordOptions.Flags(),
	)
}

type keepOption struct {
	compact.Keep
	text  string
	given bool
}

func newKeepOption() keepOption {
	return keepOption{Keep: compact.DefaultKeep, text: compact.DefaultKeep.String()}
}

func (o *keepOption) flag() cli.Flag {
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

func (o *compactOptions) run(a *cli.App, c *cli.Command, operands []string) error {
	defer reading.KeepSmall()()
	switch {
	case o.like == "claw0" && o.keep.given:
		return c.Conflict("--like claw0", "--keep")
	case o.plan && o.Appending.Enabled:
		return c.Conflict("--append", "--plan")
	}
	r, err := shrinking.Open(a, c, &o.RecordOptions, operands, "compacted", rebuild.LikeNamed(o.like))
	if err != nil {
		return err
	}
	if r.Summary.Keep = o.keep.Keep; !o.keep.given {
		r.Summary.Keep = r.Survey.UsualKeep()
	}
	r.Summary.IgnoreCheckpoints = !r.Settings.Session.Compaction.PreferCheckpoint
	compaction := &compaction{r}
	needed, err := r.IsNeeded(func(size int64) (bool, error) { return compaction.isDue(size, &o.reserve) })
	if err != nil || !needed {
		return err
	}
	if o.plan {
		return compaction.printPlan()
	}
	return compaction.print()
}

// A compaction is one session that is compacted.
type compaction struct{ run *shrinking.Run }

// isDue reports whether less than the reserve is left of a window of this size.
func (c *compaction) isDue(size int64, reserve *reading.ReserveOption) (bool, error) {
	free, err := reserve.Of(size, c.run.Settings, c.run.Command)
	if err != nil {
		return false, err
	}
	fill := c.run.Survey.Fill
	fill.Window = size
	return fill.NeedsCompaction(free), nil
}

// print finds a summary and prints the record.
func (c *compaction) print() error {
	if err := c.run.MustHaveIDs(); err != nil {
		return err
	}
	result, err := c.run.Survey.Compact(c.run.App.Ctx, c.run.Transcript.Again, c.run.Summary)
	if err != nil {
		return c.run.SummaryFailed(err)
	}
	record, err := result.Record(c.run.Context.Context.Leaf, c.run.Stamp())
	if err != nil {
		return failure.Internal(err)
	}
	c.explain(result)
	return c.run.Deliver(record)
}

// explain says what the record does, and what replaced a summary that failed.
func (c *compaction) explain(result *compact.Compaction) {
	source := c.run.Survey.SourceWords(result)
	if result.Failure != nil {
		c.run.App.Note("%s: %v; using %s instead", c.run.Transcript.Name, result.Failure, source)
	}
	c.run.App.Note("%s: summarized %s with %s, kept %s; reduced %s tokens to %s", c.run.Transcript.Name,
		ui.Count(result.Plan.Summarized, "message"), source, ui.Thousands(int64(result.Plan.Kept)),
		ui.Thousands(result.Plan.TokensBefore), ui.Thousands(result.TokensAfter))
}

// neighborsShown is how many messages a plan shows on either side of its cut.
const neighborsShown = 3

// printPlan prints where a compaction would cut.
func (c *compaction) printPlan() error {
	from, plan := c.run.Survey.Source(c.run.Summary)
	report := c.run.Survey.Report(c.run.Transcript.Session.Name(), c.run.Context.Context.Leaf, from, plan)
	var err error
	switch {
	case c.run.App.WantsJSON():
		err = c.run.App.Print(cli.JSONLine(report))
	case !report.Compacts:
		err = c.run.App.Print(fmt.Sprintf("nothing to summarize: %s, %s tokens, and all are kept\n",
			ui.Count(plan.Kept+plan.Summarized, "message"), ui.Thousands(plan.TokensBefore)))
	default:
		err = c.printPlanText(report, plan)
	}
	if err != nil {
		return err
	}
	return c.run.Transcript.Damage
}

// printPlanText prints a plan for people.
func (c *compaction) printPlanText(report *compact.PlanReport, p *compact.Plan) error {
	neighbors, err := c.run.Survey.Neighbors(p, neighborsShown, c.run.Transcript.Again)
	if err != nil {
		return c.run.ReadFailed(err)
	}
	table, hidden := c.run.App.LayOut(neighborsTable(neighbors))
	text := p.Picture()
	for _, row := range report.Rows(p) {
		label := fmt.Sprintf("%-9s ", row.Name)
		text += cli.Labelled(c.run.App.Output.Term, label, ui.EscapeLine(row.Words)) + "\n"
	}
	if err := c.run.App.PrintStyled(text + "\n" + table); err != nil {
		return err
	}
	c.run.App.NoteHidden(hidden)
	return nil
}

// neighborsTable lists the messages around the cut.
func neighborsTable(neighbors []compact.Glance) *cli.Report {
	table := cli.NewReport(
		ui.Column{Name: "line", Right: true},
		ui.Column{Name: "entry", Cut: ui.InMiddle, Min: 8, Rank: 2},
		ui.Column{Name: "tokens", Right: true, Rank: 1},
		ui.Column{},
		ui.Column{Name: "who", Cut: ui.AtEnd, Min: 11},
		ui.Column{Name: "says", Cut: ui.AtEnd, Min: 20},
	)
	for _, n := range neighbors {
		fate := map[bool]string{false: "░ summarized", true: "█ kept"}[n.Kept]
		table.Add(nil, fmt.Sprint(n.Line), n.Entry, ui.Thousands(n.Tokens), fate, n.Who, n.Text)
	}
	return table
}
