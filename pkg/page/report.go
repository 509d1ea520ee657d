package page

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/ui"
	"clawctl/pkg/redact"
	"clawctl/pkg/source"
	"clawctl/pkg/stats"
)

// ReportDimensions are the lists that a report needs of stats.
var ReportDimensions = []string{"day", "model", "agent", "tool"}

// A Report is a page with charts of what stats counts.
type Report struct {
	Title    string
	Stats    *stats.Report // with ReportDimensions
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
	p := &reportWriter{plainWriter{out: out, m: r.Masker, zone: r.Zone}, r}
	writeHead(out, reportPage, r.Title)
	p.writeTop()
	p.writeTotals()
	p.writeCalendar()
	p.writeDays()
	p.writeGroups("Agents", "agent", "By agent")
	p.writeTools()
	p.writeCache()
	p.writeSessions()
	p.writeFill()
	p.raw("<div id=\"status\" role=\"status\" class=\"offscreen\"></div>\n</main>\n")
	p.raw(reportPage.scriptElement() + "</body>\n</html>\n")
	return out.Flush()
}

type reportWriter struct {
	plainWriter
	*Report
}

// masked returns a name without secrets.
func (p *reportWriter) masked(name string) string { return p.Masker.Text(name) }

func (p *reportWriter) writeTop() {
	p.raw(`<main><div class="top"><div><h1>`)
	p.text(p.Title)
	p.raw("</h1><p>")
	c := &p.Stats.Coverage
	text := ui.Count(p.Stats.Sessions, "session")
	if c.FirstDay != "" {
		text += ", " + c.FirstDay + " to " + c.LastDay
	}
	p.text(text + ". Days are those of " + p.Zone.String() + ".")
	if p.Home != "" {
		fmt.Fprintf(p.out, ` <a href="%s">All sessions</a>`, html.EscapeString(p.Home))
	}
	p.raw("</p></div>" + themeButton + "</div>\n")
}

// A numberCell has the words for a number, and the number.
type numberCell struct {
	words string
	value float64
	field string // of stats --json, that the cells of a column add up to; only in the last row
}

func count(n int64) numberCell { return numberCell{words: ui.Thousands(n), value: float64(n)} }

func dollars(usd float64) numberCell { return numberCell{words: ui.Dollars(usd), value: usd} }

// A numberTable has one name and several numbers in each row.
type numberTable struct {
	name    string
	columns []string
	rows    []numberRow
	totals  []numberCell
}

type numberRow struct {
	name, address string
	cells         []numberCell
}

// table writes a table that a line opens.
func (p *reportWriter) table(t *numberTable) {
	fmt.Fprintf(p.out, `<details><summary>The numbers: %s</summary><div class="scroll" tabindex="0" role="region" `+
		`aria-label="%s"><table class="sessions"><thead><tr>`, html.EscapeString(t.name), html.EscapeString(t.name))
	for i, column := range t.columns {
		class := ` class="number"`
		if i == 0 {
			class = ""
		}
		fmt.Fprintf(p.out, `<th scope="col"%s>%s</th>`, class, html.EscapeString(column))
	}
	p.raw("</tr></thead>\n<tbody>\n")
	for _, row := range t.rows {
		p.raw("<tr><td>")
		if row.address != "" {
			fmt.Fprintf(p.out, `<a href="%s">%s</a>`, html.EscapeString(row.address), html.EscapeString(row.name))
		} else {
			p.text(row.name)
		}
		p.raw("</td>")
		p.cells(row.cells)
		p.raw("</tr>\n")
	}
	p.raw("</tbody>")
	if t.totals != nil {
		p.raw("<tfoot><tr><td>Total</td>")
		p.cells(t.totals)
		p.raw("</tr></tfoot>")
	}
	p.raw("</table></div></details>\n")
}

func (p *reportWriter) cells(cells []numberCell) {
	for _, c := range cells {
		p.raw(`<td class="number" data-value="` + strconv.FormatFloat(c.value, 'f', -1, 64) + `"`)
		if c.field != "" {
			p.raw(` data-field="` + c.field + `"`)
		}
		p.raw(">")
		p.text(c.words)
		p.raw("</td>")
	}
}

