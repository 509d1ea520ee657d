package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/redact"
	finder "clawctl/pkg/search"
	"clawctl/pkg/secrets"
	"clawctl/pkg/source"
)

func newSearchCommand() *cli.Command {
	o := &searchOptions{branch: "all"}
	return &cli.Command{
		Name: "search", Aliases: []string{"grep"}, Group: "read", Operands: "PATTERN [SOURCE]...",
		Summary: "Find text in conversations",
		About: "Searches what people, models and tools said, in every session, branch, generation and archive, and in " +
			"databases. There is no index: nothing to set up, and always up to date. Without SOURCE, it searches the state " +
			"folder.\n\n" +
			"PATTERN is plain text. Upper and lower case are the same unless PATTERN has an upper-case letter. It is compared " +
			"with the decoded text, so escapes in the JSON do not matter. -e takes regular expressions (RE2) instead; all " +
			"operands are then SOURCE.\n\n" +
			"Each part of a message that matches is one hit. Hits are grouped by session, the newest session first. The same " +
			"message in copies and archives is one hit. Everything is searched but ids, images, signatures and encrypted " +
			"text. Structured values, such as the arguments of a tool call and the details of its result, match by their " +
			"values, and arguments also by their names. What looks like a key or password is masked.\n\n" +
			"--in chooses what is searched: user, assistant, thinking, call (arguments of tool calls), result (of tools), " +
			"summary, system (prompts and extensions), title, and memory. The default is everything except title and memory.",
		Examples: []cli.Example{
			{"Find what was said about a topic in March",
				"clawctl search 'rate limit' --since 2026-03-01 --until 2026-04-01"},
			{"Find failed tool results that mention a file", "clawctl search config.yaml --errors"},
			{"Search with a regular expression, in the user's messages only",
				`clawctl search -e 'deploy(ed|ment)?' --in user`},
			{"Count the hits of each session", "clawctl search -c TODO"},
			{"Give the hits to another program", "clawctl search --format ndjson invoice | jq -r .snippet"},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitNothing, failure.ExitDatabase,
			failure.ExitLocked, failure.ExitInterrupted,
		},
		Outcomes: map[int]string{failure.ExitOK: "found", failure.ExitFindings: "nothing found"},
		Flags:    o.flags(),
		Formats:  []string{"text", "json", "ndjson"},
		Streams:  true,
		Run:      o.run,
	}
}

// searchOptions are the flags of search.
type searchOptions struct {
	cli.SourceOptions
	span                                   cli.RangeOptions
	patterns, and, not, in                 []string
	tool, model, branch                    string
	ignoreCase, matchCase                  bool
	list, count, raw, word, invert, errors bool
	values                                 cli.ValuesOption
	harness                                cli.HarnessOption
	limit, jobs                            int
	before, after, around                  int // messages to print with each hit
}

func (o *searchOptions) flags() []cli.Flag {
	places := append(slices.Clone(finder.Places), "all")
	flags := []cli.Flag{
		cli.ListFlag(&o.patterns, "regexp", "REGEX", "search for this regular expression; repeat it for several", false).
			WithShort("e"),
		cli.SwitchFlag(&o.ignoreCase, "ignore-case", "treat upper and lower case as the same").WithShort("i"),
		cli.SwitchFlag(&o.matchCase, "case-sensitive", "distinguish upper and lower case").WithShort("s"),
		cli.SwitchFlag(&o.word, "word", "match whole words only").WithShort("w"),
		cli.ListFlag(&o.and, "and", "TEXT", "the part must contain this too; repeat it for several", false),
		cli.ListFlag(&o.not, "not", "TEXT", "the part must not contain this; repeat it for several", false),
		cli.SwitchFlag(&o.invert, "invert", "find the parts that do not match"),
		cli.ChoicesFlag(&o.in, "in", "PLACE", places, "where to search").
			WithDefault("everything except title and memory"),
		cli.RequiredTextFlag(&o.tool, "tool", "NAME", "only calls and results of this tool"),
		cli.RequiredTextFlag(&o.model, "model", "NAME", "only answers of models whose name contains this"),
		cli.SwitchFlag(&o.errors, "errors", "only failed tool results"),
		cli.ChoiceFlag(&o.branch, "branch", "WHICH", []string{"all", "active"}, "active: only what leads to the last entry"),
		cli.SwitchFlag(&o.list, "list", "print only the names of sessions with hits").WithShort("l"),
		cli.SwitchFlag(&o.count, "count", "print the number of hits and the name of each session").WithShort("c"),
		cli.CountFlag(&o.limit, "limit", "N", 1, "stop after N hits"),
		cli.SwitchFlag(&o.raw, "raw", "do not mask what looks like a key or password"),
		o.values.Flag(), o.harness.Flag(),
		cli.JobsFlag(&o.jobs, "how many cores to use"),
		cli.CountFlag(&o.after, "after", "N", 1, "print N messages after each hit").WithShort("A"),
		cli.CountFlag(&o.before, "before", "N", 1, "print N messages before each hit").WithShort("B"),
		cli.CountFlag(&o.around, "context", "N", 1, "print N messages before and after each hit").WithShort("C"),
	}
	return slices.Concat(flags, o.span.Flags("parts"), o.SourceOptions.Flags())
}

