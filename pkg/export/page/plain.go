package page

import (
	"bufio"
	"cmp"
	"encoding/base64"
	"fmt"
	"html"
	"strings"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/read/parts"
)

// A plainWriter writes a page without a script.
type plainWriter struct {
	out   markup
	m     *redact.Masker
	sv    *survey
	zone  calendar.Zone
	entry int
}

// writePlain writes the whole session as HTML. The order of the file is the order of the page. Entries that the model
// left on another branch say so.
func writePlain(out *bufio.Writer, s *Document, sv *survey, m *redact.Masker, o Options) error {
	if sv.totals.Entries > maxPlain {
		return &TooManyEntriesError{sv.totals.Entries}
	}
	w := &plainWriter{out: markup{out}, m: m, sv: sv, zone: o.Zone}
	writeHead(out, plainPage, sv.totals.Title)
	w.writeAbout(s, o)
	w.writePrompts()
	w.out.raw("<section aria-label=\"Conversation\">\n")
	m.Count = 0 // this reading sees every text once
	maker := parts.Maker{Mask: m.Record}
	for rec, err := range s.Records() {
		if err != nil {
			return err
		}
		if e := maker.Entry(rec); e != nil && w.entry < sv.totals.Entries {
			w.writeEntry(e)
			w.entry++
		}
	}
	if w.entry < sv.totals.Entries {
		return errChanged
	}
	w.out.raw("</section>\n")
	if m.Count > 0 {
		w.out.raw(`<p class="masked">`)
		w.out.text(maskedWords(m.Count))
		w.out.raw("</p>\n")
	}
	w.out.raw("</main>\n</body>\n</html>\n")
	return nil
}

// maskedWords says how many keys are masked.
func maskedWords(n int) string {
	if n == 1 {
		return "1 text that looks like a key is masked."
	}
	return ui.Thousands(int64(n)) + " texts that look like a key are masked."
}

// A markup writes HTML. Its buffered writer keeps an error until it is flushed.
type markup struct{ w *bufio.Writer }

func (m markup) raw(text string) { _, _ = m.w.WriteString(text) }

func (m markup) printf(format string, args ...any) { fmt.Fprintf(m.w, format, args...) }

func (m markup) text(text string) {
	m.raw(html.EscapeString(strings.ToValidUTF8(text, "\ufffd")))
}

func (m markup) element(tag, class, text string) {
	m.raw("<" + tag + ` class="` + class + `">`)
	m.text(text)
	m.raw("</" + tag + ">")
}

func (w *plainWriter) writeAbout(s *Document, o Options) {
	w.out.raw("<main>\n<section class=\"about\" aria-label=\"About this session\">\n<h1>")
	w.out.text(w.sv.totals.Title)
	w.out.raw("</h1>\n<p>")
	if o.Home != "" {
		w.out.raw(`<a href="` + html.EscapeString(o.Home) + `">← All sessions</a> `)
	}
	w.out.text(w.m.Text(s.Name))
	w.out.raw("</p>\n<dl class=\"totals\">")
	for _, fact := range w.sv.totals.facts(w.zone) {
		w.out.raw("<div>")
		w.out.element("dt", "name", fact[0])
		w.out.element("dd", "value", fact[1])
		w.out.raw("</div>")
	}
	w.out.raw("</dl>\n</section>\n")
}

// facts are the totals in words, with the times of a zone.
func (t *Totals) facts(zone calendar.Zone) [][2]string {
	var list [][2]string
	add := func(name, value string) {
		if value != "" {
			list = append(list, [2]string{name, value})
		}
	}
	if !t.First.IsZero() {
		add("When", ui.Minute(zone.In(t.First))+" – "+ui.Minute(zone.In(t.Last))+" "+zone.String())
	}
	add("Models", strings.Join(t.Models, ", "))
	add("Prompts", ui.Thousands(t.Prompts))
	add("Answers", ui.Thousands(t.Answers))
	if t.FailedAnswers > 0 {
		add("Failed answers", ui.Thousands(t.FailedAnswers))
	}
	add("Tool calls", ui.Thousands(t.Calls))
	if t.ToolErrors > 0 {
		add("Tool errors", ui.Thousands(t.ToolErrors))
	}
	add("Tokens", t.TokenWords)
	add("Cost", t.CostWords)
	return list
}

// writePrompts writes the table of contents.
func (w *plainWriter) writePrompts() {
	c := &w.sv.columns
	if len(c.Prompts) < 2 {
		return
	}
	w.out.raw("<nav aria-label=\"Prompts\">\n<details><summary>Prompts</summary>\n<ol>\n")
	for i, entry := range c.Prompts {
		w.out.printf(`<li><a href="#%s">`, html.EscapeString(c.anchors[entry]))
		w.out.text(cmp.Or(c.Texts[i], "(no text)"))
		w.out.raw("</a></li>\n")
	}
	w.out.raw("</ol>\n</details>\n</nav>\n")
}

// speakers are the names of those who speak in a session.
var speakers = map[parts.Kind]string{
	parts.User: "You", parts.Assistant: "Assistant", parts.Result: "Tool result", parts.System: "System",
	parts.Custom: "Extension", parts.Call: "Shell",
}

