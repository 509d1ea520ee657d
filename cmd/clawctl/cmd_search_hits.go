package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/textid"
	"clawctl/internal/ui"
	finder "clawctl/pkg/search"
	"clawctl/pkg/source"
)

// errEnough ends a search after --limit hits.
var errEnough = errors.New("enough hits")

// A hitPrinter prints hits as they are found.
type hitPrinter struct {
	app      *cli.App
	options  *searchOptions
	sessions []*source.Session
	seen     map[textid.ID]bool // the hits so far, to recognize copies
	outcome  *failure.Tally
	// byDefault is set if the state folder is searched because no source was named.
	byDefault bool

	hits, copies int64
	found        int64        // sessions with hits
	inSession    int64        // hits of the session at hand
	pending      []finder.Hit // those that are printed with the messages around them
	unread       int64
	unsearched   int64 // lines that match only in what is not searched
	example      finder.Hit
	exampleOf    *source.Session
}

// hit prints one hit, unless it is a copy of another.
func (p *hitPrinter) hit(session int, h finder.Hit) error {
	if p.seen[h.Content] {
		p.copies++
		return nil
	}
	p.seen[h.Content] = true
	s := p.sessions[session]
	p.hits++
	if p.inSession++; p.inSession == 1 {
		p.found++
		if err := p.begin(s); err != nil {
			return err
		}
	}
	if p.exampleOf == nil || p.example.Entry == "" {
		p.example, p.exampleOf = h, s
	}
	if err := p.print(s, h); err != nil {
		return err
	}
	if p.options.limit > 0 && p.hits == int64(p.options.limit) {
		return errors.Join(p.end(session, finder.Tally{}, nil), errEnough)
	}
	return nil
}

// printsLines reports whether the line numbers of hits are needed: for programs, and to find the messages around them.
func (p *hitPrinter) printsLines() bool { return p.options.isSet() || p.app.WantsJSON() }

// begin prints what is above the hits of a session.
func (p *hitPrinter) begin(s *source.Session) error {
	if p.options.count || p.options.list || p.app.WantsJSON() {
		return nil
	}
	gap := "\n"
	if p.found == 1 {
		gap = ""
	}
	return p.app.PrintStyled(gap + sessionHeading(p.app.Output.Term, s, p.app.Now()) + "\n")
}

// print prints a hit.
func (p *hitPrinter) print(s *source.Session, h finder.Hit) error {
	switch {
	case p.options.count || p.options.list:
		return nil
	case p.options.isSet():
		p.pending = append(p.pending, h)
		return nil
	case p.app.WantsJSON():
		return p.app.Print(cli.JSONLine(p.object(s, h)))
	}
	return p.app.PrintStyled(p.line(h) + "\n")
}

// end is called after the last hit of a session.
func (p *hitPrinter) end(session int, t finder.Tally, err error) error {
	s := p.sessions[session]
	p.unread += t.Unread
	p.unsearched += t.Unsearched
	hits, pending := p.inSession, p.pending
	p.inSession, p.pending = 0, nil
	if err != nil && p.app.Ctx.Err() == nil {
		p.app.Blame(p.outcome, cli.InputError(s.Place(), err))
	}
	switch {
	case hits == 0:
	case pending != nil:
		return p.printAround(s, pending)
	case (p.options.count || p.options.list) && p.app.WantsJSON():
		return p.app.Print(cli.JSONLine(sessionCount{1, s.Name(), hits}))
	case p.options.count:
		return p.app.Print(fmt.Sprintf("%d %s\n", hits, s.Name()))
	case p.options.list:
		return p.app.Print(s.Name() + "\n")
	}
	return nil
}

// A sessionCount is the object of a session in --count and --list.
type sessionCount struct {
	SchemaVersion int    `json:"schema_version"`
	Session       string `json:"session"`
	Hits          int64  `json:"hits"`
}

// finish sums up what was found. Nothing found is exit 1, and damaged input is only a remark.
func (p *hitPrinter) finish() error {
	if p.unread > 0 {
		p.app.Note("%s may match but cannot be read (clawctl validate says why)", ui.Count(p.unread, "damaged line"))
	}
	p.app.Note("%s", p.summary())
	if p.hits > 0 {
		p.hintAtShow()
	}
	var failed *failure.Reported
	if err := p.outcome.Err(); err != nil && !(errors.As(err, &failed) && failed.Exit == failure.ExitDamaged) {
		return err
	}
	if p.hits == 0 {
		return failure.Findings
	}
	return nil
}

// hintAtShow says how to open a hit. What came through a pipe cannot be opened again.
func (p *hitPrinter) hintAtShow() {
	if s := p.exampleOf; s != nil && p.example.Entry != "" && s.Path != cli.StdinName && !p.app.WantsJSON() {
		p.app.Hint(failure.Command("clawctl", "show", p.nameOf(s), "--from", p.example.Entry))
	}
}

// nameOf returns the argument with which other commands find a session: its key in the state folder, or its place.
func (p *hitPrinter) nameOf(s *source.Session) string {
	same := func(other *source.Session) bool { return other != s && other.Name() == s.Name() }
	if p.byDefault && !slices.ContainsFunc(p.sessions, same) {
		return s.Name()
	}
	return s.Place()
}

func (p *hitPrinter) summary() string {
	if p.hits == 0 {
		return "nothing found in " + ui.Count(len(p.sessions), "session") + p.leftOut()
	}
	text := ui.Count(p.hits, "hit") + " in " + ui.Count(p.found, "session")
	if p.copies > 0 {
		text += " (not counting " + ui.Count(p.copies, "copy") + ")"
	}
	if p.options.limit > 0 && p.hits == int64(p.options.limit) {
		text += ", stopped by --limit"
	}
	return text + p.leftOut()
}

// leftOut says where the pattern occurs but is not looked for.
func (p *hitPrinter) leftOut() string {
	if p.unsearched == 0 {
		return ""
	}
	return "; left out: " + ui.Count(p.unsearched, "line") + " with it only in images, signatures or encrypted text"
}

// snippetWidth is how wide a snippet is if the output is not a terminal.
const snippetWidth = 160

// wideScreen is the width from which on a line has room for the names of tools.
const wideScreen = 110

// line returns a hit as one line: time, role, entry and the text around the match.
func (p *hitPrinter) line(h finder.Hit) string {
	term := p.app.Output.Term
	at := "                "
	if !h.Time.IsZero() {
		at = ui.Minute(h.Time.In(p.app.Now().Location()))
	}
	who, column := h.Place, 9
	if !term.Is || term.Columns >= wideScreen {
		who, column = strings.TrimSpace(who+" "+ui.CutEnd(ui.EscapeLine(h.Tool), 12)), 19
	}
	entry := ui.EscapeLine(h.Entry)
	if term.Is {
		entry = shortEntry(entry)
	}
	left := fmt.Sprintf("  %s  %s  %s  ", at, pad(who, column), pad(entry, entryWidth))
	width := snippetWidth
	if term.Is {
		width = max(20, term.Columns-ui.Width(left))
	}
	style := ui.Plain
	if h.Failed {
		style = ui.Error
	}
	return "  " + term.Paint(ui.Dim, at) + "  " + term.Paint(style, pad(who, column)) + "  " +
		term.Paint(ui.Dim, pad(entry, entryWidth)) + "  " + p.snippet(h, width)
}

// entryWidth is how many characters of an entry's id are shown on a terminal. They are enough for show --from.
const entryWidth = 8

func shortEntry(id string) string {
	if ui.Width(id) == len(id) {
		return id[:min(len(id), entryWidth)]
	}
	return id
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-ui.Width(text)))
}
