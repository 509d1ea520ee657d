package page

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"clawctl/internal/ui"
	"clawctl/pkg/report/stats"
)

// A measure is a number of stats that is drawn for every period.
type measure struct {
	id, title string
	field     string // of stats --json
	value     func(*stats.TallyReport) float64
	cell      func(float64) numberCell
	format    func(float64) string
	about     func(*stats.TallyReport) string // what it covers, or ""
}

var (
	tokenMeasure = measure{"tokens", "Tokens", "recorded.total",
		func(t *stats.TallyReport) float64 { return float64(t.Recorded.Total) },
		func(v float64) numberCell { return count(int64(v)) },
		func(v float64) string { return ui.Short(int64(v)) + " tokens" },
		func(*stats.TallyReport) string { return "" }}
	estimatedMeasure = measure{"estimated", "Estimated cost", "estimated.cost_usd", estimateOf, dollars, ui.Dollars,
		aboutEstimate}
	recordedMeasure = measure{"recorded", "Recorded cost", "recorded.cost_usd", costOf, dollars, ui.Dollars, aboutCost}
)

// aboutEstimate says what the estimated cost is, and how many of the answers have one.
func aboutEstimate(t *stats.TallyReport) string {
	words := "The recorded price of an answer if it is above $0, or else its list price."
	if e := t.Estimated; e != nil && e.Share != nil && *e.Share < 1 {
		words += fmt.Sprintf(" %s of the answers with tokens have one.", ui.Percent(*e.Share))
	}
	return words
}

// aboutCost says how many of the answers have a recorded price.
func aboutCost(t *stats.TallyReport) string {
	return fmt.Sprintf("What was recorded with the answers: %s above $0, %s at $0, %s without a price.",
		ui.Thousands(t.Prices.Recorded), ui.Thousands(t.Prices.Zero), ui.Thousands(t.Prices.Missing))
}

// stackDimensions are what bars are stacked by.
var stackDimensions = []string{"model", "agent"}

// mostSeries is how many models or agents have a colour of their own. The others share one.
const mostSeries = 6

// mostBars is how many days are drawn. More than that are drawn as months.
const mostBars = 400

// writePeriods draws tokens and cost by day, stacked by model or agent. All pictures are in the page, and the style of
// the page shows the one that was chosen, so that nothing needs a script.
func (p *reportWriter) writePeriods() {
	if !p.report.Stats.UsageKnown || len(p.report.Stats.By["day"]) == 0 {
		return
	}
	unit := p.unit()
	p.section("Tokens by " + unit)
	p.choice("by", "Stacked by", stackDimensions)
	p.writeMeasure(&tokenMeasure, unit, "")
	p.end()
	var costs []*measure
	var titles []string
	for _, m := range []*measure{&estimatedMeasure, &recordedMeasure} {
		if m.value(&p.report.Stats.TallyReport) > 0 {
			costs, titles = append(costs, m), append(titles, m.id)
		}
	}
	if len(costs) == 0 {
		return
	}
	p.section("Cost by " + unit)
	p.choice("cost", "Cost", titles)
	for _, m := range costs {
		p.out.element("p", "covers cost-"+m.id, m.about(&p.report.Stats.TallyReport))
		p.writeMeasure(m, unit, " cost-"+m.id)
	}
	p.end()
}

// choice writes buttons of which one is pressed. The first one is at the beginning.
func (p *reportWriter) choice(name, title string, values []string) {
	if len(values) < 2 {
		return
	}
	p.out.printf(`<fieldset class="choice"><legend>%s</legend>`, html.EscapeString(title))
	for i, value := range values {
		checked := map[bool]string{true: " checked"}[i == 0]
		p.out.printf(`<label><input type="radio" name="%s" id="%s-%s" autocomplete="off"%s> %s</label>`,
			name, name, value, checked, value)
	}
	p.out.raw("</fieldset>\n")
}

// unit returns the periods that are drawn: days, or months if there are too many days.
func (p *reportWriter) unit() string {
	days := datesOf(p.report.Stats.By["day"])
	if n := len(days); n > 0 && days[n-1].Sub(days[0]).Hours()/24 >= mostBars {
		return "month"
	}
	return "day"
}

// datesOf are the days of a list, without what has no date.
func datesOf(days []stats.GroupReport) (dates []time.Time) {
	for i := range days {
		if at, err := time.Parse(time.DateOnly, days[i].Name); err == nil {
			dates = append(dates, at)
		}
	}
	return dates
}

