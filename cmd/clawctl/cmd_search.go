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
	"clawctl/pkg/read/rank"
	finder "clawctl/pkg/read/search"
)

func newSearchCommand() *cli.Command {
	return &cli.Command{
		Options: &searchOptions{Branch: "all"},
		Formats: []string{"text", "json", "ndjson", "markdown", "csv"},
		Streams: true,
	}
}

// searchOptions are the flags of search.
type searchOptions struct {
	Patterns   []string `flag:"regexp REGEX: search for this regular expression; repeat it for several" short:"e"`
	IgnoreCase bool     `flag:"ignore-case: treat upper and lower case as the same" short:"i"`
	MatchCase  bool     `flag:"case-sensitive: distinguish upper and lower case" short:"s"`
	Word       bool     `flag:"word: match whole words only" short:"w"`
	And        []string `flag:"and TEXT: the part must contain this too; repeat it for several"`
	Not        []string `flag:"not TEXT: the part must not contain this; repeat it for several"`
	Invert     bool     `flag:"invert: find the parts that do not match"`
	In         []string `flag:"in"`
	Tool       string   `flag:"tool NAME: only calls and results of this tool"`
	Model      string   `flag:"model NAME: only answers of models whose name contains this"`
	Errors     bool     `flag:"errors: only failed tool results"`
	Branch     string   `flag:"branch"`
	List       bool     `flag:"list: print only the names of sessions with hits" short:"l"`
	Count      bool     `flag:"count: print the number of hits and the name of each session" short:"c"`
	Limit      int      `flag:"limit N: stop after N hits" least:"1"`
	Raw        bool     `flag:"raw: do not mask what looks like a key or password"`
	Values     cli.ValuesOption
	Harness    cli.HarnessOption
	Jobs       int              `flag:"jobs N: how many cores to use" default:"one per core"`
	File       string           `flag:"file PATH: only tool calls that read or change this file; needs no PATTERN"`
	After      int              `flag:"after N: print N messages after each hit" least:"1" short:"A"`
	Before     int              `flag:"before N: print N messages before each hit" least:"1" short:"B"`
	Around     int              `flag:"context N: print N messages before and after each hit" least:"1" short:"C"`
	All        bool             `flag:"all: with -A, -B and -C: print whole messages, not only their first 12 lines"`
	Rank       bool             `flag:"rank: PATTERN is words: print the messages that answer them best"`
	Budget     int              `flag:"budget N: with --rank: print at most N tokens" least:"1"`
	Span       cli.RangeOptions `usage:"parts"`
	cli.SourceOptions

	words *rank.Query // of a ranked search
}

// OwnFlags makes the flags.
func (o *searchOptions) OwnFlags() []cli.Flag {
	places := append(slices.Clone(finder.Places), "all")
	return cli.FlagsOf(o,
		cli.ChoicesFlag(&o.In, "in", "PLACE", places, "where to search").
			WithDefault("everything except title and memory"),
		cli.ChoiceFlag(&o.Branch, "branch", "WHICH", []string{"all", "active"}, "active: only what leads to the last entry"))
}

// showsMessages reports whether messages around the hits are printed.
func (o *searchOptions) showsMessages() bool { return o.Before+o.After+o.Around > 0 }

