package page

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/ui"
	"clawctl/pkg/parts"
	"clawctl/pkg/redact"
	"clawctl/pkg/stats"
)

// A ListedSession is a row of the list of sessions.
type ListedSession struct {
	Totals
	Address string // of its page, relative to the list and escaped for a URL
	Name    string // its key or id
	Agent   string
	Bytes   int64 // of its transcript
}

// WriteIndex writes the list of the sessions that have pages. It can be sorted and filtered, and without a script it is
// still a table with links. total is what the sessions add up to, with every record counted once. Times and months are
// those of a zone.
func WriteIndex(
	w io.Writer, title string, sessions []ListedSession, total *stats.Tally, zone calendar.Zone,
) error {
	out := bufio.NewWriter(w)
	l := &listWriter{plainWriter{out: out, m: &redact.Masker{}, zone: zone}}
	writeHead(out, listPage, title)
	l.writeTop(title, len(sessions), total)
	l.writeControls(sessions)
	l.raw(`<div class="scroll" tabindex="0" role="region" aria-label="Sessions"><table class="sessions"><thead><tr>`)
	for _, c := range listColumns {
		fmt.Fprintf(out, `<th scope="col" class="%s">%s</th>`, c.class, c.name)
	}
	l.raw("</tr></thead>\n<tbody id=\"rows\">\n")
	for _, s := range newestFirst(sessions) {
		l.writeRow(&s)
	}
	l.raw("</tbody></table></div>\n<p id=\"nothing\" hidden>No session matches.</p>\n" +
		"<div id=\"status\" role=\"status\" class=\"offscreen\"></div>\n</main>\n")
	l.raw(listPage.scriptElement() + "</body>\n</html>\n")
	return out.Flush()
}

// newestFirst is the order of the list before anybody sorts it.
func newestFirst(sessions []ListedSession) []ListedSession {
	return slices.SortedStableFunc(slices.Values(sessions), func(a, b ListedSession) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.Name, b.Name))
	})
}

// listColumns are the columns of the list.
var listColumns = []struct{ name, class string }{
	{"Session", ""}, {"Agent", ""}, {"Last message", ""}, {"Prompts", "number"}, {"Tool calls", "number minor"},
	{"Tokens", "number minor"}, {"Cost", "number"}, {"Size", "number minor"},
}

type listWriter struct{ plainWriter }

func (l *listWriter) writeTop(title string, sessions int, total *stats.Tally) {
	l.raw(`<main><div class="top"><div><h1>`)
	l.text(title)
	l.raw("</h1><p>")
	l.text(ui.Count(sessions, "session"))
	if total.CostKnown() {
		l.text(", " + ui.Dollars(total.Recorded.Cost))
	}
	l.text(". Times are those of " + l.zone.String() + ".")
	l.raw(`</p></div><button type="button" id="theme" class="square" aria-label="Switch between light and dark" hidden>` +
		`<svg viewBox="0 0 16 16" class="icon" aria-hidden="true"><circle cx="8" cy="8" r="5.5"/>` +
		`<path class="solid" d="M8 2.5a5.5 5.5 0 010 11z"/></svg></button></div>` + "\n")
}

// writeControls writes the filters, which are hidden until the script runs.
func (l *listWriter) writeControls(sessions []ListedSession) {
	var agents, months []string
	for i := range sessions {
		agents = append(agents, sessions[i].Agent)
		months = append(months, l.monthOf(sessions[i].Last))
	}
	l.raw(`<div class="controls" id="controls" hidden><input type="search" id="filter" placeholder="Filter" ` +
		`aria-label="Filter sessions" autocomplete="off">`)
	l.writeSelect("agent", "All agents", agents)
	l.writeSelect("month", "All months", months)
	l.raw("</div>\n")
}

func (l *listWriter) monthOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return calendar.NewDays(l.zone).Of(t).Month
}

func (l *listWriter) writeSelect(id, all string, values []string) {
	fmt.Fprintf(l.out, `<select id="%s" aria-label="%s"><option value="">%s</option>`, id, words(parts.Kind(id)), all)
	slices.Sort(values)
	for _, v := range slices.Compact(values) {
		if v != "" {
			fmt.Fprintf(l.out, `<option>%s</option>`, html.EscapeString(v))
		}
	}
	l.raw("</select>")
}

// writeRow writes a session. What a column is sorted by is in data-sort, if it differs from the text.
func (l *listWriter) writeRow(s *ListedSession) {
	fmt.Fprintf(l.out, `<tr data-agent="%s" data-month="%s"><td>`, html.EscapeString(s.Agent), l.monthOf(s.Last))
	fmt.Fprintf(l.out, `<a href="%s">%s</a>`, html.EscapeString(s.Address), html.EscapeString(s.Title))
	if s.Name != s.Title {
		l.element("small", "name", s.Name)
	}
	l.raw("</td>")
	l.element("td", "", s.Agent)
	last := ""
	if !s.Last.IsZero() {
		last = ui.Minute(l.zone.In(s.Last))
	}
	l.cell("", last, s.Last.UnixMilli())
	l.cell("number", ui.Thousands(s.Prompts), s.Prompts)
	l.cell("number minor", ui.Thousands(s.Calls), s.Calls)
	tokens := ""
	if s.UsageKnown {
		tokens = ui.Short(s.Tokens)
	}
	l.cell("number minor", tokens, s.Tokens)
	l.cell("number", s.CostWords, int64(s.Cost*1e6))
	l.cell("number minor", ui.Bytes(s.Bytes), s.Bytes)
	l.raw("</tr>\n")
}

func (l *listWriter) cell(class, text string, order int64) {
	l.raw(`<td class="` + class + `" data-sort="` + strconv.FormatInt(order, 10) + `">`)
	l.text(text)
	l.raw("</td>")
}
