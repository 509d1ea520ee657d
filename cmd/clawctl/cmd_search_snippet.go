package main

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"clawctl/internal/ui"
	finder "clawctl/pkg/search"
	"clawctl/pkg/secrets"
	"clawctl/pkg/source"
)

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
		b.WriteString(p.app.Output.Term.Paint(style, piece.text))
	}
	return b.String()
}

// secretsOf returns what is masked in the text of a hit: nothing with --raw.
func (p *hitPrinter) secretsOf(h finder.Hit) []finder.Span {
	if p.options.raw {
		return nil
	}
	return h.Secrets
}

// pieces cuts the text of a hit at the ends of its matches, with its keys masked. The first piece is the text before
// the first match, which may be empty.
func (p *hitPrinter) pieces(h finder.Hit) []piece {
	list, from := []piece{{}}, 0
	for _, s := range p.secretsOf(h) {
		start, end := within(h, s)
		list = appendMatches(list, h, from, start)
		list = appendPiece(list, secrets.Masked, hasMatch(h, s))
		from = end
	}
	return appendMatches(list, h, from, len(h.Text))
}

// within returns a range of a part as a range of the hit's text.
func within(h finder.Hit, s finder.Span) (start, end int) {
	return min(max(0, s.Start-h.TextAt), len(h.Text)), min(max(0, s.End-h.TextAt), len(h.Text))
}

func hasMatch(h finder.Hit, s finder.Span) bool {
	return slices.ContainsFunc(h.Spans, func(m finder.Span) bool { return m.Start < s.End && m.End > s.Start })
}

// appendMatches adds the text of a hit from one index to another, in pieces.
func appendMatches(list []piece, h finder.Hit, from, to int) []piece {
	for _, s := range h.Spans {
		start, end := within(h, s)
		if start, end = max(start, from), min(end, to); start < end {
			list = appendPiece(list, h.Text[from:start], false)
			list = appendPiece(list, h.Text[start:end], true)
			from = end
		}
	}
	return appendPiece(list, h.Text[from:max(from, to)], false)
}

// appendPiece adds a text to the last piece, or as another one.
func appendPiece(list []piece, text string, match bool) []piece {
	if last := &list[len(list)-1]; last.match == match {
		last.text += text
		return list
	}
	if text == "" {
		return list
	}
	return append(list, piece{text, match})
}

// oneLine puts a text on one line: white space becomes one blank, and what a terminal must not see is escaped.
func oneLine(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	blank, plain := false, true
	for _, r := range text {
		if (r <= ' ' || r > '~') && unicode.IsSpace(r) {
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
			continue
		}
		blank, plain = false, plain && r > ' ' && r <= '~'
		b.WriteRune(r)
	}
	if plain {
		return b.String()
	}
	return ui.EscapeLine(b.String())
}

// fitPieces shortens the pieces to one line of a width. At most a third of it is before the first match, unless the
// rest is short.
func fitPieces(list []piece, width int) (fitting []piece) {
	left := width
	for i := len(list) - 1; i > 0; i-- {
		list[i].text = beginning(list[i].text, width)
		left -= ui.Width(list[i].text)
	}
	if len(list) == 1 {
		list[0].text = strings.TrimLeft(beginning(list[0].text, width), " ")
	} else {
		list[0].text = leadIn(list[0].text, max(8, width/3, left))
	}
	left = width
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

// bytesPerColumn is how much text is looked at to fill a column of a snippet. White space and marks have many bytes.
const bytesPerColumn = 4

// beginning returns the beginning of a text on one line: at least width columns, unless it is mostly white space.
func beginning(text string, width int) string {
	if len(text) <= width*bytesPerColumn {
		return oneLine(text)
	}
	end := width * bytesPerColumn
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return oneLine(text[:end]) + "…"
}

// leadIn returns the end of a text on one line of at most width columns. It begins with a whole word, if possible.
func leadIn(text string, width int) string {
	start := max(0, len(text)-width*bytesPerColumn)
	for start < len(text) && !utf8.RuneStart(text[start]) {
		start++
	}
	line := strings.TrimLeft(oneLine(text[start:]), " ")
	if start == 0 && ui.Width(line) <= width {
		return line
	}
	line = ui.CutStart("…"+line, width)
	if word := strings.IndexByte(line, ' '); word > 0 && word < len(line)-1 && word < len(line)/2 {
		line = "…" + line[word+1:]
	}
	return line
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

func (p *hitPrinter) object(s *source.Session, h finder.Hit) hitObject {
	o := hitObject{
		SchemaVersion: 1, Session: s.Name(), ID: s.ID, Agent: s.Agent, Kind: string(s.Kind), Path: s.Path, Line: h.Line,
		Entry: h.Entry, Role: h.Role, Model: h.Model, In: h.Place, Tool: h.Tool, Part: h.Part, Failed: h.Failed,
		Matches: len(h.Spans),
	}
	if !h.Time.IsZero() {
		o.Time = h.Time.UTC().Format(time.RFC3339Nano)
	}
	if len(h.Spans) > 0 {
		o.Start, o.End = h.Spans[0].Start, h.Spans[0].End
	}
	o.Snippet = p.around(h, o.Start, o.End)
	return o
}

// around returns the text around a range of a part, with keys masked.
func (p *hitPrinter) around(h finder.Hit, start, end int) string {
	from, to := within(h, finder.Span{Start: start - maxSnippet, End: end + maxSnippet})
	for from > 0 && !utf8.RuneStart(h.Text[from]) {
		from--
	}
	for to < len(h.Text) && !utf8.RuneStart(h.Text[to]) {
		to++
	}
	var b strings.Builder
	for _, s := range p.secretsOf(h) {
		start, end := within(h, s)
		if start, end = max(start, from), min(end, to); start < end {
			b.WriteString(h.Text[from:start] + secrets.Masked)
			from = end
		}
	}
	return b.String() + h.Text[from:to]
}