// Run runs the command.
func (o *searchOptions) Run(a *cli.App, operands []string) error {
	defer reading.CollectLess(200)()
	if o.showsMessages() && (a.WantsJSON() || a.Format == "csv" || o.List || o.Count) {
		return cli.Usage("-A, -B and -C cannot be combined with --format, -l or -c")
	}
	if a.Format == "csv" && (o.List || o.Count || o.Rank) {
		return cli.Usage("--format csv cannot be combined with -l, -c or --rank")
	}
	if o.All && !o.showsMessages() {
		return cli.Usage("--all needs -A, -B or -C")
	}
	if err := o.checkRanked(a); err != nil {
		return err
	}
	query, operands, err := o.query(a, operands)
	if err != nil {
		return err
	}
	span, err := o.Span.Resolve(a)
	if err != nil {
		return err
	}
	scope := &finder.Scope{
		Places: finder.PlaceSet(o.In), Tool: o.Tool, Model: strings.ToLower(o.Model), Since: span.Since,
		Until: span.Until, Errors: o.Errors, File: finder.CleanFile(o.File),
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.EveryKind, Fast: true, Ends: true, Legible: true,
		Harness: &o.Harness}
	arguments, err := cli.ArgumentsOf(a, operands, s)
	if err != nil {
		return err
	}
	if o.File == "" {
		if err := cli.CheckPattern(a, o.Patterns[0], operands, s); err != nil {
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
	rules, err := o.Values.Rules(a, o.Raw)
	if err != nil {
		return err
	}
	if o.showsMessages() || a.Format == "csv" || o.Rank || o.Branch == "active" { // it is read twice
		if err := cli.SpoolStreams(a, m.Sessions); err != nil {
			return err
		}
	}
	finder.SortNewestFirst(m.Sessions)
	p := &hitPrinter{
		App: a, searchOptions: o, sessions: m.Sessions, byDefault: len(operands) == 0,
		layout: finder.NewLayout(a.Output.Term, a.Now(), o.Raw, rules), sums: finder.Sums{Limit: o.Limit}, rules: rules,
	}
	if a.Format == "csv" {
		p.sheet = dataset.NewSheet(a.Output, &redact.Masker{Raw: o.Raw, Rules: rules}, m.Sessions...)
	}
	cli.WatchReading(a, "Searching", m.Sessions)
	scan := &finder.Scan{Query: query, Scope: scope, Jobs: o.Jobs, Active: o.Branch == "active",
		Uncounted: !p.printsLines(), Unquoted: o.Count || o.List, Named: p.printsHeadings(),
		Finder: redact.NewFinder(rules...)}
	results := finder.Results{Hit: p.hit, End: p.end}
	if o.Rank {
		p.ranking, scan.Rank = finder.NewRanking(o.Raw), o.words
		results.Hit = func(session int, h finder.Hit) error {
			p.ranking.Add(session, h)
			return nil
		}
	}
	err = scan.Sessions(a.Ctx, m.Sessions, results)
	a.Progress.End()
	if err == nil {
		err = p.searchFiles(scan, scope, m)
	}
	switch {
	case err != nil && !errors.Is(err, errEnough):
		return err
	case o.Rank:
		if err := p.printRanked(scan); err != nil {
			return err
		}
	}
	return p.finish()
}

// query reads the patterns. Without -e, the first operand is the pattern.
func (o *searchOptions) query(a *cli.App, operands []string) (q *finder.Query, sources []string, err error) {
	q = &finder.Query{Invert: o.Invert}
	opts := finder.Options{Word: o.Word}
	switch {
	case o.IgnoreCase && o.MatchCase:
		return nil, nil, cli.Usage("-i and -s cannot be combined")
	case o.IgnoreCase:
		opts.Case = finder.IgnoreCase
	case o.MatchCase:
		opts.Case = finder.MatchCase
	}
	switch {
	case o.File != "" && len(o.Patterns) == 0:
		o.Patterns = []string{finder.FileName(o.File)}
		q.Any, err = terms(a, "--file", o.Patterns, finder.Options{Case: finder.MatchCase}, finder.Literal)
	case len(o.Patterns) == 0:
		if len(operands) == 0 {
			return nil, nil, cli.Usage("search needs a PATTERN")
		}
		o.Patterns, operands = operands[:1], operands[1:]
		if o.Rank {
			return o.rankedQuery(operands)
		}
		q.Any, err = terms(a, "PATTERN", o.Patterns, opts, finder.Literal)
	default:
		q.Any, err = terms(a, "-e", o.Patterns, opts, finder.Regex)
	}
	if err != nil {
		return q, operands, err
	}
	if q.And, err = terms(a, "--and", o.And, opts, finder.Literal); err != nil {
		return q, operands, err
	}
	q.Not, err = terms(a, "--not", o.Not, opts, finder.Literal)
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
