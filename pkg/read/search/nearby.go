package search

import (
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/read/render"
)

// A Nearby says how many messages around hits are shown, and how.
type Nearby struct {
	Before, After int
	Lines         int             // that are printed of each message; 0 means all
	Raw           bool            // keys are not masked
	Rules         []*secrets.Rule // for secrets beside those of the table
	Layout        Layout
	Print         func(styled string) error
}

// UsualLines is how many lines of a message are enough to know whether it is the right one.
const UsualLines = 12

// Session begins a session, whose records must follow. Hits without a line, such as those in a title, come first.
func (n Nearby) Session(hits []Hit) (*Surroundings, error) {
	w := &Surroundings{nearby: n, hits: map[int64][]Hit{}, masker: redact.Masker{Raw: n.Raw, Rules: n.Rules}}
	w.text = render.NewText(&w.rendered, n.Layout.message())
	for _, h := range hits {
		if h.Line > 0 {
			w.hits[h.Line] = append(w.hits[h.Line], h)
		} else if err := n.Print(n.Layout.Line(h) + "\n"); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Surroundings print the hits of a session with the messages around them while its records are read.
type Surroundings struct {
	nearby   Nearby
	hits     map[int64][]Hit // by line
	masker   redact.Masker
	maker    parts.Maker
	text     *render.Text
	rendered strings.Builder // what text has printed
	earlier  []*jsonl.Record // the last messages that were not printed
	left     int             // messages to print after the last hit
	printed  bool
	leftOut  bool // some message since the last one that was printed is not among the earlier ones
}

// Record prints a record, or keeps it for the case that a hit follows. An error is that of Print.
func (w *Surroundings) Record(rec *jsonl.Record) error {
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
	if w.earlier = append(w.earlier, rec.Clone()); len(w.earlier) > w.nearby.Before {
		w.earlier, w.leftOut = w.earlier[1:], true
	}
	return nil
}

// match prints a hit with the messages before it, and a mark if some are left out between it and the hit before.
func (w *Surroundings) match(rec *jsonl.Record, hits []Hit) error {
	if w.printed && w.leftOut {
		if err := w.nearby.Print(w.nearby.Layout.Term.Paint(ui.Dim, "  --") + "\n"); err != nil {
			return err
		}
	}
	for _, earlier := range w.earlier {
		if err := w.message(earlier); err != nil {
			return err
		}
	}
	w.earlier, w.left, w.printed, w.leftOut = nil, w.nearby.After, true, false
	for _, h := range hits {
		if err := w.nearby.Print(w.nearby.Layout.Line(h) + "\n"); err != nil {
			return err
		}
	}
	return w.message(rec)
}

// message prints a whole message.
func (w *Surroundings) message(rec *jsonl.Record) error {
	// Keys are masked before the message is wrapped into lines, where they would not look like keys.
	e := w.maker.Entry(w.masker.Record(rec))
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
	return w.nearby.Print(w.nearby.cut(strings.Trim(w.rendered.String(), "\n")) + "\n\n")
}

// cut leaves the first lines of a message, and says how many follow.
func (n Nearby) cut(text string) string {
	lines := strings.Split(text, "\n")
	if n.Lines == 0 || len(lines) <= n.Lines+1 { // a remark takes a line too
		return text
	}
	more := "  … " + ui.Count(len(lines)-n.Lines, "more line") + " (--all shows them)"
	return strings.Join(lines[:n.Lines], "\n") + "\n" + n.Layout.Term.Paint(ui.Dim, more)
}
