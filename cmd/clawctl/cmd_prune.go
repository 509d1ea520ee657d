package main

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change/prune"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/source"
)

func newPruneCommand() *cli.Command {
	return &cli.Command{
		Options: &pruneOptions{Lock: writing.NewLockOption()},
		Formats: cli.ReportFormats,
	}
}

// pruneOptions are the flags of prune.
type pruneOptions struct {
	writing.ChangeOptions
	Older      cli.TimeFlag  `flag:"older"`
	Kinds      []source.Kind `flag:"kind"`
	KeepLast   int           `flag:"keep-last N: keep the N newest files of each session"`
	Larger     int64         `flag:"larger SIZE: only files larger than this, such as 10MB"`
	Against    string        `flag:"against PATH: clawctl store, OpenClaw database, or state folder to compare with"`
	EmptyTrash bool          `flag:"empty-trash: delete what is in the trash for good"`
	Store      bool          `flag:"store: prune sessions of clawctl's store instead of files"`
	Archive    string        `flag:"archive"`
	LastCopy   writing.LastCopyOption
	Jobs       int `flag:"jobs N: how many transcripts to compare at a time" default:"one per core"`
	Lock       writing.LockOption
}

// OwnFlags makes the flags.
func (o *pruneOptions) OwnFlags() []cli.Flag {
	return cli.FlagsOf(o,
		o.Older.Flag("older", "only what was last used before this time, such as 30d").
			WithDefault(fmt.Sprintf("%dd; --store: session.ttl; --empty-trash: %dd", prune.UnusedDays, prune.TrashDays)),
		cli.ChoicesFlag(&o.Kinds, "kind", "KIND", prune.Kinds, "only files of this kind"),
		cli.RequiredTextFlag(&o.Archive, "archive", "FILE", "with --store: move the sessions to this archive, FILE"+
			bundle.Suffix))
}

// Run runs the command.
func (o *pruneOptions) Run(a *cli.App, operands []string) error {
	if err := o.check(a, operands); err != nil {
		return err
	}
	before, err := o.limit(a)
	if err != nil {
		return err
	}
	if o.Write && (!o.Store || o.Archive != "") {
		if err := writing.BeginChanges(a); err != nil {
			return err
		}
	}
	switch {
	case o.Store:
		return o.pruneStore(a, operands, before)
	case o.EmptyTrash:
		return o.emptyFiles(a, operands, before)
	}
	return o.pruneFiles(a, operands, before)
}

// check refuses flags that exclude each other, and what would delete for good without asking anybody.
func (o *pruneOptions) check(a *cli.App, operands []string) error {
	forFiles := a.FirstGiven("kind", "keep-last", "larger", "against")
	isOther := o.Store || o.EmptyTrash
	switch {
	case o.Archive != "" && (!o.Store || o.EmptyTrash):
		return cli.Usage("--archive needs --store, and cannot be combined with --empty-trash")
	case !utf8.ValidString(o.Archive):
		return cli.Usage("the name of an archive must be UTF-8, so that a receipt can have it")
	case o.Archive != "" && !strings.HasSuffix(o.Archive, bundle.Suffix):
		return failure.Usage(a.CommandLine("--archive", o.Archive+bundle.Suffix),
			"an archive is a bundle, so its name ends with %s", bundle.Suffix)
	case len(operands) > 1:
		return cli.Usage("prune takes one SOURCE, got %d", len(operands))
	case isOther && forFiles != "":
		return cli.Usage("--%s cannot be combined with --store or --empty-trash", forFiles)
	case !isOther && o.LastCopy.Allowed:
		return cli.Usage("--last-copy needs --store or --empty-trash")
	case !isOther:
		return o.ChangeOptions.Check(a)
	case o.Write && o.DryRun:
		return cli.Conflict("--write", "--dry-run")
	}
	o.Write = !o.DryRun && (o.Write || o.Yes || o.EmptyTrash) // whoever says yes wants it done
	return writing.MayConfirm(a, o.kind(), o.Yes || o.DryRun)
}

// kind is the kind of change that the flags ask for.
func (o *pruneOptions) kind() writing.ChangeKind {
	if o.EmptyTrash {
		return writing.EmptyTrash
	}
	return writing.Reversible
}