// showsMessages reports whether messages around the hits are printed.
func (o *searchOptions) showsMessages() bool { return o.before+o.after+o.around > 0 }

func (o *searchOptions) run(a *cli.App, operands []string) error {
	if o.showsMessages() && (a.WantsJSON() || o.list || o.count) {
		return failure.Usage("clawctl help search", "-A, -B and -C cannot be combined with --format, -l or -c")
	}
	query, operands, err := o.query(a, operands)
	if err != nil {
		return err
	}
	scope, err := o.scope(a.Now())
	if err != nil {
		return err
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.EveryKind, Fast: true, Legible: true,
		Harness: &o.harness}
	arguments, err := cli.ArgumentsOf(a, operands, s)
	if err != nil {
		return err
	}
	if err := cli.CheckPattern(a, o.patterns[0], operands, s); err != nil {
		return err
	}
	outcome := &failure.Tally{}
	m, err := cli.FindAll(a, arguments, s, outcome)
	if err != nil {
		return err
	}
	if len(m.Sessions) == 0 {
		return outcome.Err()
	}
	cli.BlameProblems(a, outcome, m.Places)
	rules, err := o.values.Rules(a, "search", o.raw)
	if err != nil {
		return err
	}
	if o.showsMessages() || o.branch == "active" { // it is read twice
		if err := cli.SpoolStreams(a, m.Sessions); err != nil {
			return err
		}
	}
	finder.SortNewestFirst(m.Sessions)
	p := &hitPrinter{
		app: a, options: o, sessions: m.Sessions, outcome: outcome, byDefault: len(operands) == 0,
		layout: finder.NewLayout(a.Output.Term, a.Now(), o.raw, rules), sums: finder.Sums{Limit: o.limit}, rules: rules,
	}
	cli.WatchReading(a, "Searching", m.Sessions)
	scan := &finder.Scan{Query: query, Scope: scope, Jobs: o.jobs, Active: o.branch == "active",
		Uncounted: !p.printsLines(), Finder: redact.NewFinder(rules...)}
	err = scan.Sessions(a.Ctx, m.Sessions, finder.Results{Hit: p.hit, End: p.end})
	a.Progress.End()
	if err == nil && scope.Places[finder.InMemory] {
		err = p.searchMemory(scan, m.Places)
	}
	switch {
	case a.Ctx.Err() != nil:
		return cli.Interrupted(a)
	case err != nil && !errors.Is(err, errEnough):
		return err
	}
	return p.finish()
}

