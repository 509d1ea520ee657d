package main

import (
	"errors"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/page"
	"clawctl/pkg/rebuild"
)

// printHTML writes a session as a page.
func printHTML(s *showing) error {
	totals, err := s.writeHTML()
	if totals.Masked > 0 && failure.KeepsOutput(err) {
		s.app.Note("masked %s; --raw shows what looks like a key or a password", ui.Count(totals.Masked, "secret"))
	}
	return err
}

// writeHTML writes a session as a page and returns what is in it.
func (s *showing) writeHTML() (totals page.Totals, err error) {
	t, err := openTranscript(s.app, s.session, s.options.programOption)
	if err != nil {
		return totals, err
	}
	c, err := t.contextAt(s.options.leaf)
	if err != nil {
		return totals, err
	}
	totals, err = writePage(t, c, page.Options{Plain: s.options.plain, Raw: s.options.raw})
	if err != nil {
		return totals, err
	}
	return totals, t.damage
}

// writePage writes a session as an HTML page to the command's output, as it is if it ends at the leaf of a context.
func writePage(t *transcript, c *rebuild.Context, o page.Options) (page.Totals, error) {
	defer keepSmall()()
	s := &page.Session{
		Name: t.session.Name(), Title: t.session.Title(), Agent: t.session.Agent, Nodes: c.Outline(), Records: t.again,
	}
	totals, err := page.Write(t.app.Ctx, pageOutput{t.app}, s, o)
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
type pageOutput struct{ app *cli.App }

func (p pageOutput) Write(data []byte) (int, error) {
	n, err := p.app.Output.Write(data)
	if err != nil {
		return n, cli.WriteFailed(err)
	}
	return n, nil
}