// limit is the time before which things are old.
func (o *pruneOptions) limit(a *cli.App) (time.Time, error) {
	switch {
	case o.Older.IsSet():
	case o.EmptyTrash:
		o.Older.Text = fmt.Sprintf("%dd", prune.TrashDays)
	case !o.Store:
		o.Older.Text = fmt.Sprintf("%dd", prune.UnusedDays)
	default:
		settings, err := a.Configuration()
		if err != nil {
			return time.Time{}, err
		}
		if o.Older.Text = settings.Session.TTL.String(); o.Older.Text == "" {
			return time.Time{}, cli.Usage("--store needs --older, because the configuration has no session.ttl")
		}
	}
	return o.Older.Resolve(a.Now())
}

// A pruneRun is one run of prune: a plan, and what belongs to it.
type pruneRun struct {
	*cli.App
	*pruneOptions
	plan  *prune.Plan
	job   *writing.Job
	begin func() error // prepares the work; may be nil
	after func()       // says what can be done after the work; may be nil
}

func (o *pruneOptions) newRun(a *cli.App, noun string) *pruneRun {
	plan := &prune.Plan{Noun: noun, Final: o.EmptyTrash}
	return &pruneRun{App: a, pruneOptions: o, plan: plan}
}

// finish prints the plan, or carries it out.
func (r *pruneRun) finish() error {
	r.plan.Count(r.Write)
	r.job = &writing.Job{
		App: r.App, ChangeOptions: r.ChangeOptions, Kind: r.kind(),
		Changes: r.plan.Summary.Count, Found: len(r.plan.Items) > 0,
		Print: r.print, Words: r.plan.Words(), Question: r.plan.Question(), Do: r.carryOut,
	}
	if r.plan.Final {
		r.job.Hint = strings.Replace(writing.WriteCommand(r.App), " --write", " -y", 1)
	}
	if len(r.plan.Items) == 0 {
		r.job.Words = fmt.Sprintf("Nothing to prune: no %s older than %s%s.", r.plan.Noun, r.Older.Text, r.plan.Where)
	}
	return r.job.Run()
}

// print prints the plan, or the summary alone if there is nothing in it.
func (r *pruneRun) print() error {
	isAsked := r.Write && r.plan.Summary.Count > 0
	switch {
	case len(r.plan.Items) > 0 && !(isAsked && r.Quiet && !r.WantsJSON()):
		return r.PrintReport(r.report())
	case len(r.plan.Items) == 0 && r.WantsJSON():
		return r.PrintJSON(r.plan.Summary)
	}
	return nil
}

// report is the plan as a table, with the summary for programs.
func (r *pruneRun) report() *cli.Report {
	since := "last used"
	if r.plan.Final {
		since = "in the trash since"
	}
	report := cli.NewReport(
		ui.Words("plan"),
		ui.Numbers("size"),
		ui.Words(since, 2),
		ui.Middle(r.plan.Noun, 24),
		ui.Words("why"),
	)
	for _, item := range r.plan.Items {
		style := ui.Good
		if item.Do == nil {
			style = ui.Warning
		}
		report.AddCells(item.Row, ui.Cell{Text: item.Action, Style: style}, ui.Cell{Text: ui.Bytes(item.Bytes)},
			ui.Cell{Text: r.When(item.Since)}, ui.Cell{Text: item.Name}, ui.Cell{Text: item.Reason, Short: item.Short})
	}
	if r.WantsJSON() {
		report.AddObject(r.plan.Summary)
	}
	return report
}

// carryOut does what the plan says.
func (r *pruneRun) carryOut() error {
	if r.begin != nil {
		if err := r.begin(); err != nil {
			return err
		}
	}
	r.Progress.Begin("Pruning", int64(r.plan.Summary.Count), ui.Items(r.plan.Noun))
	defer r.Progress.End()
	err := r.plan.CarryOut(r.Ctx, func(f *failure.Error) {
		r.Progress.Advance(1)
		if f != nil {
			r.Blame(f)
		}
	})
	if err != nil {
		return cli.Interrupted(r.App)
	}
	r.Progress.End()
	if r.plan.Summary.Kept > 0 {
		r.Outcome.Take(failure.ExitFindings, true)
	}
	r.Note("%s", r.plan.DoneWords())
	if r.after != nil && r.plan.Summary.Count > 0 {
		r.after()
	}
	return nil
}
