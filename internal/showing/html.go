package showing

import (
	"crypto/rand"
	"errors"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/export/page"
	"clawctl/pkg/rebuild"
)

// NewLock returns what encrypts a page, or nil if nothing does.
func NewLock(a *cli.App, o cli.PasswordOption) (*page.Lock, error) {
	if !o.Encrypt {
		if o.File != "" {
			return nil, failure.Usage(a.CommandLine("--encrypt"), "--password-file needs --encrypt")
		}
		return nil, nil
	}
	password, err := o.Password(a)
	if err != nil {
		return nil, err
	}
	return &page.Lock{Password: password, Random: rand.Reader}, nil
}

// PrintHTML writes a session as a page.
func PrintHTML(s *View) error {
	totals, err := s.WriteHTML()
	if totals.Masked > 0 && failure.KeepsOutput(err) {
		s.App.Note("masked %s; --raw shows what looks like a key or a password", ui.Count(totals.Masked, "secret"))
	}
	return err
}

// WriteHTML writes a session as a page and returns what is in it.
func (s *View) WriteHTML() (totals page.Totals, err error) {
	t, err := reading.OpenTranscript(s.App, s.Session, s.Options.ProgramOption)
	if err != nil {
		return totals, err
	}
	c, err := t.ContextAt(s.Options.Leaf)
	if err != nil {
		return totals, err
	}
	totals, err = writePage(t, c, page.Options{
		Plain: s.Options.Plain, Raw: s.Options.Raw, Rules: s.Options.Rules, Zone: t.App.Zone,
		Home: s.home, Words: s.words, Lock: s.Options.Lock,
	})
	if err != nil {
		return totals, err
	}
	return totals, t.Damage
}

// writePage writes a session as an HTML page to the command's output, as it is if it ends at the leaf of a context.
func writePage(t *reading.Transcript, c *rebuild.Context, o page.Options) (page.Totals, error) {
	defer reading.KeepSmall()()
	s := &page.Document{
		Name: t.Session.Name(), Title: t.Session.Title(), Agent: t.Session.Agent, Nodes: c.Outline(), Records: t.Again,
		Source: t.Session,
	}
	totals, err := page.Write(t.App.Ctx, t.App.Output, s, o)
	var large *page.TooManyEntriesError
	switch {
	case errors.As(err, &large):
		return totals, failure.Usage("clawctl show --format html "+failure.Quote(t.Session.Place())+" -o page.html",
			"--plain: %v", err)
	case err != nil:
		return totals, t.Failed(err)
	}
	return totals, nil
}
