package page

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// ReportDimensions are the lists that a report needs of stats.
var ReportDimensions = []string{"day", "model", "agent", "tool"}

// ReportPairs are the cross tables that a report needs of stats.
var ReportPairs = [][2]string{{"day", "model"}, {"day", "agent"}, {"month", "model"}, {"month", "agent"}}

// A Report is a page with charts of what stats counts.
type Report struct {
	Title    string
	Stats    *stats.Report // with ReportDimensions and ReportPairs
	Activity *Activity
	Zone     calendar.Zone
	Masker   *redact.Masker // of the names of sessions, models, agents and tools
	// Page returns the title and the address of a session's page. nil: there are none.
	Page func(*source.Session) (title, address string)
	Home string // the address of the list of sessions, or ""
}

// WriteReport writes the page. Every chart has its numbers in a table behind it.
func WriteReport(w io.Writer, r *Report) error {
	out := bufio.NewWriter(w)
	p := &reportWriter{out: markup{out}, report: r}
	writeHead(out, reportPage, r.Title)
	p.writeTop()
	p.writeTotals()
	p.writeCalendar()
	p.writePeriods()
	p.writeGroups("Models", "model")
	p.writeGroups("Agents", "agent")
	p.writeTools()
	p.writeCache()
	p.writeSessions()
	p.writeFill()
	p.out.raw("<div id=\"status\" role=\"status\" class=\"offscreen\"></div>\n</main>\n")
	p.out.raw(reportPage.scriptElement() + "</body>\n</html>\n")
	return out.Flush()
}

type reportWriter struct {
	out    markup
	report *Report
}

// masked returns a name without secrets.
func (p *reportWriter) masked(name string) string { return p.report.Masker.Text(name) }

func (p *reportWriter) writeTop() {
	c := &p.report.Stats.Coverage
	words := ui.Count(p.report.Stats.Sessions, "session")
	if c.FirstDay != "" {
		words += ", " + c.FirstDay + " to " + c.LastDay
	}
	p.out.top(p.report.Title, words+". Days are those of "+p.report.Zone.String()+".", p.report.Home, "All sessions")
}

// section begins a part of the page.
func (p *reportWriter) section(title string) {
	p.out.raw("<section><h2>")
	p.out.text(title)
	p.out.raw("</h2>\n")
}

func (p *reportWriter) end() { p.out.raw("</section>\n") }

// costOf is the recorded cost, or 0 if it is not known.
func costOf(t *stats.TallyReport) float64 { return orZero(t.Recorded.CostUSD) }

// estimateOf is the estimated cost, or 0 if it is not known.
func estimateOf(t *stats.TallyReport) float64 {
	if t.Estimated == nil {
		return 0
	}
	return orZero(t.Estimated.CostUSD)
}

func orZero(usd *float64) float64 {
	if usd == nil {
		return 0
	}
	return *usd
}

func (p *reportWriter) writeTotals() {
	s := p.report.Stats
	p.out.raw(`<p class="totals">`)
	if s.Records == 0 {
		p.out.raw("No records in this period.</p>\n")
		return
	}
	words := []string{
		ui.Count(s.Messages, "message"), ui.Count(s.Turns, "turn"), ui.Count(s.ToolCalls, "tool call"),
	}
	if s.UsageKnown {
		words = append(words, ui.Thousands(s.Recorded.Total)+" tokens")
	}
	if s.CostKnown {
		words = append(words, ui.Dollars(costOf(&s.TallyReport))+" recorded")
	}
	if estimated := estimateOf(&s.TallyReport); estimated > 0 {
		words = append(words, ui.Dollars(estimated)+" estimated")
	}
	p.out.text(strings.Join(words, " · "))
	p.out.raw("</p>\n")
}