// query reads the patterns. Without -e, the first operand is the pattern.
func (o *searchOptions) query(a *cli.App, operands []string) (q *finder.Query, sources []string, err error) {
	q = &finder.Query{Invert: o.invert}
	opts := finder.Options{Word: o.word}
	switch {
	case o.ignoreCase && o.matchCase:
		return nil, nil, failure.Usage("", "-i and -s cannot be combined")
	case o.ignoreCase:
		opts.Case = finder.IgnoreCase
	case o.matchCase:
		opts.Case = finder.MatchCase
	}
	if len(o.patterns) == 0 {
		if len(operands) == 0 {
			return nil, nil, failure.Usage("clawctl help search", "search needs a PATTERN")
		}
		o.patterns, operands = operands[:1], operands[1:]
		q.Any, err = terms(a, "PATTERN", o.patterns, opts, finder.Literal)
	} else {
		q.Any, err = terms(a, "-e", o.patterns, opts, finder.Regex)
	}
	if err == nil {
		q.And, err = terms(a, "--and", o.and, opts, finder.Literal)
	}
	if err == nil {
		q.Not, err = terms(a, "--not", o.not, opts, finder.Literal)
	}
	return q, operands, err
}

// terms reads the values of one flag.
func terms(
	a *cli.App, flag string, texts []string, opts finder.Options, read func(string, finder.Options) (*finder.Term, error),
) (list []*finder.Term, err error) {
	for _, text := range texts {
		t, err := read(text, opts)
		var invalid *finder.SyntaxError
		switch {
		case errors.As(err, &invalid): // perhaps it was meant as plain text
			return nil, failure.Usage(a.CommandInstead([]string{"-e", "--regexp"}, text), "-e %q: %v", text, err)
		case err != nil:
			return nil, failure.Usage("clawctl help search", "%s %q: %v", flag, text, err)
		}
		list = append(list, t)
	}
	return list, nil
}

// scope reads the flags that choose what is searched.
func (o *searchOptions) scope(now time.Time) (*finder.Scope, error) {
	span, err := o.span.Resolve(now)
	if err != nil {
		return nil, err
	}
	return &finder.Scope{
		Places: finder.PlaceSet(o.in), Tool: o.tool, Model: strings.ToLower(o.model), Since: span.Since,
		Until: span.Until, Errors: o.errors,
	}, nil
}

// errEnough ends a search after --limit hits.
var errEnough = errors.New("enough hits")

// A hitPrinter prints hits as they are found.
type hitPrinter struct {
	app      *cli.App
	options  *searchOptions
	sessions []*source.Session
	outcome  *failure.Tally
	layout   finder.Layout
	sums     finder.Sums
	rules    []*secrets.Rule // of --values
	pending  []finder.Hit    // those that are printed with the messages around them
	// byDefault is set if the state folder is searched because no source was named.
	byDefault bool
	example   finder.Hit // that is opened by the command in the hint
	exampleOf *source.Session
}

// hit prints one hit, unless it is a copy of another.
func (p *hitPrinter) hit(session int, h finder.Hit) error {
	if !p.sums.Add(h) {
		return nil
	}
	if p.options.raw {
		h.Secrets = nil
	}
	s := p.sessions[session]
	if p.exampleOf == nil || p.example.Entry == "" {
		p.example, p.exampleOf = h, s
	}
	if err := p.print(s, h); err != nil {
		return err
	}
	if p.sums.IsEnough() {
		return errors.Join(p.end(session, finder.Tally{}, nil), errEnough)
	}
	return nil
}

// printsLines reports whether the line numbers of hits are needed: for programs, and to find the messages around them.
func (p *hitPrinter) printsLines() bool { return p.options.showsMessages() || p.app.WantsJSON() }

// print prints a hit, and what is above the first one of a session.
func (p *hitPrinter) print(s *source.Session, h finder.Hit) error {
	switch {
	case p.options.count || p.options.list:
		return nil
	case p.app.WantsJSON():
		return p.app.Print(cli.JSONLine(finder.NewHitRow(s, h)))
	}
	if p.sums.InSession == 1 {
		gap := "\n"
		if p.sums.Found == 1 {
			gap = ""
		}
		if err := p.app.PrintStyled(gap + p.layout.Heading(s) + "\n"); err != nil {
			return err
		}
	}
	if p.options.showsMessages() {
		p.pending = append(p.pending, h)
		return nil
	}
	return p.app.PrintStyled(p.layout.Line(h) + "\n")
}

