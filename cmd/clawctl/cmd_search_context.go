package main

import (
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/parts"
	"clawctl/pkg/render"
	finder "clawctl/pkg/search"
	"clawctl/pkg/secrets"
	"clawctl/pkg/source"
)

// nearbyOptions are the messages to print around a hit.
type nearbyOptions struct{ before, after, around int }

func (o *nearbyOptions) flags() []cli.Flag {
	return []cli.Flag{
		cli.CountFlag(&o.after, "after", "N", 1, "print N messages after each hit").WithShort("A"),
		cli.CountFlag(&o.before, "before", "N", 1, "print N messages before each hit").WithShort("B"),
		cli.CountFlag(&o.around, "context", "N", 1, "print N messages before and after each hit").WithShort("C"),
	}
}

// isSet reports whether messages around the hits are printed.
func (o *nearbyOptions) isSet() bool { return o.before+o.after+o.around > 0 }

// window returns how many messages are printed before and after a hit.
func (o *nearbyOptions) window() (before, after int) {
	return max(o.before, o.around), max(o.after, o.around)
}

// check refuses what has no place for messages.
func (o *searchOptions) check(a *cli.App) error {
	if o.isSet() && (a.WantsJSON() || o.list || o.count) {
		return failure.Usage("clawctl help search", "-A, -B and -C cannot be combined with --format, -l or -c")
	}
	return nil
}

// printAround reads a session again and prints the messages around its hits.
func (p *hitPrinter) printAround(s *source.Session, hits []finder.Hit) error {
	return cli.WithInput(p.app, s, func(_ *source.Session, in *source.Input) error {
		before, after := p.options.window()
		w := &contextWindow{printer: p, hits: map[int64][]finder.Hit{}, before: before, after: after}
		w.text = render.NewText(&w.rendered, p.style())
		for _, h := range hits {
			if h.Line > 0 {
				w.hits[h.Line] = append(w.hits[h.Line], h)
			} else if err := p.app.PrintStyled(p.line(h) + "\n"); err != nil { // a title
				return err
			}
		}
		for rec, err := range jsonl.Records(in.Reader, jsonl.Options{BeforeRead: p.app.Ctx.Err}) {
			if err != nil {
				return cli.ReadError(p.app, in.Name, err)
			}
			if err := w.record(rec); err != nil {
				return err
			}
		}
		return nil
	})
}

// A contextWindow prints the messages around hits while a session is read.
type contextWindow struct {
	printer       *hitPrinter
	hits          map[int64][]finder.Hit // by line
	before, after int
	parser        jsonl.Parser
	maker         parts.Maker
	text          *render.Text
	rendered      strings.Builder // what text has printed
	earlier       []*jsonl.Record // the last messages that were not printed
	left          int             // messages to print after the last hit
	printed       bool
}

// record prints a record, or keeps it for the case that a hit follows.
func (w *contextWindow) record(rec *jsonl.Record) error {
	hits := w.hits[rec.Line]
	_, isMessage := rec.Message()
	switch {
	case len(hits) > 0:
		return w.match(rec, hits)
	case !isMessage:
		return nil
	case w.left > 0:
		w.left--
		return w.message(rec)
	}
	if w.earlier = append(w.earlier, rec.Clone()); len(w.earlier) > w.before {
		w.earlier = w.earlier[1:]
	}
	return nil
}

// match prints a hit with the messages before it.
func (w *contextWindow) match(rec *jsonl.Record, hits []finder.Hit) error {
	term := w.printer.app.Output.Term
	if w.printed && w.left == 0 {
		if err := w.printer.app.PrintStyled(term.Paint(ui.Dim, "  --") + "\n"); err != nil {
			return err
		}
	}
	for _, earlier := range w.earlier {
		if err := w.message(earlier); err != nil {
			return err
		}
	}
	w.earlier, w.left, w.printed = nil, w.after, true
	for _, h := range hits {
		if err := w.printer.app.PrintStyled(w.printer.line(h) + "\n"); err != nil {
			return err
		}
	}
	return w.message(rec)
}

// message prints a whole message.
func (w *contextWindow) message(rec *jsonl.Record) error {
	e := w.maker.Entry(w.masked(rec))
	if e == nil {
		return nil
	}
	if err := w.text.Entry(e, parts.Position{}); err != nil {
		return err
	}
	if err := w.text.Flush(); err != nil {
		return err
	}
	defer w.rendered.Reset()
	return w.printer.app.PrintStyled(strings.Trim(w.rendered.String(), "\n") + "\n\n")
}

// masked returns a record without its keys, unless --raw asks for them. They are masked before the message is wrapped
// into lines, where they would not look like keys.
func (w *contextWindow) masked(rec *jsonl.Record) *jsonl.Record {
	if w.printer.options.raw || !rec.Legible() {
		return rec
	}
	mask := func(text string) string { text, _ = secrets.Mask(text); return text }
	return w.parser.Parse(jsonl.MapStrings(rec.Stated(), mask), rec.Line, rec.Offset)
}

// style is how whole messages look.
func (p *hitPrinter) style() render.Style {
	term := p.app.Output.Term
	style := render.Style{Color: term.Color, Tools: render.ToolsFull, Thinking: true, Location: p.app.Now().Location()}
	if term.Is {
		style.Width = term.Columns
	}
	return style
}