// writeMeasure draws a measure of all periods, once for each way to stack it.
func (p *reportWriter) writeMeasure(m *measure, unit, class string) {
	for _, dimension := range stackDimensions {
		s := p.stackOf(m, unit, dimension)
		s.class = "by-" + dimension + class
		p.out.raw(s.plot().html())
		p.legend(s)
		p.table(s.table(&p.report.Stats.TallyReport))
	}
}

// A stack is a measure of every period, divided by the names of a dimension.
type stack struct {
	measure                *measure
	unit, dimension, class string
	periods                []string
	list                   []series // the largest first, the others together last
	sums                   []float64
}

// stackOf makes a stack of the cross table of a unit and a dimension.
func (p *reportWriter) stackOf(m *measure, unit, dimension string) *stack {
	cross := p.crossOf(unit, dimension)
	s := &stack{measure: m, unit: unit, dimension: dimension, periods: p.periodsOf(unit, cross)}
	for _, name := range cross.Columns[:min(len(cross.Columns), mostSeries)] {
		s.list = append(s.list, series{p.masked(name), make([]float64, len(s.periods))})
	}
	if len(cross.Columns) > mostSeries {
		s.list = append(s.list, series{"others", make([]float64, len(s.periods))})
	}
	s.sums = make([]float64, len(s.periods))
	for i := range cross.Rows {
		row := &cross.Rows[i]
		at, _ := slices.BinarySearch(s.periods, row.Name)
		for j := range row.Cells {
			column := min(slices.Index(cross.Columns, row.Cells[j].Name), mostSeries)
			value := m.value(&row.Cells[j].TallyReport)
			s.list[column].values[at] += value
			s.sums[at] += value
		}
	}
	s.list = slices.DeleteFunc(s.list, func(one series) bool { return slices.Max(append(one.values, 0)) == 0 })
	return s
}

// crossOf returns a cross table of the report.
func (p *reportWriter) crossOf(unit, dimension string) *stats.CrossReport {
	for _, cross := range p.report.Stats.Cross {
		if cross.By == [2]string{unit, dimension} {
			return cross
		}
	}
	return &stats.CrossReport{}
}

// periodsOf returns the rows of a cross table, with the days between that have none.
func (p *reportWriter) periodsOf(unit string, cross *stats.CrossReport) []string {
	var names []string
	for i := range cross.Rows {
		names = append(names, cross.Rows[i].Name)
	}
	if dates := datesOf(p.report.Stats.By["day"]); unit == "day" && len(dates) > 0 {
		for at := dates[0]; !at.After(dates[len(dates)-1]); at = at.AddDate(0, 0, 1) {
			names = append(names, at.Format(time.DateOnly))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// heading says what is drawn.
func (s *stack) heading() string { return s.measure.title + " by " + s.unit + " and " + s.dimension }

// plot draws the stack.
func (s *stack) plot() *plot {
	most, at := 0.0, 0
	for i, sum := range s.sums {
		if sum > most {
			most, at = sum, i
		}
	}
	drawn := &plot{class: s.class, most: s.measure.format(most), picture: stackedBars(s.list, most)}
	drawn.alternative = s.heading() + "."
	if most > 0 {
		drawn.alternative += " The most is " + drawn.most + ", " + s.periods[at] + "."
	}
	if n := len(s.periods); n > 0 {
		drawn.ends = slices.Compact([]string{s.periods[0], s.periods[n/2], s.periods[n-1]})
	}
	return drawn
}

// table has the numbers of a stack, without the periods that have none.
func (s *stack) table(all *stats.TallyReport) *numberTable {
	t := &numberTable{name: strings.ToLower(s.heading()), class: s.class, columns: []string{"Period"}}
	for _, one := range s.list {
		t.columns = append(t.columns, one.name)
		sum := 0.0
		for _, v := range one.values {
			sum += v
		}
		t.totals = append(t.totals, s.measure.cell(sum))
	}
	t.columns = append(t.columns, "All")
	t.totals = append(t.totals, total(s.measure.cell(s.measure.value(all)), s.measure.field))
	for i, name := range s.periods {
		if s.sums[i] == 0 {
			continue
		}
		row := numberRow{name: name}
		for _, one := range s.list {
			row.cells = append(row.cells, s.measure.cell(one.values[i]))
		}
		row.cells = append(row.cells, s.measure.cell(s.sums[i]))
		t.rows = append(t.rows, row)
	}
	return t
}

// legend names the colours.
func (p *reportWriter) legend(s *stack) {
	p.out.printf(`<ul class="legend %s">`, s.class)
	for i, one := range s.list {
		p.out.printf(`<li><svg viewBox="0 0 1 1" aria-hidden="true"><rect class="s%d" width="1" height="1"/></svg>`, i)
		p.out.raw(html.EscapeString(one.name) + "</li>")
	}
	p.out.raw("</ul>\n")
}
