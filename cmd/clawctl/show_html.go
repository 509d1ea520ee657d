package main

import (
	"errors"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/page"
	"clawctl/pkg/rebuild"
)

// checkFormat refuses flags that the format has no place for.
func (o *showOptions) checkFormat(a *app) error {
	if a.format != "html" {
		if o.plain {
			return failure.Usage(a.commandLine("--format", "html"), "--plain needs --format html")
		}
		return nil
	}
	given := firstGiven([]givenFlag{
		{"last", o.last > 0}, {"from", o.from != ""}, {"since", o.span.since.isSet()}, {"until", o.span.until.isSet()},
		{"tree", o.tree}, {"width", o.width > 0},
	})
	switch {
	case given != "":
		return failure.Usage("clawctl help show", "a page has the whole session, so --format html has no --%s", given)
	case a.output.term.Is:
		return failure.Usage(a.commandLine("-o", "page.html"), "a page is not for a terminal; write it to a file")
	}
	return nil
}

// printHTML writes a session as a page.
func printHTML(s *showing) error {
	t, err := openTranscript(s.app, s.session, s.options.programOption)
	if err != nil {
		return err
	}
	c, err := t.contextAt(s.options.leaf)
	if err != nil {
		return err
	}
	totals, err := t.writePage(c, page.Options{Plain: s.options.plain, Raw: s.options.raw})
	if err != nil {
		return err
	}
	if totals.Masked > 0 {
		s.app.note("masked %s; --raw shows everything", ui.Count(totals.Masked, "key"))
	}
	return t.damage
}

// writePage writes a session as an HTML page to the command's output, as it is if it ends at the leaf of a context.
func (t *transcript) writePage(c *rebuild.Context, o page.Options) (page.Totals, error) {
	s := &page.Session{
		Name: t.session.Name(), Title: t.session.Title(), Agent: t.session.Agent, Nodes: c.Outline(), Records: t.again,
	}
	totals, err := page.Write(t.ctx, pageOutput{t.app}, s, o)
	var large *page.TooManyEntriesError
	switch {
	case errors.As(err, &large):
		return totals, failure.Usage("clawctl show --format html "+failure.Quote(t.session.Place())+" -o page.html",
			"--plain: %v", err)
	case err != nil:
		return totals, t.failed(err)
	}
	return totals, nil
}

// A pageOutput marks errors of writing, because errors of reading come out of the same call.
type pageOutput struct{ *app }

func (p pageOutput) Write(data []byte) (int, error) {
	n, err := p.output.Write(data)
	if err != nil {
		return n, &writeFailure{err}
	}
	return n, nil
}