// writeCalendar draws the messages of every day, a block for each year.
func (p *reportWriter) writeCalendar() {
	days := p.report.Stats.By["day"]
	values, years, most := map[string]int64{}, map[int]bool{}, int64(0)
	t := numberTable{name: "messages by day", columns: []string{"Day", "Messages", "Turns", "Tool calls"}}
	busiest := ""
	for _, d := range days {
		values[d.Name] = d.Messages
		if at, err := time.Parse(time.DateOnly, d.Name); err == nil {
			years[at.Year()] = true
			if d.Messages > most {
				most, busiest = d.Messages, d.Name
			}
		}
		t.rows = append(t.rows, numberRow{name: d.Name,
			cells: []numberCell{count(d.Messages), count(d.Turns), count(d.ToolCalls)}})
	}
	if len(years) == 0 {
		return
	}
	s := p.report.Stats
	t.totals = []numberCell{total(count(s.Messages), "messages"), total(count(s.Turns), "turns"),
		total(count(s.ToolCalls), "tool_calls")}
	p.section("Activity")
	for _, year := range slices.Sorted(maps.Keys(years)) {
		alternative := fmt.Sprintf("Messages by day in %d. The busiest day of all is %s with %s.", year, busiest,
			ui.Count(most, "message"))
		p.out.raw(calendarOf(year, values, most, alternative))
	}
	p.table(&t)
	p.end()
}

// writeGroups draws the tokens of each group of a dimension.
func (p *reportWriter) writeGroups(title, dimension string) {
	groups := p.report.Stats.By[dimension]
	if len(groups) == 0 || !p.report.Stats.UsageKnown {
		return
	}
	t := numberTable{name: "by " + dimension,
		columns: []string{title, "Sessions", "Messages", "Tokens", "Recorded cost", "Estimated cost"}}
	var bars []bar
	for i := range groups {
		g := &groups[i]
		masked := p.masked(g.Name)
		if len(bars) < mostSessions && g.Recorded.Total > 0 {
			bars = append(bars, bar{name: masked, words: ui.Short(g.Recorded.Total), value: float64(g.Recorded.Total)})
		}
		t.rows = append(t.rows, numberRow{name: masked, cells: []numberCell{count(g.Sessions), count(g.Messages),
			count(g.Recorded.Total), dollars(costOf(&g.TallyReport)), dollars(estimateOf(&g.TallyReport))}})
	}
	s := &p.report.Stats.TallyReport
	messages := numberCell{} // those of people belong to no model
	if dimension == "agent" {
		messages = total(count(s.Messages), "messages")
	}
	t.totals = []numberCell{{}, messages, total(count(s.Recorded.Total), tokenMeasure.field),
		total(dollars(costOf(s)), recordedMeasure.field), total(dollars(estimateOf(s)), estimatedMeasure.field)}
	p.writeBars(title, "Tokens by "+dimension, bars, &t)
}

// writeBars writes a section of bars, with their numbers.
func (p *reportWriter) writeBars(title, about string, bars []bar, t *numberTable) {
	p.section(title)
	p.out.raw(horizontalBars(bars, about))
	p.table(t)
	p.end()
}

// writeTools draws the calls of each tool, and how many of them failed.
func (p *reportWriter) writeTools() {
	tools := slices.Clone(p.report.Stats.By["tool"])
	if len(tools) == 0 {
		return
	}
	slices.SortStableFunc(tools, func(a, b stats.GroupReport) int { return cmp.Compare(b.ToolCalls, a.ToolCalls) })
	t := numberTable{name: "calls by tool", columns: []string{"Tool", "Calls", "Errors"}}
	var bars []bar
	for i := range tools {
		g := &tools[i]
		name := p.masked(g.Name)
		if len(bars) < mostSessions {
			words := ui.Thousands(g.ToolCalls)
			if g.ToolErrors > 0 {
				words += ", " + ui.Count(g.ToolErrors, "error")
			}
			bars = append(bars, bar{name: name, words: words, value: float64(g.ToolCalls), part: float64(g.ToolErrors)})
		}
		t.rows = append(t.rows, numberRow{name: name, cells: []numberCell{count(g.ToolCalls), count(g.ToolErrors)}})
	}
	all := &p.report.Stats.TallyReport
	t.totals = []numberCell{total(count(all.ToolCalls), "tool_calls"), total(count(all.ToolErrors), "tool_errors")}
	p.writeBars("Tools", "Tool calls by tool", bars, &t)
}

