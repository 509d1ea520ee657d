package main

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"clawctl/internal/ui"
	finder "clawctl/pkg/search"
	"clawctl/pkg/secrets"
	"clawctl/pkg/source"
)

// masked hides what looks like a key in a text, unless --raw asks for it.
func (p *hitPrinter) masked(text string) string {
	if p.raw {
		return text
	}
	masked, _ := secrets.Mask(text)
	return masked
}

// A piece is a stretch of a snippet that matches, or one that does not.
type piece struct {
	text  string
	match bool
}

// snippet returns the text around the first match on one line of at most width columns, with all matches highlighted.
func (p *hitPrinter) snippet(h finder.Hit, width int) string {
	var b strings.Builder
	for _, piece := range fitPieces(p.pieces(h), width) {
		style := ui.Plain
		if piece.match {
			style = ui.Match
		}
		b.WriteString(p.output.term.Paint(style, piece.text))
	}
	return b.String()
}

// pieces cuts the text of a hit at the ends of its matches. Secrets are masked before that, so a match inside of one
// is not highlighted.
func (p *hitPrinter) pieces(h finder.Hit) (list []piece) {
	text := h.Text
	if masked := p.masked(text); masked != text {
		return []piece{{oneLine(masked), false}}
	}
	end := 0
	for _, s := range h.Spans {
		start, stop := s.Start-h.TextAt, min(s.End-h.TextAt, len(text))
		if start < end || start >= stop {
			continue
		}
		list = append(list, piece{oneLine(text[end:start]), false}, piece{oneLine(text[start:stop]), true})
		end = stop
	}
	return append(list, piece{oneLine(text[end:]), false})
}

// oneLine puts a text on one line: white space becomes one blank, and what a terminal must not see is escaped.
func oneLine(text string) string {
	var b strings.Builder
	blank := false
	for _, r := range text {
		if unicode.IsSpace(r) {
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
			continue
		}
		blank = false
		b.WriteRune(r)
	}
	return ui.EscapeLine(b.String())
}

// fitPieces shortens the pieces to a width. A third of it, at most, is before the first match.
func fitPieces(list []piece, width int) (fitting []piece) {
	if len(list) > 1 {
		list[0].text = cutStart(strings.TrimLeft(list[0].text, " "), max(8, width/3))
	} else {
		list[0].text = strings.TrimLeft(list[0].text, " ")
	}
	left := width
	for i, p := range list {
		w := ui.Width(p.text)
		if w > left || w == left && i < len(list)-1 {
			p.text = ui.CutEnd(p.text+"…", left)
			return append(fitting, p)
		}
		left -= w
		fitting = append(fitting, p)
	}
	return fitting
}

// cutStart shortens a text to at most width columns and keeps its end.
func cutStart(text string, width int) string {
	if ui.Width(text) <= width {
		return text
	}
	for text != "" && ui.Width(text) > width-1 {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return "…" + text
}

// A hitObject is a hit for programs. Start and End are bytes of the part's decoded text.
type hitObject struct {
	SchemaVersion int    `json:"schema_version"`
	Session       string `json:"session"`
	ID            string `json:"id"`
	Agent         string `json:"agent"`
	Kind          string `json:"kind"`
	Path          string `json:"path"`
	Line          int64  `json:"line"`
	Entry         string `json:"entry"`
	Time          string `json:"time,omitempty"`
	Role          string `json:"role,omitempty"`
	Model         string `json:"model,omitempty"`
	In            string `json:"in"`
	Tool          string `json:"tool,omitempty"`
	Part          int    `json:"part"`
	Failed        bool   `json:"failed,omitempty"`
	Start         int    `json:"start"`
	End           int    `json:"end"`
	Matches       int    `json:"matches"`
	Snippet       string `json:"snippet"`
}

// maxSnippet is how many bytes of text a program gets on each side of the first match.
const maxSnippet = 200

func newHitObject(s *source.Session, h finder.Hit, masked func(string) string) hitObject {
	o := hitObject{
		SchemaVersion: 1, Session: s.Name(), ID: s.ID, Agent: s.Agent, Kind: string(s.Kind), Path: s.Path, Line: h.Line,
		Entry: h.Entry, Role: h.Role, Model: h.Model, In: h.Place, Tool: h.Tool, Part: h.Part, Failed: h.Failed,
		Matches: len(h.Spans),
	}
	if !h.Time.IsZero() {
		o.Time = h.Time.UTC().Format(time.RFC3339Nano)
	}
	var first finder.Span
	if len(h.Spans) > 0 {
		first = h.Spans[0]
	}
	o.Start, o.End = first.Start, first.End
	o.Snippet = masked(around(h.Text, first.Start-h.TextAt, first.End-h.TextAt))
	return o
}

// around returns the text around a range.
func around(text string, start, end int) string {
	from, to := max(0, start-maxSnippet), min(len(text), end+maxSnippet)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[from:to]
}