// total returns a cell with the total of a column.
func total(c numberCell, field string) numberCell {
	c.field = field
	return c
}

// section begins a part of the page.
func (p *reportWriter) section(title string) {
	p.raw("<section><h2>")
	p.text(title)
	p.raw("</h2>\n")
}

func (p *reportWriter) end() { p.raw("</section>\n") }

// chart writes a chart that may be wider than the screen.
func (p *reportWriter) chart(name, svg string) {
	fmt.Fprintf(p.out, `<div class="scroll" tabindex="0" role="region" aria-label="%s, chart">`, html.EscapeString(name))
	p.raw(svg)
	p.raw("</div>\n")
}

// legend names the colours.
func (p *reportWriter) legend(list []series) {
	p.raw(`<ul class="legend">`)
	for i, s := range list {
		fmt.Fprintf(p.out, `<li><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="s%d" width="1" height="1"/></svg>`, i)
		p.raw(html.EscapeString(s.name) + "</li>")
	}
	p.raw("</ul>\n")
}

// costOf is the recorded cost, or 0 if it is not known.
func costOf(t *stats.TallyReport) float64 {
	if t.Recorded.CostUSD == nil {
		return 0
	}
	return *t.Recorded.CostUSD
}

func (p *reportWriter) writeTotals() {
	s := p.Stats
	p.raw(`<p class="totals">`)
	words := []string{
		ui.Count(s.Messages, "message"), ui.Count(s.Turns, "turn"), ui.Count(s.ToolCalls, "tool call"),
	}
	if s.UsageKnown {
		words = append(words, ui.Thousands(s.Recorded.Total)+" tokens")
	}
	if s.CostKnown {
		words = append(words, ui.Dollars(costOf(&s.TallyReport)))
	}
	p.text(strings.Join(words, " · "))
	p.raw("</p>\n")
}

// writeCalendar draws the messages of every day, a block for each year.
func (p *reportWriter) writeCalendar() {
	days := p.Stats.By["day"]
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
	s := p.Stats
	t.totals = []numberCell{total(count(s.Messages), "messages"), total(count(s.Turns), "turns"),
		total(count(s.ToolCalls), "tool_calls")}
	p.section("Activity")
	for _, year := range slices.Sorted(maps.Keys(years)) {
		alternative := fmt.Sprintf("Messages by day in %d. The busiest day of all is %s with %s.", year, busiest,
			ui.Count(most, "message"))
		p.chart("Activity "+strconv.Itoa(year), calendarOf(year, values, most, alternative))
	}
	p.table(&t)
	p.end()
}

// mostSeries is how many models have a colour of their own. The others share one.
const mostSeries = 6

// mostBars is how many days are drawn. More than that are drawn as months.
const mostBars = 400

// writeDays draws tokens and cost by day, stacked by model.
func (p *reportWriter) writeDays() {
	if !p.Stats.UsageKnown {
		return
	}
	byPeriod, unit := p.periods()
	names := slices.Sorted(maps.Keys(byPeriod))
	models := p.largestModels()
	tokens := func(a amount) float64 { return float64(a.tokens) }
	p.section("Tokens by " + unit)
	p.stack(names, byPeriod, models, tokens, func(v float64) string { return ui.Short(int64(v)) + " tokens" },
		"Tokens by "+unit+", stacked by model")
	p.periodTable(names, byPeriod, models, "tokens by "+unit+" and model", func(a amount) numberCell {
		return count(a.tokens)
	}, total(count(p.Stats.Recorded.Total), "recorded.total"))
	p.end()
	if costOf(&p.Stats.TallyReport) == 0 {
		return
	}
	cost := func(a amount) float64 { return a.cost }
	p.section("Cost by " + unit)
	p.stack(names, byPeriod, models, cost, ui.Dollars, "Recorded cost by "+unit+", stacked by model")
	p.periodTable(names, byPeriod, models, "cost by "+unit+" and model", func(a amount) numberCell {
		return dollars(a.cost)
	}, total(dollars(costOf(&p.Stats.TallyReport)), "recorded.cost_usd"))
	p.end()
}

