package main

import (
	"errors"
	"io"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/internal/reading"
	"clawctl/pkg/diff"
	"clawctl/pkg/source"
)

func newDiffCommand() *cli.Command {
	o := &diffOptions{}
	c := &cli.Command{
		Name: "diff", Group: "check", Operands: "A B", Summary: "Compare two sessions record by record",
		About: "Lists the records that are only in A, only in B, changed, moved, or renumbered. A and B are files, " +
			"sessions, generations, folders or databases (see clawctl help sources), of any age and format. One of them " +
			"may be - for stdin.\n\n" +
			"Records match by their id, and records without an id by their content. Records are the same if they have the " +
			"same content: the order of keys, white space, and the spelling of numbers do not count. Damaged lines are " +
			"compared byte by byte. A renumbered record says the same, and only its id and its links have changed, as when " +
			"OpenClaw gives ids to the records of an old transcript. Texts are compared word by word, everything else by " +
			"its path in the record.\n\n" +
			"If A or B has several sessions, they are compared one by one, matched by key and id, and only the sums of each " +
			"are shown. --session or --full shows the records. A live session that the other side has only as an archive is " +
			"compared with that. If only one of A and B has several, the other is compared with its counterpart " +
			"there.\n\n" +
			"The exit status is 1 if anything differs. With --only, nothing else counts.",
		Examples: []cli.Example{
			{"What did OpenClaw's migration change?",
				"clawctl diff old/agents/main/sessions ~/.openclaw/agents/main/agent/openclaw-agent.sqlite"},
			{"What does a backup have that the live session lacks?",
				"clawctl diff --only removed SESSION.jsonl.bak-3436-1777899690089 agent:main:main"},
			{"Copy the missing records",
				"clawctl diff --only removed --format ndjson A.jsonl B.jsonl | jq -c '.record // empty'"},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing,
			failure.ExitDatabase, failure.ExitLocked, failure.ExitInterrupted,
		},
		Outcomes: map[int]string{failure.ExitOK: "the same content", failure.ExitFindings: "differences found"},
		Paged:    true,
		Flags:    o.flags(),
		Formats:  []string{"text", "json", "ndjson"},
	}
	c.Run = func(a *cli.App, operands []string) error {
		if len(operands) != 2 {
			return c.Usage("diff takes two arguments, got %d", len(operands))
		}
		if operands[0] == "-" && operands[1] == "-" {
			return c.Usage("only one of A and B can be stdin")
		}
		if o.stat && o.full {
			return c.Conflict("--stat", "--full")
		}
		return o.run(a, operands)
	}
	return c
}

// diffOptions are the flags of diff.
type diffOptions struct {
	cli.SourceOptions
	only       []string
	stat, full bool
}

func (o *diffOptions) flags() []cli.Flag {
	var kinds []string
	for _, k := range diff.Kinds {
		kinds = append(kinds, k.String())
	}
	flags := []cli.Flag{
		cli.ChoicesFlag(&o.only, "only", "WHICH", kinds, "list and count only these differences"),
		cli.SwitchFlag(&o.stat, "stat", "print only sums, by role and type of record"),
		cli.SwitchFlag(&o.full, "full", "print texts in full, and the records of every session"),
	}
	return slices.Concat(flags, o.SourceOptions.Flags())
}

// wants reports whether a kind of difference counts.
func (o *diffOptions) wants(k diff.Kind) bool {
	return len(o.only) == 0 || slices.Contains(o.only, k.String())
}

// differs reports whether there is any difference that counts.
func (o *diffOptions) differs(s *diff.Sums) bool {
	return slices.ContainsFunc(diff.Kinds, func(k diff.Kind) bool { return o.wants(k) && s.Of(k) > 0 })
}

func (o *diffOptions) run(a *cli.App, operands []string) error {
	defer reading.KeepSmall()()
	outcome := &failure.Tally{}
	first, err := o.find(a, operands[0], outcome)
	if err != nil {
		return err
	}
	second, err := o.find(a, operands[1], outcome)
	if err != nil {
		return err
	}
	d := &diffing{app: a, options: o, outcome: outcome}
	if namesSession(first) || namesSession(second) {
		pair, err := counterparts(a, operands, first, second)
		if err != nil {
			return err
		}
		if err = d.compareOne(pair); cli.IsClosedPipe(err) || errors.As(err, new(*cli.WriteFailure)) {
			return err
		}
		a.Blame(outcome, err)
	} else if err := d.compareAll(pairSessions(first, second)); err != nil {
		return err
	}
	return outcome.Err()
}

// find returns the sessions of one side.
func (o *diffOptions) find(a *cli.App, argument string, outcome *failure.Tally) (*source.Match, error) {
	m, err := cli.FindTranscripts(a, []string{argument}, cli.Search{SourceOptions: o.SourceOptions,
		Defaults: cli.LiveOnly}, outcome)
	if err != nil {
		return nil, err
	}
	if len(m.Sessions) == 0 {
		return nil, outcome.Err()
	}
	if m.ByName && len(m.Sessions) > 1 {
		return nil, failure.Usage(failure.Command("clawctl", "sessions", m.Places[0].Path),
			"%s matches %d sessions; name one of them:", argument, len(m.Sessions)).WithList(reading.NameList(m.Sessions))
	}
	if !m.ByName {
		cli.BlameProblems(a, outcome, m.Places)
	}
	return m, nil
}

