package showing

import (
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/follow"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/read/render"
	"clawctl/pkg/source"
)

// Parts prints the parts of records of several sessions.
type Parts struct {
	app      *cli.App
	style    render.Style
	headings bool                             // each session has one
	texts    map[*source.Session]*render.Text // nil for JSON
	current  *source.Session                  // the one that was printed last
	// unflushed are the sessions whose texts may hold something back.
	unflushed []*source.Session
	maker     parts.Maker
	buf       []byte
}

// NewParts returns a printer on the output of a run. headings asks for a line with the name before the parts of each
// session.
func NewParts(a *cli.App, style render.Style, headings bool) *Parts {
	p := &Parts{app: a, style: style, headings: headings}
	if a.Format == "" || a.Format == "text" {
		p.texts = map[*source.Session]*render.Text{}
	}
	return p
}

// Mask makes the printer mask secrets.
func (p *Parts) Mask(m *redact.Masker) { p.maker.Mask = m.Record }

// IsJSON reports whether objects are printed.
func (p *Parts) IsJSON() bool { return p.texts == nil }

// counts reports whether a part is one of those that -n counts: in text, those that are shown.
func (p *Parts) counts(part *parts.Part) bool { return p.IsJSON() || p.style.Shows(part) }

// Count returns how many parts of a record count.
func (p *Parts) Count(rec *jsonl.Record) int {
	var n int
	e := p.maker.Entry(rec)
	if e == nil {
		return 0
	}
	for i := range e.Parts {
		if p.counts(&e.Parts[i]) {
			n++
		}
	}
	return n
}

// Print prints the parts of a record, without the first ones that count.
func (p *Parts) Print(s *source.Session, rec *jsonl.Record, skip int) error {
	e := p.maker.Entry(rec)
	if e == nil {
		return nil
	}
	for ; skip > 0 && len(e.Parts) > 0; e.Parts = e.Parts[1:] {
		if p.counts(&e.Parts[0]) {
			skip--
		}
	}
	if p.IsJSON() {
		return p.printJSON(s, e)
	}
	if !slices.Contains(p.unflushed, s) {
		p.unflushed = append(p.unflushed, s)
	}
	return p.textOf(s).Entry(e, parts.Position{Unknown: true})
}

// printJSON prints an object for each part.
func (p *Parts) printJSON(s *source.Session, e *parts.Entry) error {
	p.buf = p.buf[:0]
	for i := range e.Parts {
		p.buf = follow.AppendPart(p.buf, s, e, &e.Parts[i])
	}
	return p.app.Print(string(p.buf))
}

// Change prints that something happened to the file of a session. People read about it on stderr.
func (p *Parts) Change(s *source.Session, change string) error {
	return p.printRow(follow.NewChangeRow(s, change))
}

// Failure prints that a session cannot be read. People read about it on stderr.
func (p *Parts) Failure(s *source.Session, f *failure.Error) error {
	return p.printRow(follow.NewErrorRow(s, string(f.Code), f.Text))
}

func (p *Parts) printRow(row follow.EventRow) error {
	if !p.IsJSON() {
		return nil
	}
	return p.app.PrintJSON(row)
}

func (p *Parts) textOf(s *source.Session) *render.Text {
	text := p.texts[s]
	if text == nil {
		text = render.NewEnding(headedWriter{p, s}, p.style)
		p.texts[s] = text
	}
	return text
}

// Flush prints what the texts hold back: calls that wait for their results.
func (p *Parts) Flush() error {
	for _, s := range p.unflushed {
		if err := p.texts[s].Flush(); err != nil {
			return err
		}
	}
	p.unflushed = p.unflushed[:0]
	return nil
}

// End prints everything that is left of a session.
func (p *Parts) End(s *source.Session) error {
	text := p.texts[s]
	if text == nil {
		return nil
	}
	return text.Close()
}

// A headedWriter writes the text of a session, after a heading if another one was printed before.
type headedWriter struct {
	parts   *Parts
	session *source.Session
}

func (w headedWriter) Write(text []byte) (int, error) {
	if len(text) == 0 {
		return 0, nil
	}
	if w.parts.headings && w.parts.current != w.session {
		if err := w.heading(); err != nil {
			return 0, err
		}
	}
	w.parts.current = w.session
	return StyledWriter{App: w.parts.app}.Write(text)
}

// heading prints the name of the session.
func (w headedWriter) heading() error {
	text := w.parts.app.Output.Term.Paint(ui.Bold, "==> "+ui.EscapeLine(w.session.Name())+" <==") + "\n"
	if w.parts.current != nil {
		text = "\n" + text
	}
	_, err := StyledWriter{App: w.parts.app}.Write([]byte(text))
	return err
}
