package main

import (
	"fmt"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change/prune"
	"clawctl/pkg/store/session"
)

func newDeleteCommand() *cli.Command {
	return &cli.Command{
		Options: &deleteOptions{KeeperOptions: writing.NewKeeperOptions(), Reason: "deleted with clawctl"},
		Formats: []string{"json"},
		Plain:   "nothing",
	}
}

// deleteOptions are the flags of delete.
type deleteOptions struct {
	Purge       bool   `flag:"purge: delete for good instead of moving to the trash"`
	Generations bool   `flag:"generations: also the earlier generations of each session"`
	Reason      string `flag:"reason TEXT: why, for clawctl restore --list"`
	LastCopy    writing.LastCopyOption
	writing.KeeperOptions
}

// Run runs the command.
func (o *deleteOptions) Run(a *cli.App, operands []string) error {
	if len(operands) == 0 {
		return cli.Usage("delete needs a KEY")
	}
	k, err := o.Open(a, writing.MustExist)
	if err != nil {
		return err
	}
	defer k.Close()
	keys := make([]string, len(operands))
	for i, name := range operands {
		if keys[i], err = k.Resolve(name); err != nil {
			return err
		}
	}
	r := session.Removal{Keys: keys, Generations: o.Generations, Purge: o.Purge, Reason: o.Reason}
	r.Guard = o.LastCopy.Guard(a, k.Path)
	plan, err := k.Keeper.Plan(a.Ctx, r)
	if err != nil {
		return k.Failed(keys[0], err)
	}
	job := o.job(a, plan)
	job.Do = func() error {
		r.Guard = o.LastCopy.Guard(a, k.Path) // a prune may have run while the question was open
		archiver := &prune.Archiver{Store: k.Keeper.Store, Path: k.Path}
		archived, err := archiver.Keys(a.Ctx)
		if err != nil {
			return k.Failed(keys[0], err)
		}
		done, err := k.Keeper.Delete(a.Ctx, r)
		if err != nil {
			return k.Failed(keys[0], err)
		}
		if err := o.report(k, done); err != nil {
			return err
		}
		o.blameArchived(job, done, archived)
		return nil
	}
	return job.Run()
}

// job asks before anything is removed.
func (o *deleteOptions) job(a *cli.App, plan []session.RemovedSession) *writing.Job {
	var records int64
	for _, one := range plan {
		records += one.Records
	}
	what := ui.Count(len(plan), "session")
	if len(plan) == 1 {
		what = plan[0].Key
	}
	kind, question := writing.Reversible, "Move %s with %s to the trash?"
	if o.Purge {
		kind, question = writing.Purge, "Delete %s with %s for good?"
	}
	return &writing.Job{
		App: a, ChangeOptions: writing.ChangeOptions{Write: true, Yes: o.Yes || o.DryRun},
		Kind: kind, Changes: len(plan), Always: true, Question: fmt.Sprintf(question, what, ui.Count(records, "record")),
	}
}

// blameArchived says which sessions have their text in an archive too, which nothing changes. It is a failure if they
// were purged.
func (o *deleteOptions) blameArchived(job *writing.Job, done []session.RemovedSession, archived map[string]bool) {
	for _, one := range done {
		switch {
		case !archived[one.Key]:
		case o.Purge:
			job.App.Note("%s: its text is still in an archive, from which clawctl deletes nothing", one.Key)
			job.App.Blame(failure.Findings)
		default:
			job.App.Note("%s: its text is in an archive too, and stays there when the trash is emptied", one.Key)
		}
	}
}

func (o *deleteOptions) report(k *writing.StoreAccess, done []session.RemovedSession) error {
	for _, one := range done {
		if k.JSON {
			if err := k.PrintJSON(one.Row(o.Purge, o.DryRun)); err != nil {
				return err
			}
			continue
		}
		what := ui.Count(one.Records, "record") + ", " + ui.Bytes(one.Bytes)
		if o.Purge {
			k.Note("%s: %s for good (%s)", one.Key, o.Would("deleted", "be deleted"), what)
			continue
		}
		k.Note("%s: %s to the trash (%s)", one.Key, o.Would("moved", "be moved"), what)
		if at := slices.IndexFunc(one.Sources, openfile.IsThere); at >= 0 {
			k.Note("%s still exists; the next import stores it again", one.Sources[at])
		}
	}
	if !o.Purge && !o.DryRun && len(done) > 0 {
		hint := []string{"clawctl", "restore", done[0].Key}
		if o.Store != "" {
			hint = append(hint, "--store", o.Store)
		}
		k.Hint(failure.Command(hint...))
	}
	return nil
}