func (w *plainWriter) writeEntry(e *parts.Entry) {
	kind := kindOf(e)
	class := string(kind)
	speaker, speaks := speakers[kind]
	if speaks = speaks && w.sv.columns.Flags[w.entry]&added == 0; !speaks {
		class = "marker"
	}
	w.out.raw(`<article class="row ` + class + `" id="` + html.EscapeString(w.sv.columns.anchors[w.entry]) + `">`)
	if speaks {
		w.out.raw("<header>")
		w.out.element("span", "who", speaker)
		w.out.element("span", "meta", strings.Join(w.metaOf(e), " · "))
		w.out.raw("</header>\n")
	}
	w.out.raw("<div class=\"body\">\n")
	for i := range e.Parts {
		w.writePart(e, &e.Parts[i])
		w.out.raw("\n")
	}
	w.out.raw("</div></article>\n")
}

// words is a kind as people write it.
func words(kind parts.Kind) string {
	text := strings.ReplaceAll(string(kind), "_", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// metaOf lists the facts of an entry: time, model, tokens, price, and whether it is on another branch.
func (w *plainWriter) metaOf(e *parts.Entry) []string {
	var list []string
	if !e.Time.IsZero() {
		list = append(list, w.zone.In(e.Time).Format(time.DateTime))
	}
	if e.Model != "" {
		list = append(list, e.Model)
	}
	if e.Harness != "" {
		list = append(list, "from "+e.Harness)
	}
	if e.HasUsage {
		u := e.Usage
		list = append(list, ui.Short(u.Input+u.CacheRead+u.CacheWrite)+" in, "+ui.Short(u.Output)+" out")
		if u.HasCost {
			list = append(list, ui.Dollars(u.Cost))
		}
	}
	if e.Role != "" && w.sv.columns.Flags[w.entry]&onPath == 0 {
		list = append(list, "on another branch")
	}
	return list
}

// writePart writes one part: prose as it is, everything else folded.
func (w *plainWriter) writePart(e *parts.Entry, p *parts.Part) {
	text := ""
	if p.Kind != parts.Image {
		text = p.Text()
	}
	switch {
	case p.Kind == parts.Image:
		w.writeImage(p)
	case p.Kind == parts.User || p.Kind == parts.Assistant || p.Kind == parts.Custom && !p.Hidden && !p.Added:
		w.out.writeProse(text)
	case p.Kind == parts.Damage:
		w.writeDamage(e, p, text)
	case p.Kind == parts.Failure:
		w.out.raw(`<div class="failure">`)
		w.writeFields(p)
		w.out.text(text)
		w.out.raw("</div>")
	case text == "" && len(p.Fields) == 0 && p.Kind != parts.Result:
		w.out.element("div", "fold mark", strings.Join(append([]string{words(p.Kind)}, w.metaOf(e)...), " · "))
	default:
		w.writeFold(p, text)
	}
}

// writeDamage writes which line is damaged, and what is left of it.
func (w *plainWriter) writeDamage(e *parts.Entry, p *parts.Part, text string) {
	w.out.raw(`<div class="failure">`)
	w.out.element("b", "what", "Damaged line "+ui.Thousands(e.Line))
	w.out.element("p", "text", parts.TextOf(p.Field("message")))
	w.out.element("pre", "text", text)
	w.out.raw("</div>")
}

func (w *plainWriter) writeFold(p *parts.Part, text string) {
	w.out.raw(`<details class="fold ` + string(p.Kind) + `"><summary><b>`)
	if p.Added {
		w.out.text("Added for the model")
	} else {
		w.out.text(words(p.Kind))
	}
	w.out.raw("</b>")
	peek := strings.TrimSpace(p.ToolName() + " " + firstLine(text))
	w.out.element("span", "peek", ui.CutEnd(peek, 120))
	w.out.raw("</summary><div class=\"inside\">")
	w.writeFields(p)
	w.out.element("pre", "code", text)
	w.out.raw("</div></details>")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// writeFields lists the further facts of a part.
func (w *plainWriter) writeFields(p *parts.Part) {
	if len(p.Fields) == 0 {
		return
	}
	w.out.raw(`<dl class="facts">`)
	for _, f := range p.Fields {
		w.out.element("dt", "name", strings.ReplaceAll(f.Name, "_", " "))
		w.out.element("dd", "text", parts.TextOf(f.Value))
	}
	w.out.raw("</dl>")
}

// writeImage writes an image into the page, if a browser shows it without running anything.
func (w *plainWriter) writeImage(p *parts.Part) {
	data, mime := imageData(p), p.ToolName()
	if _, err := base64.StdEncoding.DecodeString(data); err != nil || !isPicture(mime) {
		w.out.element("p", "empty", "An image that cannot be shown")
		return
	}
	w.out.raw(`<figure class="image"><img loading="lazy" alt="Image" src="data:` + mime + `;base64,` + data +
		`"></figure>`)
}

// isPicture reports whether a media type is that of a picture that cannot contain a program.
func isPicture(mime string) bool {
	return mime == "image/png" || mime == "image/jpeg" || mime == "image/gif" || mime == "image/webp"
}