// end is called after the last hit of a session.
func (p *hitPrinter) end(session int, t finder.Tally, err error) error {
	s := p.sessions[session]
	hits, pending := p.sums.End(t), p.pending
	p.pending = nil
	if err != nil && p.app.Ctx.Err() == nil {
		p.app.Blame(p.outcome, cli.InputError(s.Place(), err))
	}
	switch {
	case hits == 0:
	case pending != nil:
		return p.printAround(s, pending)
	case (p.options.count || p.options.list) && p.app.WantsJSON():
		return p.app.Print(cli.JSONLine(finder.CountRow{SchemaVersion: 1, Session: s.Name(), Hits: hits}))
	case p.options.count:
		return p.app.Print(fmt.Sprintf("%d %s\n", hits, s.Name()))
	case p.options.list:
		return p.app.Print(s.Name() + "\n")
	}
	return nil
}

// printAround reads a session again and prints the messages around its hits.
func (p *hitPrinter) printAround(s *source.Session, hits []finder.Hit) error {
	o := p.options
	nearby := finder.Nearby{Before: max(o.before, o.around), After: max(o.after, o.around), Raw: o.raw, Rules: p.rules,
		Layout: p.layout, Print: p.app.PrintStyled}
	return cli.WithInput(p.app, s, func(_ *source.Session, in *source.Input) error {
		around, err := nearby.Session(hits)
		if err != nil {
			return err
		}
		for rec, err := range jsonl.Records(in.Reader, jsonl.Options{BeforeRead: p.app.Ctx.Err}) {
			if err != nil {
				return cli.ReadError(p.app, in.Name, err)
			}
			if err := around.Record(rec); err != nil {
				return err
			}
		}
		return nil
	})
}

// searchMemory searches the memory files of the places, which are listed like sessions.
func (p *hitPrinter) searchMemory(scan *finder.Scan, places []*source.Place) error {
	for _, place := range places {
		for _, path := range source.Memories(place.Path, cli.ExpandHome("~")) {
			s, hits, err := scan.Query.Memory(scan.Finder, path)
			switch {
			case errors.Is(err, finder.ErrNotMemory):
				p.app.Note("%s is not a readable file", path)
			case err != nil:
				p.app.Blame(p.outcome, cli.InputError(path, err))
			default:
				if err := p.addFile(s, hits); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// addFile prints the hits of a file.
func (p *hitPrinter) addFile(s *source.Session, hits []finder.Hit) error {
	p.sessions = append(p.sessions, s)
	at := len(p.sessions) - 1
	for _, h := range hits {
		if err := p.hit(at, h); err != nil {
			return err
		}
	}
	return p.end(at, finder.Tally{}, nil)
}

// finish sums up what was found. Nothing found is exit 1, and damaged input is only a remark.
func (p *hitPrinter) finish() error {
	if n := p.sums.Unread; n > 0 {
		p.app.Note("%s may match but cannot be read (clawctl validate says why)", ui.Count(n, "damaged line"))
	}
	p.app.Note("%s", p.sums.Sentence(len(p.sessions)))
	if pattern := p.options.patterns[0]; p.byDefault && p.sums.Hits == 0 && cli.IsPath(pattern) {
		p.app.Note("searched for the text %s; PATTERN comes before SOURCE", pattern)
	}
	p.hintAtShow()
	var failed *failure.Reported
	if err := p.outcome.Err(); err != nil && !(errors.As(err, &failed) && failed.Exit == failure.ExitDamaged) {
		return err
	}
	if p.sums.Hits == 0 {
		return failure.Findings
	}
	return nil
}

// hintAtShow says how to open a hit. What came through a pipe cannot be opened again.
func (p *hitPrinter) hintAtShow() {
	s := p.exampleOf
	if s == nil || p.example.Entry == "" || s.Path == cli.StdinName || p.app.WantsJSON() {
		return
	}
	name := s.Place()
	if p.byDefault {
		name = s.NameAmong(p.sessions)
	}
	p.app.Hint(cli.ShowCommand(s, name, p.example.Entry))
}
