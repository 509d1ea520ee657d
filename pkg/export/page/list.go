package page

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/ui"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// A ListedSession is a row of the list of sessions.
type ListedSession struct {
	Totals
	Address  string // of its page, relative to the list and escaped for a URL
	Name     string // its key or id
	Agent    string
	Kind     source.Kind
	Bytes    int64  // of its transcript
	Original string // the address of the session that this one is a copy of, or ""
	// The pieces of text in the index of words that are from this session: from First up to End.
	FirstPiece, EndPiece int
}

// A List is the first page of a site. It lists the sessions that have pages. It can be sorted and filtered, and without
// a script it is still a table with links.
type List struct {
	Title    string
	Sessions []ListedSession
	Total    *stats.Tally  // what the sessions add up to, with every record counted once
	Zone     calendar.Zone // of times and months
	Report   string        // the address of the report, or ""
	Words    *Words        // the index of words, or nil if there is none
}

// Write writes the list.
func (list *List) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	l := &listWriter{out: markup{out}, zone: list.Zone}
	writeHead(out, listPage, list.Title)
	l.writeTop(list)
	l.writeControls(list)
	l.out.raw(`<div class="scroll" tabindex="0" role="region" aria-label="Sessions"><table class="sessions"><thead><tr>`)
	for _, c := range listColumns {
		fmt.Fprintf(out, `<th scope="col" class="%s">%s</th>`, c.class, c.name)
	}
	l.out.raw("</tr></thead>\n<tbody id=\"rows\">\n")
	titles := titlesOf(list.Sessions)
	for _, s := range newestFirst(list.Sessions) {
		l.writeRow(&s, titles[s.Original])
	}
	l.out.raw("</tbody></table></div>\n<p id=\"nothing\" hidden>No session matches.</p>\n" +
		"<button type=\"button\" id=\"more\" class=\"more\" hidden></button>\n" +
		"<div id=\"status\" role=\"status\" class=\"offscreen\"></div>\n</main>\n")
	if list.Words != nil {
		if err := l.writeManifest(&list.Words.manifest); err != nil {
			return err
		}
	}
	l.out.raw(listPage.scriptElement() + "</body>\n</html>\n")
	return out.Flush()
}

// writeManifest writes what the search has to know before it loads anything.
func (l *listWriter) writeManifest(m *manifest) error {
	content, err := json.Marshal(m) // which escapes what could end the element
	if err != nil {
		return err
	}
	data(l.out.w, "application/json", "words", content)
	return nil
}

// titlesOf returns the titles of sessions by the addresses of their pages.
func titlesOf(sessions []ListedSession) map[string]string {
	titles := map[string]string{}
	for i := range sessions {
		titles[sessions[i].Address] = sessions[i].Title
	}
	return titles
}

// newestFirst is the order of the list before anybody sorts it.
func newestFirst(sessions []ListedSession) []ListedSession {
	return slices.SortedStableFunc(slices.Values(sessions), func(a, b ListedSession) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.Name, b.Name))
	})
}

var listColumns = []struct{ name, class string }{
	{"Session", ""}, {"Agent", ""}, {"Last message", ""}, {"Prompts", "number"}, {"Tool calls", "number minor"},
	{"Tokens", "number minor"}, {"Cost", "number"}, {"Size", "number minor"},
}

type listWriter struct {
	out  markup
	zone calendar.Zone
}

func (l *listWriter) writeTop(list *List) {
	words := ui.Count(len(list.Sessions), "session")
	if list.Total.CostKnown() {
		words += ", " + ui.Dollars(list.Total.Recorded.Cost)
	}
	l.out.top(list.Title, words+". Times are those of "+l.zone.String()+".", list.Report, "Report with charts")
}

// top writes the title of a page, what it is about, and a link to another page if that has an address.
func (m markup) top(title, words, address, other string) {
	m.raw(`<main><div class="top"><div><h1>`)
	m.text(title)
	m.raw("</h1><p>")
	m.text(words)
	if address != "" {
		m.printf(` <a href="%s">%s</a>`, html.EscapeString(address), other)
	}
	m.raw("</p></div>" + themeButton + "</div>\n")
}