// writeCache draws which part of the tokens came from the cache.
func (p *reportWriter) writeCache() {
	u := p.report.Stats.Recorded
	sum := u.Input + u.CacheRead + u.CacheWrite + u.Output
	if !p.report.Stats.UsageKnown || sum == 0 {
		return
	}
	t := numberTable{name: "tokens by kind", columns: []string{"Tokens", "Number", "Share"}}
	var bars []bar
	for _, part := range []struct {
		name, field string
		n           int64
	}{
		{"sent, not cached", "recorded.input", u.Input}, {"read from the cache", "recorded.cache_read", u.CacheRead},
		{"written to the cache", "recorded.cache_write", u.CacheWrite}, {"received", "recorded.output", u.Output},
	} {
		share := float64(part.n) / float64(sum)
		words := ui.Percent(share)
		bars = append(bars, bar{name: part.name, words: words, value: float64(part.n)})
		t.rows = append(t.rows, numberRow{name: part.name, cells: []numberCell{
			total(count(part.n), part.field), {words: words, value: math.Round(share*1e4) / 1e4}}})
	}
	p.writeBars("Cache", "Tokens by kind", bars, &t)
}

// nameOf returns the title of a session, and the address of its page.
func (p *reportWriter) nameOf(s *source.Session) (name, address string) {
	if p.report.Page != nil {
		if name, address = p.report.Page(s); address != "" {
			return name, address
		}
	}
	return p.masked(s.Name()), ""
}

// writeSessions draws the largest sessions.
func (p *reportWriter) writeSessions() {
	if len(p.report.Activity.sessions) == 0 || !p.report.Stats.UsageKnown {
		return
	}
	t := numberTable{name: "largest sessions",
		columns: []string{"Session", "Messages", "Tokens", "Recorded cost", "Estimated cost"}}
	var bars []bar
	for i := range p.report.Activity.sessions {
		s := &p.report.Activity.sessions[i]
		name, address := p.nameOf(s.session)
		tokens := s.total.Recorded.Total
		bars = append(bars, bar{name: name, address: address, words: ui.Short(tokens), value: float64(tokens)})
		t.rows = append(t.rows, numberRow{name, address, []numberCell{count(s.total.Messages), count(tokens),
			dollars(s.total.Recorded.Cost), dollars(s.total.Estimated)}})
	}
	p.writeBars("Largest sessions", "Sessions by tokens", bars, &t)
}

// mostFills is how many sessions are drawn with the size of their contexts.
const mostFills = 5

// writeFill draws how the contexts of the largest sessions grew.
func (p *reportWriter) writeFill() {
	drawn := 0
	for i := range p.report.Activity.sessions {
		s := &p.report.Activity.sessions[i]
		if len(s.fill.points) < 2 || drawn == mostFills {
			continue
		}
		if drawn == 0 {
			p.section("Context")
		}
		drawn++
		p.writeSessionFill(s)
	}
	if drawn > 0 {
		p.end()
	}
}

// writeSessionFill draws one session.
func (p *reportWriter) writeSessionFill(s *sessionActivity) {
	name, _ := p.nameOf(s.session)
	p.out.element("h3", "", name)
	most := ui.Short(s.most) + " tokens"
	if s.window > 0 {
		most += fmt.Sprintf(", %s of the window of %s", ui.Percent(float64(s.most)/float64(s.window)), ui.Short(s.window))
	}
	words := fmt.Sprintf("Size of the context of %s at each answer, up to %s, with %s.", name, most,
		ui.Count(len(s.fill.marks), "compaction"))
	drawn := plot{alternative: words, most: most, ends: []string{"first answer", "last answer"},
		picture: fillLine(&s.fill, max(1, s.most))}
	p.out.raw(drawn.html())
	t := numberTable{name: "context of " + name, columns: []string{"Answers", "Tokens sent"}}
	for i, size := range s.fill.points {
		from := i*s.fill.step + 1
		label := ui.Thousands(int64(from))
		if slices.Contains(s.fill.marks, i) {
			label += " (after a compaction)"
		}
		t.rows = append(t.rows, numberRow{name: label, cells: []numberCell{count(size)}})
	}
	p.table(&t)
}