// periods returns the usage by day, with the days between that have none, or by month if there are too many days.
func (p *reportWriter) periods() (byPeriod map[string]map[string]amount, unit string) {
	days := slices.Sorted(maps.Keys(p.Activity.byDay))
	var dated []time.Time
	for _, name := range days {
		if at, err := time.Parse(time.DateOnly, name); err == nil {
			dated = append(dated, at)
		}
	}
	byPeriod, unit = map[string]map[string]amount{}, "day"
	if n := len(dated); n > 0 && dated[n-1].Sub(dated[0]).Hours()/24 >= mostBars {
		unit = "month"
	} else if n > 0 {
		for at := dated[0]; !at.After(dated[n-1]); at = at.AddDate(0, 0, 1) {
			byPeriod[at.Format(time.DateOnly)] = map[string]amount{}
		}
	}
	for name, models := range p.Activity.byDay {
		if unit == "month" && len(name) == len(time.DateOnly) {
			name = name[:len("2006-01")]
		}
		if byPeriod[name] == nil {
			byPeriod[name] = map[string]amount{}
		}
		for model, a := range models {
			sum := byPeriod[name][model]
			byPeriod[name][model] = amount{sum.tokens + a.tokens, sum.cost + a.cost}
		}
	}
	return byPeriod, unit
}

// largestModels returns the models that have a colour of their own, the largest first.
func (p *reportWriter) largestModels() []string {
	sums := map[string]int64{}
	for _, models := range p.Activity.byDay {
		for model, a := range models {
			sums[model] += a.tokens
		}
	}
	models := slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b))
	})
	return models[:min(len(models), mostSeries)]
}

// amountsOf returns the amounts of the models with a colour, and at the end that of all others.
func amountsOf(all map[string]amount, models []string) []amount {
	list := make([]amount, len(models)+1)
	for model, a := range all {
		at := slices.Index(models, model)
		if at < 0 {
			at = len(models)
		}
		list[at] = amount{list[at].tokens + a.tokens, list[at].cost + a.cost}
	}
	return list
}

// modelNames are the names of the series.
func (p *reportWriter) modelNames(models []string) []string {
	names := make([]string, 0, len(models)+1)
	for _, model := range models {
		names = append(names, p.masked(cmp.Or(model, "no model named")))
	}
	return append(names, "others")
}

// stack draws periods, stacked by model.
func (p *reportWriter) stack(
	names []string, byPeriod map[string]map[string]amount, models []string, value func(amount) float64,
	format func(float64) string, title string,
) {
	list := make([]series, len(models)+1)
	for i, name := range p.modelNames(models) {
		list[i] = series{name, make([]float64, len(names))}
	}
	most, best, others := 0.0, "", 0.0
	for i, name := range names {
		sum := 0.0
		for at, a := range amountsOf(byPeriod[name], models) {
			list[at].values[i] = value(a)
			sum += value(a)
			if at == len(models) {
				others += value(a)
			}
		}
		if sum > most {
			most, best = sum, name
		}
	}
	if others == 0 {
		list = list[:len(models)]
	}
	p.chart(title, stackedBars(names, list, format, fmt.Sprintf("%s. The most is %s on %s.", title, format(most), best)))
	p.legend(list)
}

// periodTable writes the numbers behind a stack.
func (p *reportWriter) periodTable(
	names []string, byPeriod map[string]map[string]amount, models []string, title string,
	cell func(amount) numberCell, sum numberCell,
) {
	t := numberTable{name: title, columns: append([]string{"Period"}, p.modelNames(models)...)}
	t.columns = append(t.columns, "All")
	totals := make([]amount, len(models)+1)
	for _, name := range names {
		row, all := numberRow{name: name}, amount{}
		for at, a := range amountsOf(byPeriod[name], models) {
			row.cells = append(row.cells, cell(a))
			all = amount{all.tokens + a.tokens, all.cost + a.cost}
			totals[at] = amount{totals[at].tokens + a.tokens, totals[at].cost + a.cost}
		}
		if all != (amount{}) {
			row.cells = append(row.cells, cell(all))
			t.rows = append(t.rows, row)
		}
	}
	for _, a := range totals {
		t.totals = append(t.totals, cell(a))
	}
	t.totals = append(t.totals, sum)
	p.table(&t)
}

