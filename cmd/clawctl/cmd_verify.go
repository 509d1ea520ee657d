package main

import (
	"cmp"
	"errors"
	"slices"

	"clawctl/internal/failure"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
)

func newVerifyCommand() *command {
	o := &verifyOptions{}
	c := &command{
		name: "verify", group: "check", operands: "[SOURCE]...",
		summary: "Verify that every record of a transcript is in a database",
		about: "Compares transcripts with clawctl's store or with OpenClaw's databases, record by record. A transcript is " +
			"identical, equivalent (the same content, written differently), extra (the database has more), " +
			"prefix (the database has only its beginning), conflict (they differ from some line on), absent, or unreadable. " +
			"A line that is not where it should be is searched for in all sessions of the database.\n\n" +
			"A file is safe to delete if the database accounts for every byte of it and nothing needs the file: no index or " +
			"database names it, no running process has locked it, and it did not change meanwhile. A file that a gateway " +
			"may take for a session is only safe if the sessions.json of its folder is healthy and does not list it.\n\n" +
			"Without SOURCE, it compares the files of your state folder. After OpenClaw's migration to SQLite these are the " +
			"files it left behind. Without --against, it compares with clawctl's store if there is one, and otherwise with " +
			"the databases of the state folder. The store itself is checked too: its structure, the checksums of its rows, " +
			"and the digest of every session.\n\n" +
			"If SOURCE is a clawctl store, only that store is checked, unless --against names something else. " +
			"Rows that other programs added are named, and are no damage.",
		examples: []example{
			{"Is everything in the store?", "clawctl verify"},
			{"After OpenClaw's upgrade: what is only in the old files?",
				"clawctl verify ~/.openclaw --against ~/.openclaw --only problems"},
			{"Check every table of a store", "clawctl verify sessions.db"},
			{"List the files that are safe to delete",
				"clawctl verify --against ~/.openclaw --list-safe -0 | xargs -0 -r ls -l"},
		},
		exits: []int{
			failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing,
			failure.ExitDatabase, failure.ExitLocked, failure.ExitInterrupted,
		},
		outcomes: map[int]string{
			failure.ExitOK:       "all records found",
			failure.ExitFindings: "some records exist nowhere else",
		},
		paged:   true,
		flags:   o.flags(),
		formats: reportFormats,
	}
	c.run = func(a *app, operands []string) error {
		if err := o.check(a, c); err != nil {
			return err
		}
		return o.run(a, operands)
	}
	return c
}

// verifyOptions are the flags of verify.
type verifyOptions struct {
	sourceOptions
	against        string
	only           string
	listSafe, null bool
	jobs           int
	excerpt        excerptOptions
}

func (o *verifyOptions) flags() []flag {
	flags := []flag{
		requiredTextFlag(&o.against, "against", "PATH", "clawctl store, OpenClaw database, or state folder to compare with"),
		choiceFlag(&o.only, "only", "WHICH", []string{"problems", "safe"}, "list only these files"),
		switchFlag(&o.listSafe, "list-safe", "print only the paths of files that are safe to delete"),
		switchFlag(&o.null, "null", "end each path of --list-safe with a NUL, for xargs -0").withShort("0"),
		jobsFlag(&o.jobs, "how many transcripts to compare at a time"),
	}
	return slices.Concat(flags, o.excerpt.flags(), o.sourceOptions.flags())
}

// check refuses flags that exclude each other.
func (o *verifyOptions) check(a *app, c *command) error {
	switch {
	case o.listSafe && o.only != "":
		return c.conflict("--list-safe", "--only")
	case o.listSafe && o.excerpt != (excerptOptions{}):
		return c.usage("--list-safe cannot be combined with --limit or --reverse")
	case o.listSafe && a.format != "":
		return c.usage("--list-safe prints paths and cannot be combined with --format or --json")
	case o.null && !o.listSafe:
		return c.usage("--null needs --list-safe")
	}
	return nil
}

func (o *verifyOptions) run(a *app, operands []string) error {
	arguments, err := verifySources(a, operands)
	if err != nil {
		return err
	}
	outcome := &failure.Tally{}
	m, err := o.find(a, arguments, outcome)
	if err != nil {
		return err
	}
	if o.namesStores(m) {
		return o.checkStores(a, m, outcome)
	}
	target, other, err := openTarget(a, o.against, targetPath(m, arguments))
	if err != nil {
		return o.withHint(a, operands, err)
	}
	sessions := target.Without(m.Sessions)
	if len(sessions) == 0 {
		return cmp.Or(outcome.Err(), nothingToCompare(arguments[0]))
	}
	proofs, err := compareWith(a, sessions, target, o.jobs, homesOf(a, m.Places))
	if err != nil {
		return err
	}
	v := &verifying{app: a, options: o, target: target, other: other}
	if err := v.print(proofs); err != nil {
		return err
	}
	if err := v.checkTarget(proofs, outcome); err != nil {
		return err
	}
	if v.sums.Complete < v.sums.Sources {
		a.blame(outcome, failure.Findings)
	}
	return outcome.Err()
}

// nothingToCompare is the failure of a source that is the target itself.
func nothingToCompare(path string) error {
	return failure.New(failure.Nothing, "nothing to compare: every transcript here is part of the database itself").
		At(path).WithHint(failure.Command("clawctl", "sessions", path))
}

// find returns the transcripts of the arguments, ready to be read more than once.
func (o *verifyOptions) find(a *app, arguments []string, outcome *failure.Tally) (*source.Match, error) {
	s := search{sourceOptions: o.sourceOptions, defaults: everything, fast: true}
	m, err := findTranscripts(a, arguments, s, outcome)
	if err != nil {
		return nil, err
	}
	if len(m.Sessions) == 0 {
		return nil, outcome.Err()
	}
	blameProblems(a, outcome, m.Places)
	blameIndexes(a, outcome, m.Places)
	return m, nil
}

// withHint adds the command that helps if there is nothing to compare with: an import of the same sources, or a look at
// what --against names. No command can name what came through a pipe.
func (o *verifyOptions) withHint(a *app, operands []string, err error) error {
	var f *failure.Error
	if !errors.As(err, &f) || f.Code != failure.Nothing || slices.Contains(operands, "-") {
		return err
	}
	if o.against != "" {
		return f.WithHint(failure.Command("clawctl", "sessions", f.Path))
	}
	if _, err := importSources(a, operands); err != nil {
		operands = []string{f.Path} // import needs a name for what verify does without
	}
	return f.WithHint(failure.Command(append([]string{"clawctl", "import"}, operands...)...))
}

// A verifying is one run of the command.
type verifying struct {
	app     *app
	options *verifyOptions
	target  *migrate.Target
	other   migrate.Location
	sums    proofSums
}