// A diffing is one run of the command.
type diffing struct {
	app     *cli.App
	options *diffOptions
	outcome *failure.Tally
}

// compare compares the sessions of a pair.
func (d *diffing) compare(p sessionPair) (*diff.Comparison, error) {
	c, err := diff.Compare(d.app.Ctx, sideOf(p.a), sideOf(p.b))
	return c, d.failed(p, err)
}

func sideOf(s *source.Session) diff.Side {
	return diff.Side{Jobs: parallel.Share(0, 1, 1), Open: func() (io.ReadCloser, error) { return s.Open() }}
}

// failed gives an error of comparing its report.
func (d *diffing) failed(p sessionPair, err error) error {
	var side *diff.SideError
	switch {
	case err == nil:
		return nil
	case d.app.Ctx.Err() != nil:
		return cli.Interrupted(d.app)
	case errors.As(err, &side) && side.InB:
		return cli.InputError(p.b.Place(), side.Err)
	case errors.As(err, &side):
		return cli.InputError(p.a.Place(), side.Err)
	}
	return err
}

// compareOne compares two sessions and prints the records that differ.
func (d *diffing) compareOne(p sessionPair) error {
	cli.WatchReading(d.app, "Comparing", []*source.Session{p.a, p.b})
	c, err := d.compare(p)
	d.app.Progress.End()
	if err != nil {
		return err
	}
	if err := d.printSums(p, &c.Sums); err != nil {
		return err
	}
	d.noteDamage(p, &c.Sums)
	if d.options.stat {
		err = d.printStat(p, c)
	} else {
		err = d.printChanges(p, c, "")
	}
	if err == nil && d.options.differs(&c.Sums) {
		err = failure.Findings
	}
	return err
}

// noteDamage says that damaged lines were compared as bytes.
func (d *diffing) noteDamage(p sessionPair, s *diff.Sums) {
	for i, damaged := range []int64{s.DamagedA, s.DamagedB} {
		if place := []*source.Session{p.a, p.b}[i].Place(); damaged > 0 {
			d.app.Note("%s: damaged lines were compared byte by byte: %d", place, damaged)
			d.app.Hint(failure.Command("clawctl", "validate", place))
		}
	}
}

// compareAll compares sessions pair by pair, and prints the records only with --full.
func (d *diffing) compareAll(pairs []sessionPair) error {
	list := make([]comparedPair, len(pairs))
	var sessions []*source.Session
	for i, p := range pairs {
		if list[i] = (comparedPair{sessionPair: p}); p.a != nil && p.b != nil {
			sessions = append(sessions, p.a, p.b)
		}
	}
	cli.WatchReading(d.app, "Comparing", sessions)
	for i := range list {
		list[i].err = d.sum(&list[i])
		if d.app.Ctx.Err() != nil {
			return cli.Interrupted(d.app)
		}
	}
	d.app.Progress.End()
	if err := d.printSessions(list); err != nil {
		return err
	}
	for i := range list {
		if list[i].err != nil {
			d.app.Blame(d.outcome, list[i].err)
		} else if d.options.isDifferent(&list[i]) {
			d.app.Blame(d.outcome, failure.Findings)
		}
	}
	return d.printAll(list)
}

// A comparedPair is a pair with the sums of its comparison.
type comparedPair struct {
	sessionPair
	sums diff.Sums
	err  error
}

// sum compares a pair. The index of a session is not kept: that of a home would not fit into memory.
func (d *diffing) sum(p *comparedPair) error {
	if p.a == nil || p.b == nil {
		return nil
	}
	c, err := d.compare(p.sessionPair)
	if err == nil {
		p.sums = c.Sums
	}
	return err
}

// isDifferent reports whether a pair has a difference that counts. A session that only one side has counts as removed
// or added. One that is live on one side only, and archived on the other, is a difference although it says the same.
func (o *diffOptions) isDifferent(p *comparedPair) bool {
	switch {
	case p.b == nil:
		return o.wants(diff.Removed)
	case p.a == nil:
		return o.wants(diff.Added)
	}
	return o.differs(&p.sums) || len(o.only) == 0 && p.a.Kind != p.b.Kind
}

// printAll prints the records of every session that differs.
func (d *diffing) printAll(list []comparedPair) error {
	for i := range list {
		p := &list[i]
		if !d.options.full || p.err != nil || p.a == nil || p.b == nil || !d.options.differs(&p.sums) {
			continue
		}
		c, err := d.compare(p.sessionPair)
		if err == nil {
			err = d.printChanges(p.sessionPair, c, p.name())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
