package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change/scrub"
)

// checkInPlace refuses flags that exclude each other.
func (o *redactOptions) checkInPlace(a *cli.App) error {
	other := a.FirstGiven("check", "pattern", "emails", "phones", "ips", "paths")
	switch {
	case other != "check" && !a.Output.Options.IsStdout():
		other = "-o"
	case other != "":
		other = "--" + other
	case o.Narrows():
		other = "--session, --agent and --kind"
	}
	isChosen := o.Values != "" || len(o.Only) > 0
	needs := a.FirstGiven("only", "keep-originals", "write", "dry-run", "yes")
	switch {
	case !o.Enabled && needs != "":
		return cli.Usage("--%s needs --in-place", needs)
	case !o.Enabled:
		return nil
	case other != "":
		return cli.Usage("--in-place removes only values that you name, and cannot be combined with %s", other)
	case o.Write && o.DryRun:
		return cli.Usage("--write and --dry-run cannot be combined")
	case o.Yes && !o.Write:
		return cli.Usage("--yes needs --write")
	case o.Write && !isChosen:
		return failure.Usage(writing.WithoutWrite(a), "--write needs --values or --only, because --in-place never removes "+
			"everything that was found")
	case o.Write:
		return writing.MayConfirm(a, writing.InPlace, o.Yes)
	}
	return nil
}

// runInPlace removes values from everything.
func (o *redactOptions) runInPlace(a *cli.App, operands []string) error {
	r := &inPlaceRun{App: a, redactOptions: o}
	if err := r.locate(operands); err != nil {
		return err
	}
	if o.Write {
		if err := writing.BeginChanges(a); err != nil {
			return err
		}
		r.where.Journal = a.Changes
	}
	if o.Values == "" && len(o.Only) == 0 {
		return r.list()
	}
	choice, err := r.choose()
	if err != nil {
		return err
	}
	r.Progress.Begin("Searching", 0, ui.Items("file"))
	if r.plan, err = scrub.NewPlan(a.Ctx, choice, r.where); err != nil {
		return r.failed(err)
	}
	r.Progress.End()
	return r.finish(choice)
}

// An inPlaceRun is one run of redact --in-place.
type inPlaceRun struct {
	*cli.App
	*redactOptions
	where scrub.Options
	plan  *scrub.Plan
}

// locate finds the homes, the store and the receipts. The folder for the originals must be elsewhere.
func (r *inPlaceRun) locate(operands []string) error {
	journal, err := writing.Journal(r.App)
	if err != nil {
		return err
	}
	own, err := r.StorePath("")
	if err != nil {
		return err
	}
	r.where = scrub.Options{Journal: journal, Store: openfile.WithoutLinks(own.Value), UserHome: cli.ExpandHome("~")}
	if len(operands) == 0 {
		state, _ := r.StateDir()
		if !openfile.IsThere(state.Path) {
			return r.NoStateDir()
		}
		operands = []string{state.Path}
	}
	for _, operand := range operands {
		path := cli.ExpandHome(operand)
		if _, err := os.Stat(path); err != nil {
			return r.MissingPath(path, err, "clawctl env")
		}
		r.where.Homes = append(r.where.Homes, openfile.WithoutLinks(path))
	}
	if r.Originals == "" {
		return nil
	}
	r.Originals = openfile.WithoutLinks(cli.ExpandHome(r.Originals))
	for _, folder := range append(slices.Clone(r.where.Homes), filepath.Dir(r.where.Store), r.where.Journal.Folder) {
		if openfile.IsBelow(r.Originals, folder) {
			return failure.Usage("clawctl help redact", "--keep-originals must be outside of %s", folder)
		}
	}
	return nil
}

// failed gives an error of the search its code.
func (r *inPlaceRun) failed(err error) error {
	if r.Ctx.Err() != nil {
		return cli.Interrupted(r.App)
	}
	return writing.ChangeError(r.App, r.where.Homes[0], err)
}

// choose returns the values that --values and --only name.
func (r *inPlaceRun) choose() (choice scrub.Choice, err error) {
	text, err := cli.ReadFilledFile(r.App, "values", r.Values)
	if err != nil {
		return choice, err
	}
	values, err := scrub.ParseValues(text)
	if err != nil {
		return choice, failure.Usage("", "--values: %s: %v", r.Values, err)
	}
	if len(r.Only) == 0 {
		return scrub.Named(values), nil
	}
	found, err := scrub.Survey(r.Ctx, r.where)
	if err != nil {
		return choice, r.failed(err)
	}
	choice, unknown := scrub.Choose(found, r.Only, values)
	pending, err := r.where.Pending()
	if err != nil {
		return choice, r.failed(err)
	}
	for _, print := range unknown {
		if !slices.Contains(pending, print) { // an interrupted run has removed it already
			return choice, failure.New(failure.Nothing, "no secret has the fingerprint %s", print).
				WithHint(failure.Command("clawctl", "redact", "--in-place", r.where.Homes[0]))
		}
	}
	return choice, nil
}