// writeGroups draws the tokens of each group of a dimension.
func (p *reportWriter) writeGroups(title, dimension, name string) {
	groups := p.Stats.By[dimension]
	if len(groups) == 0 || !p.Stats.UsageKnown {
		return
	}
	t := numberTable{name: strings.ToLower(name), columns: []string{title, "Sessions", "Messages", "Tokens", "Cost"}}
	var bars []bar
	for i := range groups {
		g := &groups[i]
		masked := p.masked(g.Name)
		if len(bars) < mostSessions {
			bars = append(bars, bar{name: masked, words: ui.Short(g.Recorded.Total), value: float64(g.Recorded.Total)})
		}
		t.rows = append(t.rows, numberRow{name: masked, cells: []numberCell{
			count(g.Sessions), count(g.Messages), count(g.Recorded.Total), dollars(costOf(&g.TallyReport))}})
	}
	s := p.Stats
	t.totals = []numberCell{count(s.Sessions), total(count(s.Messages), "messages"),
		total(count(s.Recorded.Total), "recorded.total"), total(dollars(costOf(&s.TallyReport)), "recorded.cost_usd")}
	p.section(title)
	p.chart(title, horizontalBars(bars, "Tokens by "+dimension+"."))
	p.table(&t)
	p.end()
}

// writeTools draws the calls of each tool, and how many of them failed.
func (p *reportWriter) writeTools() {
	tools := slices.Clone(p.Stats.By["tool"])
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
	t.totals = []numberCell{total(count(p.Stats.ToolCalls), "tool_calls"), total(count(p.Stats.ToolErrors), "tool_errors")}
	p.section("Tools")
	p.chart("Tools", horizontalBars(bars, "Tool calls by tool, with errors. The most are of "+bars[0].name+"."))
	p.table(&t)
	p.end()
}

// writeCache draws which part of the tokens came from the cache.
func (p *reportWriter) writeCache() {
	u := p.Stats.Recorded
	sum := u.Input + u.CacheRead + u.CacheWrite + u.Output
	if !p.Stats.UsageKnown || sum == 0 {
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
	p.section("Cache")
	p.chart("Cache", horizontalBars(bars, "Tokens by kind. "+bars[1].words+" were read from the cache."))
	p.table(&t)
	p.end()
}

// nameOf returns the title of a session, and the address of its page.
func (p *reportWriter) nameOf(s *source.Session) (name, address string) {
	if p.Page != nil {
		if name, address = p.Page(s); address != "" {
			return name, address
		}
	}
	return p.masked(s.Name()), ""
}

// writeSessions draws the largest sessions.
func (p *reportWriter) writeSessions() {
	if len(p.Activity.sessions) == 0 || !p.Stats.UsageKnown {
		return
	}
	t := numberTable{name: "largest sessions", columns: []string{"Session", "Messages", "Tokens", "Cost"}}
	var bars []bar
	for i := range p.Activity.sessions {
		s := &p.Activity.sessions[i]
		name, address := p.nameOf(s.session)
		tokens := s.total.Recorded.Total
		bars = append(bars, bar{name: name, address: address, words: ui.Short(tokens), value: float64(tokens)})
		t.rows = append(t.rows, numberRow{name, address, []numberCell{count(s.total.Messages), count(tokens),
			dollars(s.total.Recorded.Cost)}})
	}
	p.section("Largest sessions")
	p.chart("Largest sessions", horizontalBars(bars, "Sessions by tokens. The largest is "+bars[0].name+"."))
	p.table(&t)
	p.end()
}

// mostFills is how many sessions are drawn with the size of their contexts.
const mostFills = 5

// writeFill draws how the contexts of the largest sessions grew.
func (p *reportWriter) writeFill() {
	drawn := 0
	for i := range p.Activity.sessions {
		s := &p.Activity.sessions[i]
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
	p.element("h3", "", name)
	most := slices.Max(s.fill.points)
	words := fmt.Sprintf("Size of the context of %s at each answer, up to %s tokens, with %s.", name, ui.Thousands(most),
		ui.Count(len(s.fill.marks), "compaction"))
	p.chart("Context of "+name, fillLine(&s.fill, words))
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
