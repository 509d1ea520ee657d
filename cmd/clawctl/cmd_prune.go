package main

import (
	"slices"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/prune"
	"clawctl/pkg/source"
)

func newPruneCommand() *command {
	o := &pruneOptions{lock: newLockOption()}
	c := &command{
		name: "prune", group: "mend", operands: "[SOURCE]", summary: "Move old files to a trash if they are safe to delete",
		about: "Looks for archives, backups and checkpoints that were not used for long, and compares them with clawctl's " +
			"store or with OpenClaw's databases. It only takes files that are safe to delete: the database has every record " +
			"of the file, and nothing needs the file (see clawctl help verify). Live sessions are never pruned.\n\n" +
			"Without --write it only prints a plan. --write moves the files to a folder with the time of the run, inside " +
			source.TrashFolder + " in SOURCE, and leaves a receipt for each. clawctl undo moves them back. The space is free " +
			"when --empty-trash deletes them for good. Before that, each file is compared with its database once more.\n\n" +
			"With --store, sessions of clawctl's store that were not used for session.ttl of the configuration, or for " +
			"--older, move to the trash of the store, from which clawctl restore brings them back. SOURCE may then be the " +
			"file of a store. The time of the last record counts. Nothing expires by itself. With --empty-trash it deletes " +
			"what is in the trash of the store.\n\n" +
			"A receipt names the sessions that have the content of the file. In clawctl's store these neither expire nor " +
			"can be deleted for good, unless --last-copy is given or the file is back in its place.",
		examples: []example{
			{"What could go?", "clawctl prune --older 30d"},
			{"Move it to the trash, and look at it again", "clawctl prune --older 30d --write && clawctl undo --list"},
			{"Only large backups, but keep the last two of each session",
				"clawctl prune --kind backup --larger 10MB --keep-last 2"},
			{"Delete what has been in the trash for long", "clawctl prune --empty-trash --older 90d"},
			{"Move sessions that nobody used for half a year to the trash of the store",
				"clawctl prune --store --older 180d --write"},
		},
		exits: []int{
			failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing,
			failure.ExitDatabase, failure.ExitLocked, failure.ExitInterrupted,
		},
		outcomes: map[int]string{
			failure.ExitFindings: "something was left alone, or in a plan: something can be pruned",
		},
		flags:   o.flags(),
		formats: reportFormats,
	}
	c.run = func(a *app, operands []string) error { return o.run(a, c, operands) }
	return c
}

// pruneOptions are the flags of prune.
type pruneOptions struct {
	changeOptions
	older             timeFlag
	kinds             []source.Kind
	keepLast, jobs    int
	larger            int64
	against           string
	store, emptyTrash bool
	lastCopy          lastCopyOption
	lock              lockOption
}

func (o *pruneOptions) flags() []flag {
	return append(o.changeOptions.flags(),
		o.older.flag("older", "only what was last used before this time, such as 30d").
			withDefault("30d; --store: session.ttl; --empty-trash: 90d"),
		choicesFlag(&o.kinds, "kind", "KIND", prune.Kinds, "only files of this kind"),
		countFlag(&o.keepLast, "keep-last", "N", 0, "keep the N newest files of each session"),
		sizeFlag(&o.larger, "larger", "only files larger than this, such as 10MB"),
		requiredTextFlag(&o.against, "against", "PATH", "clawctl store, OpenClaw database, or state folder to compare with"),
		switchFlag(&o.emptyTrash, "empty-trash", "delete what is in the trash for good"),
		switchFlag(&o.store, "store", "prune sessions of clawctl's store instead of files"),
		o.lastCopy.flag(),
		jobsFlag(&o.jobs, "how many transcripts to compare at a time"),
		o.lock.flag(),
	)
}

func (o *pruneOptions) run(a *app, c *command, operands []string) error {
	if err := o.check(a, c, operands); err != nil {
		return err
	}
	before, err := o.limit(a, c)
	if err != nil {
		return err
	}
	if o.write && !o.store {
		if err := beginChanges(a); err != nil {
			return err
		}
	}
	switch {
	case o.store:
		return o.pruneStore(a, operands, before)
	case o.emptyTrash:
		return o.emptyFiles(a, operands, before)
	}
	return o.pruneFiles(a, operands, before)
}

// check refuses flags that exclude each other, and what would delete for good without asking anybody.
func (o *pruneOptions) check(a *app, c *command, operands []string) error {
	forFiles := firstGiven([]givenFlag{
		{"--kind", len(o.kinds) > 0}, {"--keep-last", o.keepLast > 0}, {"--larger", o.larger > 0},
		{"--against", o.against != ""},
	})
	isOther := o.store || o.emptyTrash
	switch {
	case len(operands) > 1:
		return c.usage("prune takes one SOURCE, got %d", len(operands))
	case isOther && forFiles != "":
		return c.usage("%s cannot be combined with --store or --empty-trash", forFiles)
	case !isOther && o.lastCopy.allowed:
		return c.usage("--last-copy needs --store or --empty-trash")
	case !isOther:
		return o.changeOptions.check(a, c)
	case o.write && o.dryRun:
		return c.conflict("--write", "--dry-run")
	case o.emptyTrash && !o.yes && !o.dryRun && !isInteractive(a):
		return needsYes(a, "--empty-trash")
	}
	o.write = !o.dryRun && (o.write || o.yes || o.emptyTrash) // whoever says yes wants it done
	return nil
}

// limit is the time before which things are old.
func (o *pruneOptions) limit(a *app, c *command) (time.Time, error) {
	switch {
	case o.older.isSet():
	case o.emptyTrash:
		o.older.text = "90d"
	case !o.store:
		o.older.text = "30d"
	default:
		settings, err := a.configuration()
		if err != nil {
			return time.Time{}, err
		}
		if o.older.text = settings.Session.TTL.String(); o.older.text == "" {
			return time.Time{}, c.usage("--store needs --older, because the configuration has no session.ttl")
		}
	}
	return o.older.resolve(a.now())
}

// rules are the flags that select files.
func (o *pruneOptions) rules(before time.Time) prune.Rules {
	return prune.Rules{Before: before, Kinds: slices.Clone(o.kinds), KeepLast: o.keepLast, Larger: o.larger}
}