// themeButton switches between light and dark. It is hidden until the script runs.
const themeButton = `<button type="button" id="theme" class="square" aria-label="Switch between light and dark" ` +
	`hidden><svg viewBox="0 0 16 16" class="icon" aria-hidden="true"><circle cx="8" cy="8" r="5.5"/>` +
	`<path class="solid" d="M8 2.5a5.5 5.5 0 010 11z"/></svg></button>`

// writeControls writes the search and the filters, which are hidden until the script runs.
func (l *listWriter) writeControls(list *List) {
	var kinds, agents, months []string
	for _, s := range list.Sessions {
		kinds = append(kinds, string(s.Kind))
		agents = append(agents, s.Agent)
		months = append(months, l.monthOf(s.Last))
	}
	label := "Filter sessions"
	if list.Words != nil {
		label = "Search sessions and messages"
	}
	l.out.printf(`<div class="controls" id="controls" role="search" hidden><input type="search" id="filter" `+
		`placeholder="%s" aria-label="%[1]s" aria-describedby="found" autocomplete="off" spellcheck="false">`, label)
	l.writeSelect("kind", "All kinds", kinds)
	l.writeSelect("agent", "All agents", agents)
	l.writeSelect("month", "All months", months)
	l.out.raw("<span id=\"found\"></span></div>\n")
}

func (l *listWriter) monthOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return calendar.NewDays(l.zone).Of(t).Month
}

func (l *listWriter) writeSelect(id, all string, values []string) {
	l.out.printf(`<select id="%s" aria-label="%s"><option value="">%s</option>`, id, words(parts.Kind(id)), all)
	slices.Sort(values)
	for _, v := range slices.Compact(values) {
		if v != "" {
			l.out.printf(`<option>%s</option>`, html.EscapeString(v))
		}
	}
	l.out.raw("</select>")
}

// writeRow writes a session. What a column is sorted by is in data-sort, if it differs from the text. original is the
// title of the session that this one is a copy of.
func (l *listWriter) writeRow(s *ListedSession, original string) {
	l.out.printf(`<tr data-kind="%s" data-agent="%s" data-month="%s" data-pieces="%d %d"`, s.Kind,
		html.EscapeString(s.Agent), l.monthOf(s.Last), s.FirstPiece, s.EndPiece)
	if s.Original != "" {
		l.out.printf(` class="copy" data-original="%s"`, html.EscapeString(s.Original))
	}
	l.out.printf(`><td><a href="%s">%s</a>`, html.EscapeString(s.Address), html.EscapeString(s.Title))
	if facts := s.nameAndKind(original); facts != "" {
		l.out.element("small", "name", facts)
	}
	l.out.raw("</td>")
	l.out.element("td", "", s.Agent)
	last := ""
	if !s.Last.IsZero() {
		last = ui.Minute(l.zone.In(s.Last))
	}
	tokens := ""
	if s.UsageKnown {
		tokens = ui.Short(s.Tokens)
	}
	l.cell(2, last, s.Last.UnixMilli())
	l.cell(3, ui.Thousands(s.Prompts), s.Prompts)
	l.cell(4, ui.Thousands(s.Calls), s.Calls)
	l.cell(5, tokens, s.Tokens)
	l.cell(6, s.CostWords, int64(s.Cost*1e6))
	l.cell(7, ui.Bytes(s.Bytes), s.Bytes)
	l.out.raw("</tr>\n")
}

// nameAndKind is what a row says below its title: its name, its kind unless it is live, and what it is a copy of.
func (s *ListedSession) nameAndKind(original string) string {
	var facts []string
	if s.Name != s.Title {
		facts = append(facts, s.Name)
	}
	if s.Kind != source.Live && s.Kind != "" {
		facts = append(facts, string(s.Kind))
	}
	if s.Original != "" {
		facts = append(facts, "copy of "+original)
	}
	return strings.Join(facts, " · ")
}

// cell writes the cell of a column. A narrow screen has no columns, so the cell knows the name of its own.
func (l *listWriter) cell(column int, text string, order int64) {
	c := listColumns[column]
	l.out.printf(`<td class="%s" data-sort="%d"`, c.class, order)
	if text != "" {
		l.out.printf(` data-label="%s"`, c.name)
	}
	l.out.raw(">")
	l.out.text(text)
	l.out.raw("</td>")
}
