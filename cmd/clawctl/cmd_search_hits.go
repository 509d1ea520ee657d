package main

import (
	"errors"
	"fmt"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/export/dataset"
	"clawctl/pkg/jsonl"
	finder "clawctl/pkg/read/search"
	"clawctl/pkg/source"
)

// errEnough ends a search after --limit hits.
var errEnough = errors.New("enough hits")

// A hitPrinter prints hits as they are found.
type hitPrinter struct {
	*cli.App
	*searchOptions
	sessions []*source.Session
	layout   finder.Layout
	sums     finder.Sums
	rules    []*secrets.Rule // of --values
	pending  []finder.Hit    // those that are printed with the messages around them
	// byDefault is set if the state folder is searched because no source was named.
	byDefault bool
	example   finder.Hit // that is opened by the command in the hint
	exampleOf *source.Session
	ranking   *finder.Ranking // of --rank
	sheet     *dataset.Sheet  // of --format csv, or nil
	lines     map[int64]int   // how many hits of the session are on a line, for the sheet
	rowless   int             // hits outside messages, which have no row in the sheet
	failed    int             // sessions that could not be read
}

// hit prints one hit, unless it is a copy of another.
func (p *hitPrinter) hit(session int, h finder.Hit) error {
	if !p.sums.Add(h) {
		return nil
	}
	if p.Raw {
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
func (p *hitPrinter) printsLines() bool {
	return p.showsMessages() || p.sheet != nil || p.Rank || p.WantsJSON()
}

// printsHeadings reports whether the hits of a session come below its title.
func (p *hitPrinter) printsHeadings() bool {
	o := p.searchOptions
	return !o.Count && !o.List && !p.WantsJSON() && p.sheet == nil && !o.Rank
}

// print prints a hit, and what is above the first one of a session.
func (p *hitPrinter) print(s *source.Session, h finder.Hit) error {
	switch {
	case p.Count || p.List:
		return nil
	case p.WantsJSON():
		return p.PrintJSON(finder.NewHitRow(s, h))
	case p.sheet != nil && h.Kind == "": // in a title or in a file beside the sessions
		p.rowless++
		return nil
	case p.sheet != nil:
		if p.lines == nil {
			p.lines = map[int64]int{}
		}
		p.lines[h.Line]++
		p.rowless++ // until its message has a row
		return nil
	}
	if p.sums.InSession == 1 {
		gap := "\n"
		if p.sums.Found == 1 {
			gap = ""
		}
		if err := p.PrintStyled(gap + p.layout.Heading(s) + "\n"); err != nil {
			return err
		}
	}
	if p.showsMessages() {
		p.pending = append(p.pending, h)
		return nil
	}
	return p.PrintStyled(p.layout.Line(h) + "\n")
}

// end is called after the last hit of a session.
func (p *hitPrinter) end(session int, t finder.Tally, err error) error {
	s := p.sessions[session]
	if p.ranking != nil {
		p.ranking.Read(t)
	}
	hits, pending := p.sums.End(t), p.pending
	p.pending = nil
	if err != nil && p.Ctx.Err() == nil {
		p.Blame(cli.InputError(s.Place(), err))
		p.failed++
	}
	switch {
	case hits == 0:
	case p.lines != nil:
		return p.printRows(s)
	case p.sheet != nil:
	case pending != nil:
		return p.printAround(s, pending)
	case (p.Count || p.List) && p.WantsJSON():
		return p.PrintJSON(finder.CountRow{SchemaVersion: 1, Session: s.Name(), Hits: hits})
	case p.Count:
		return p.Print(fmt.Sprintf("%d %s\n", hits, s.Name()))
	case p.List:
		return p.Print(s.Name() + "\n")
	}
	return nil
}

// printAround reads a session again and prints the messages around its hits.
func (p *hitPrinter) printAround(s *source.Session, hits []finder.Hit) error {
	o := p.searchOptions
	nearby := finder.Nearby{Before: max(o.Before, o.Around), After: max(o.After, o.Around), Lines: finder.UsualLines,
		Raw: o.Raw, Rules: p.rules, Layout: p.layout, Print: p.PrintStyled}
	if o.All {
		nearby.Lines = 0
	}
	around, err := nearby.Session(hits)
	if err != nil {
		return err
	}
	return p.eachRecord(s, around.Record)
}

// printRows reads a session again and prints the messages that have its hits.
func (p *hitPrinter) printRows(s *source.Session) error {
	rows, lines := p.sheet.Session(s), p.lines
	p.lines = nil
	err := p.eachRecord(s, func(rec *jsonl.Record) error {
		isMessage, err := rows.Record(rec, lines[rec.Line] > 0)
		if isMessage {
			p.rowless -= lines[rec.Line]
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.sheet.Flush()
}

// eachRecord reads a session again.
func (p *hitPrinter) eachRecord(s *source.Session, do func(*jsonl.Record) error) error {
	return cli.WithInput(p.App, s, func(_ *source.Session, in *source.Input) error {
		for rec, err := range jsonl.Records(in.Reader, jsonl.Options{BeforeRead: p.Ctx.Err}) {
			if err != nil {
				return cli.ReadError(in.Name, err)
			}
			if err := do(rec); err != nil {
				return err
			}
		}
		return nil
	})
}

// searchFiles searches texts beside the sessions, which are listed like sessions.
func (p *hitPrinter) searchFiles(scan *finder.Scan, scope *finder.Scope, m *source.Match) error {
	files, outside := scope.PlainFiles(m, cli.ExpandHome("~"))
	for _, workspace := range outside {
		p.Note("%s is not in the folder that is searched, so its memory files are not read", workspace)
	}
	for _, file := range files {
		s, hits, err := scan.Query.PlainFile(scan.Finder, file)
		switch {
		case errors.Is(err, finder.ErrNotMemory):
			p.Note("%s is not a readable file", file.Shown)
		case err != nil:
			p.Blame(cli.InputError(file.Shown, err))
		default:
			p.sessions = append(p.sessions, s)
			at := len(p.sessions) - 1
			for _, h := range hits {
				if p.ranking != nil {
					p.ranking.AddLine(p.words, at, h)
				} else if err := p.hit(at, h); err != nil {
					return err
				}
			}
			if err := p.end(at, finder.Tally{}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish sums up what was found. Nothing found is exit 1, and damaged input is only a remark.
func (p *hitPrinter) finish() error {
	if n := p.sums.Unread; n > 0 {
		p.Note("%s may match but cannot be read (clawctl validate says why)", ui.Count(n, "damaged line"))
	}
	if p.sheet != nil {
		if err := p.sheet.Flush(); err != nil { // without hits, there is a header
			return err
		}
	}
	p.Note("%s", p.sums.Sentence(len(p.sessions)-p.failed))
	if p.rowless > 0 {
		p.Note("%s outside messages, so without a row; --format ndjson prints all", ui.Count(p.rowless, "hit"))
	}
	if pattern := p.Patterns[0]; p.byDefault && p.File == "" && p.sums.Hits == 0 && cli.IsPath(pattern) {
		p.Note("searched for the text %s; PATTERN comes before SOURCE", pattern)
	}
	if p.exampleOf != nil && !p.WantsJSON() {
		p.Hint(p.showCommand(p.exampleOf, p.example.Entry))
	}
	var failed *failure.ReportedError
	if err := p.Outcome.Err(); err != nil && !(errors.As(err, &failed) && failed.Exit == failure.ExitDamaged) {
		return err
	}
	if p.sums.Hits == 0 {
		return failure.Findings
	}
	return nil
}

// showCommand is the command that opens an entry, "" if there is none. What came through a pipe cannot be opened again.
func (p *hitPrinter) showCommand(s *source.Session, entry string) string {
	switch {
	case entry == "" || s.Path == cli.StdinName:
		return ""
	case p.byDefault:
		return cli.ShowCommand(s, s.NameAmong(p.sessions), entry)
	}
	return cli.ShowCommand(s, s.Place(), entry)
}
