package showing

import (
	"strings"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/read/render"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/validate"
)

// maxProse is the width of prose on a wide terminal: longer lines are hard to read.
const maxProse = 100

// NewStyle returns how conversations look on the output.
func NewStyle(a *cli.App, tools render.Tools, thinking bool) render.Style {
	style := render.Style{Color: a.Output.Term.Color, Tools: tools, Thinking: thinking, Location: a.Now().Location()}
	if a.Output.Term.Is {
		style.Width, style.Prose = a.Output.Term.Columns, min(a.Output.Term.Columns, maxProse)
	}
	return style
}

// style is how the session looks.
func (s *View) style() render.Style {
	style := NewStyle(s.App, s.Options.Tools, s.Options.Thinking)
	style.Sent = s.Options.Sent
	if s.Options.Width > 0 {
		style.Width, style.Prose = s.Options.Width, s.Options.Width
	}
	return style
}

// PrintText prints a session as text.
func PrintText(s *View) error {
	s.mask(false)
	if done, err := s.printEnding(); done {
		return err
	}
	if err := s.open(s.visitFacts()); err != nil {
		return err
	}
	if err := s.printHead(); err != nil {
		return err
	}
	out := newTextOutput(s)
	if err := s.each(out.entry); err != nil {
		return s.transcript.Failed(err)
	}
	if err := out.close(s.window); err != nil {
		return err
	}
	if err := s.noteVerdict(); err != nil {
		return err
	}
	return s.transcript.Damage
}

// noteVerdict says that a session that was shown as a whole cannot be continued, and with --verbose that it can.
func (s *View) noteVerdict() error {
	if o := s.Options; o.Last > 0 || s.entry != "" || o.Leaf != "" || !s.Span.IsAll() {
		return nil
	}
	if s.Session.JoinedLines() > 0 {
		return nil // OpenClaw continues its own records, not those of the other program
	}
	v, err := reading.VerdictOf(s.transcript, rebuild.NoAPI)
	if err != nil {
		return err
	}
	if v.State == validate.Stuck || s.App.Verbose {
		s.App.Note("%s: %s", s.transcript.Name, v.Sentence())
	}
	switch {
	case v.State != validate.Stuck || s.transcript.Kept != nil:
	case s.transcript.Index.Dialect.CheckOwner() != nil: // repair leaves the files of such programs alone
		s.App.Hint("clawctl explain " + string(v.Reason.Code))
	default:
		s.App.Hint(failure.Command("clawctl", "repair", s.Session.Place()))
	}
	return nil
}

// visitFacts collects what the lines above a conversation say. With --last they say only what needs no reading.
func (s *View) visitFacts() func(*jsonl.Record) {
	if s.Options.Last > 0 {
		return func(rec *jsonl.Record) {
			s.Facts.takeTurn(rec)
			s.Facts.takeTitle(rec)
			s.Facts.takeOrigin(rec)
		}
	}
	s.Facts.counter = stats.NewCounter(s.Session)
	return func(rec *jsonl.Record) { s.Facts.take(s.App.Ctx, rec) }
}

// printHead prints the lines above the conversation.
func (s *View) printHead() error {
	style := s.style()
	term := ui.Terminal{Color: style.Color, Is: style.Width > 0, Columns: style.Width}
	lines := []string{term.Paint(ui.Bold, fitLine(style, s.masked(s.Facts.titleOf(s.Session))))}
	for _, words := range [][]string{s.Facts.names(s.Session), s.Facts.place(), s.figures(), s.state()} {
		if text := strings.Join(words, " · "); text != "" {
			for line := range strings.SplitSeq(foldLine(style, s.masked(text)), "\n") {
				lines = append(lines, term.Paint(ui.Dim, line))
			}
		}
	}
	for _, line := range s.resumeLines(style.Width) {
		lines = append(lines, term.Paint(ui.Dim, line))
	}
	return s.App.PrintStyled(strings.Join(lines, "\n") + "\n\n")
}

// figures are the sums of the whole session, which --last does not read.
func (s *View) figures() []string {
	if s.Options.Last > 0 {
		return []string{"last " + ui.Count(s.Options.Last, "turn")}
	}
	return s.Facts.figures(s.App.Now().Location())
}

// state is what the index says about the life of the session.
func (s *View) state() []string {
	zone := s.App.Now().Location()
	return s.Session.Entry.State.Words(func(t time.Time) string { return ui.Minute(t.In(zone)) })
}

// fitLine makes text safe and cuts it to the width, if there is one.
func fitLine(style render.Style, text string) string {
	text = ui.EscapeLine(text)
	if style.Width > 0 {
		return ui.CutEnd(text, style.Width)
	}
	return text
}

// foldLine makes text safe and wraps it to the width, if there is one.
func foldLine(style render.Style, text string) string {
	if style.Width > 0 {
		return ui.Wrap(ui.EscapeLine(text), style.Width, "")
	}
	return ui.EscapeLine(text)
}

// A textOutput prints entries on the output of a showing.
type textOutput struct {
	view   *View
	text   *render.Text
	before string // what is said above the first entry, if it is not that of the session
}

func newTextOutput(s *View) *textOutput {
	out := &textOutput{view: s, text: render.NewText(StyledWriter{s.App}, s.style())}
	if s.window != nil {
		out.before = leftOut(s.window.before, "before")
	}
	return out
}

// close prints what is left, and how much of a session comes after a window.
func (o *textOutput) close(w *window) error {
	if w != nil && w.after > 0 {
		return o.text.Skip(leftOut(w.after, "after"))
	}
	return o.text.Close()
}

func (o *textOutput) entry(e *parts.Entry, at parts.Position, branch string) error {
	if o.before != "" {
		if err := o.text.Skip(o.before); err != nil {
			return err
		}
		o.before = ""
	}
	if branch != "" {
		if err := o.text.Rule("a branch begins after " + ui.EscapeLine(branch)); err != nil {
			return err
		}
	}
	if o.view.observe != nil {
		o.view.observe(e, o.text)
	}
	return o.text.Entry(e, at)
}

// A StyledWriter writes text that is already safe for a terminal.
type StyledWriter struct{ App *cli.App }

func (w StyledWriter) Write(text []byte) (int, error) {
	if err := w.App.Output.PrintStyled(string(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}
