package main

import (
	"errors"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/export/dataset"
	finder "clawctl/pkg/read/search"
)

func newSearchCommand() *cli.Command {
	o := &searchOptions{branch: "all"}
	return &cli.Command{
		Flags:   o.flags,
		Formats: []string{"text", "json", "ndjson", "markdown", "csv"},
		Streams: true,
		Run:     o.run,
	}
}

// searchOptions are the flags of search.
type searchOptions struct {
	cli.SourceOptions
	span                  cli.RangeOptions
	patterns, and, not    []string
	ignoreCase, matchCase bool
	word, invert, errors  bool
	in                    []string
	tool, model, branch   string
	list, count, raw, all bool
	file                  string
	values                cli.ValuesOption
	harness               cli.HarnessOption
	limit, jobs           int
	before, after, around int // messages to print with each hit
	ranked                rankOptions
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
		cli.RequiredTextFlag(&o.file, "file", "PATH", "only tool calls that read or change this file; needs no PATTERN"),
		cli.CountFlag(&o.after, "after", "N", 1, "print N messages after each hit").WithShort("A"),
		cli.CountFlag(&o.before, "before", "N", 1, "print N messages before each hit").WithShort("B"),
		cli.CountFlag(&o.around, "context", "N", 1, "print N messages before and after each hit").WithShort("C"),
		cli.SwitchFlag(&o.all, "all", "with -A, -B and -C: print whole messages, not only their first 12 lines"),
	}
	return slices.Concat(flags, o.ranked.flags(), o.span.Flags("parts"), o.SourceOptions.Flags())
}

// showsMessages reports whether messages around the hits are printed.
func (o *searchOptions) showsMessages() bool { return o.before+o.after+o.around > 0 }

func (o *searchOptions) run(a *cli.App, operands []string) error {
	defer reading.CollectLess(200)()
	if o.showsMessages() && (a.WantsJSON() || a.Format == "csv" || o.list || o.count) {
		return cli.Usage("-A, -B and -C cannot be combined with --format, -l or -c")
	}
	if a.Format == "csv" && (o.list || o.count || o.ranked.on) {
		return cli.Usage("--format csv cannot be combined with -l, -c or --rank")
	}
	if o.all && !o.showsMessages() {
		return cli.Usage("--all needs -A, -B or -C")
	}
	if err := o.checkRanked(a); err != nil {
		return err
	}
	query, operands, err := o.query(a, operands)
	if err != nil {
		return err
	}
	scope, err := o.scope(a)
	if err != nil {
		return err
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.EveryKind, Fast: true, Ends: true, Legible: true,
		Harness: &o.harness}
	arguments, err := cli.ArgumentsOf(a, operands, s)
	if err != nil {
		return err
	}
	if o.file == "" {
		if err := cli.CheckPattern(a, o.patterns[0], operands, s); err != nil {
			return err
		}
	}
	m, err := cli.FindAll(a, arguments, s)
	if err != nil {
		return err
	}
	if len(m.Sessions) == 0 {
		return a.Outcome.Err()
	}
	cli.BlameProblems(a, m.Places)
	rules, err := o.values.Rules(a, o.raw)
	if err != nil {
		return err
	}
	if o.showsMessages() || a.Format == "csv" || o.ranked.on || o.branch == "active" { // it is read twice
		if err := cli.SpoolStreams(a, m.Sessions); err != nil {
			return err
		}
	}
	finder.SortNewestFirst(m.Sessions)
	p := &hitPrinter{
		App: a, searchOptions: o, sessions: m.Sessions, byDefault: len(operands) == 0,
		layout: finder.NewLayout(a.Output.Term, a.Now(), o.raw, rules), sums: finder.Sums{Limit: o.limit}, rules: rules,
	}
	if a.Format == "csv" {
		p.sheet = dataset.NewSheet(a.Output, &redact.Masker{Raw: o.raw, Rules: rules}, m.Sessions...)
	}
	cli.WatchReading(a, "Searching", m.Sessions)
	scan := &finder.Scan{Query: query, Scope: scope, Jobs: o.jobs, Active: o.branch == "active",
		Uncounted: !p.printsLines(), Unquoted: o.count || o.list, Named: p.printsHeadings(),
		Finder: redact.NewFinder(rules...)}
	results := finder.Results{Hit: p.hit, End: p.end}
	if o.ranked.on {
		p.ranking, scan.Rank = finder.NewRanking(o.raw), o.ranked.query
		results.Hit = p.rank
	}
	err = scan.Sessions(a.Ctx, m.Sessions, results)
	a.Progress.End()
	if err == nil {
		err = p.searchFiles(scan, scope, m)
	}
	switch {
	case err != nil && !errors.Is(err, errEnough):
		return err
	case o.ranked.on:
		if err := p.printRanked(scan); err != nil {
			return err
		}
	}
	return p.finish()
}

// query reads the patterns. Without -e, the first operand is the pattern.
func (o *searchOptions) query(a *cli.App, operands []string) (q *finder.Query, sources []string, err error) {
	q = &finder.Query{Invert: o.invert}
	opts := finder.Options{Word: o.word}
	switch {
	case o.ignoreCase && o.matchCase:
		return nil, nil, cli.Usage("-i and -s cannot be combined")
	case o.ignoreCase:
		opts.Case = finder.IgnoreCase
	case o.matchCase:
		opts.Case = finder.MatchCase
	}
	switch {
	case o.file != "" && len(o.patterns) == 0:
		o.patterns = []string{finder.FileName(o.file)}
		q.Any, err = terms(a, "--file", o.patterns, finder.Options{Case: finder.MatchCase}, finder.Literal)
	case len(o.patterns) == 0:
		if len(operands) == 0 {
			return nil, nil, cli.Usage("search needs a PATTERN")
		}
		o.patterns, operands = operands[:1], operands[1:]
		if o.ranked.on {
			return o.rankedQuery(operands)
		}
		q.Any, err = terms(a, "PATTERN", o.patterns, opts, finder.Literal)
	default:
		q.Any, err = terms(a, "-e", o.patterns, opts, finder.Regex)
	}
	if err != nil {
		return q, operands, err
	}
	if q.And, err = terms(a, "--and", o.and, opts, finder.Literal); err != nil {
		return q, operands, err
	}
	q.Not, err = terms(a, "--not", o.not, opts, finder.Literal)
	return q, operands, err
}

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
			return nil, cli.Usage("%s %q: %v", flag, text, err)
		}
		list = append(list, t)
	}
	return list, nil
}

// scope reads the flags that choose what is searched.
func (o *searchOptions) scope(a *cli.App) (*finder.Scope, error) {
	span, err := o.span.Resolve(a)
	if err != nil {
		return nil, err
	}
	return &finder.Scope{
		Places: finder.PlaceSet(o.in), Tool: o.tool, Model: strings.ToLower(o.model), Since: span.Since,
		Until: span.Until, Errors: o.errors, File: finder.CleanFile(o.file),
	}, nil
}