// list lists the secrets that can be chosen.
func (r *inPlaceRun) list() error {
	found, err := scrub.Survey(r.Ctx, r.where)
	if err != nil {
		return r.failed(err)
	}
	list := cli.NewReport(ui.Words("fingerprint"), ui.Words("rule"), ui.Numbers("places"),
		ui.Numbers("files"))
	for _, s := range found {
		row := s.Row()
		list.Add(row, row.Fingerprint, row.Rule, ui.Thousands(int64(row.Places)), ui.Thousands(int64(row.Files)))
	}
	if len(found) == 0 {
		r.Note("No secret found in %s.", strings.Join(r.where.Homes, ", "))
		return nil
	}
	if err := r.PrintReport(list); err != nil {
		return err
	}
	r.Note("Found %s. Nothing is removed until you choose.", ui.Count(len(found), "secret"))
	r.Hint(r.CommandLine("--only", found[0].Fingerprint()))
	return failure.Findings
}

// finish prints the plan, and carries it out if that is wanted.
func (r *inPlaceRun) finish(choice scrub.Choice) error {
	write := r.Write
	for _, u := range r.plan.Unread {
		f := cli.InputError(u.Path, u.Err)
		f.Text = "cannot be searched: " + f.Text
		r.Blame(f.WithExit(failure.ExitDamaged))
	}
	for _, root := range r.plan.Elsewhere {
		r.Note("sessions with a value were also imported from %s, which was not searched; run the command for it, too",
			root)
	}
	if write {
		if err := r.plan.MayChange(); err != nil {
			return writing.ChangeError(r.App, "", err)
		}
	}
	s := r.plan.Summary()
	all, left := r.plan.Places()
	values, removed := ui.Count(s.Values, "value"), ui.Count(all-left, "place")
	job := &writing.Job{
		App: r.App, ChangeOptions: r.ChangeOptions, Kind: writing.InPlace,
		Changes: s.Changes + s.Copies, Always: true, Found: len(r.plan.Items) > 0,
		Words:    fmt.Sprintf("%s would be removed from %s. %s would be left.", values, removed, ui.Count(left, "place")),
		Question: fmt.Sprintf("Remove %s from %s? This cannot be undone.", values, removed),
	}
	shown := r.plan
	job.Print = func() error { return r.print(shown, s) }
	job.Do = func() (err error) {
		shown, s, err = r.write(choice)
		return err
	}
	if len(r.plan.Items) == 0 {
		job.Words = ""
		job.Do = func() error {
			job.Print = nil // nothing was found, and nothing is listed
			// What an interrupted run has left is completed: receipts that do not know about it yet, temporary files, and
			// deleted text in the store.
			pending, err := r.where.Pending()
			if err == nil {
				err = (&scrub.Run{Plan: r.plan}).CarryOut(r.Ctx, nil)
			}
			if err != nil {
				return r.failed(err)
			}
			if len(pending) > 0 {
				r.Note("Completed an interrupted run: nothing of the values is left in %s.", r.where.Store)
			}
			return nil
		}
	}
	return job.Run()
}

func (r *inPlaceRun) print(plan *scrub.Plan, summary *scrub.Summary) error {
	list := cli.NewReport(
		ui.Words("plan"),
		ui.Words("fingerprint"),
		ui.Numbers("places"),
		ui.Words("what", 2),
		ui.Middle("where", 24),
		ui.Words("why", 3),
	)
	for _, row := range plan.Rows() {
		where := row.Path
		if row.Session != "" {
			where += "#" + row.Session
		}
		list.Add(row, string(row.Action), row.Fingerprint, strconv.Itoa(row.Places), row.Kind.Words(), where, row.Why)
	}
	if r.WantsJSON() {
		list.AddObject(summary)
	}
	if len(list.Objects) == 0 {
		r.Note("None of the values is in %s or in clawctl's own data.", strings.Join(r.where.Homes, ", "))
		return nil
	}
	return r.PrintReport(list)
}
