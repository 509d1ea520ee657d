package page

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// The charts are SVG of our own, without scripts and styles inside: the policy of a page allows neither, and a library
// would be larger than most pages. Classes say which series something belongs to, and the style of the page gives it a
// colour for light and dark. The pictures of periods are stretched to the width of the screen, so they have no text.
// Names and numbers are HTML, which wraps and stays readable on a phone.

// plotHeight is the height of charts of periods, in the units of their view boxes.
const plotHeight = 1000

// plotStep is the width of a period there.
const plotStep = 10

// A series is the values of one colour.
type series struct {
	name   string
	values []float64
}

// A plot is a picture with a text above it and the names of its ends below.
type plot struct {
	class       string
	alternative string // what somebody hears who does not see it
	most        string // the number that the highest bar stands for
	ends        []string
	picture     string
}

// html returns the plot as a figure.
func (p *plot) html() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<figure class="%s" role="img" aria-label="%s"><div>%s</div>%s<div class="ends">`,
		strings.TrimSpace("chart "+p.class), html.EscapeString(p.alternative), html.EscapeString(p.most), p.picture)
	for _, end := range p.ends {
		b.WriteString("<span>" + html.EscapeString(end) + "</span>")
	}
	b.WriteString("</div></figure>\n")
	return b.String()
}

// openPlot begins the picture of a number of steps.
func openPlot(b *strings.Builder, steps int) {
	fmt.Fprintf(b, `<svg class="plot" viewBox="0 0 %d %d" preserveAspectRatio="none" aria-hidden="true">`,
		max(1, steps)*plotStep, plotHeight)
}

// stackedBars draws a bar for each period, with one piece for each series. most is the sum of the highest bar.
func stackedBars(list []series, most float64) string {
	var b strings.Builder
	steps := 0
	for _, s := range list {
		steps = len(s.values)
	}
	openPlot(&b, steps)
	tops := make([]float64, steps)
	for at, s := range list {
		fmt.Fprintf(&b, `<path class="s%d" d="`, at)
		for i, v := range s.values {
			if v <= 0 {
				continue
			}
			from := heightOf(tops[i], most)
			tops[i] += v
			to := heightOf(tops[i], most)
			fmt.Fprintf(&b, "M%d %dh9v%dh-9z", i*plotStep, plotHeight-to, to-from)
		}
		b.WriteString(`"/>`)
	}
	b.WriteString("</svg>")
	return b.String()
}

// heightOf returns how high a value is drawn.
func heightOf(value, most float64) int { return int(value/most*plotHeight + .5) }

// fillLine draws how a context grew, with a line at each compaction.
func fillLine(f *fillSeries, most int64) string {
	var b strings.Builder
	openPlot(&b, len(f.points))
	fmt.Fprintf(&b, `<path class="s0" d="M0 %d`, plotHeight)
	for i, p := range f.points {
		fmt.Fprintf(&b, "V%dH%d", plotHeight-heightOf(float64(p), float64(most)), (i+1)*plotStep)
	}
	fmt.Fprintf(&b, `V%dz"/>`, plotHeight)
	for _, at := range f.marks {
		fmt.Fprintf(&b, `<path class="mark" d="M%d 0V%d"/>`, at*plotStep, plotHeight)
	}
	b.WriteString("</svg>")
	return b.String()
}

// A bar is a horizontal bar, with a part in another colour.
type bar struct {
	name, words, address string
	value, part          float64
}

// horizontalBars draws a bar for each name, in a list that needs no text alternative. A bar with an address is a link.
func horizontalBars(bars []bar, title string) string {
	most := 0.0
	for _, r := range bars {
		most = max(most, r.value)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<ol class="chart bars" aria-label="%s">`, html.EscapeString(title))
	for _, r := range bars {
		open, end := "<span>", "</span>"
		if r.address != "" {
			open, end = `<a href="`+html.EscapeString(r.address)+`">`, "</a>"
		}
		fmt.Fprintf(&b, `<li>%s<span class="name">%s</span> `, open, html.EscapeString(r.name))
		fmt.Fprintf(&b, `<svg viewBox="0 0 1000 1" preserveAspectRatio="none" aria-hidden="true">`+
			`<rect class="s0" width="%s" height="1"/>`, lengthOf(r.value, most))
		if r.part > 0 {
			fmt.Fprintf(&b, `<rect class="bad" width="%s" height="1"/>`, lengthOf(r.part, most))
		}
		fmt.Fprintf(&b, `</svg> <span>%s</span>%s</li>`, html.EscapeString(r.words), end)
	}
	b.WriteString("</ol>\n")
	return b.String()
}

// lengthOf returns how long a value is drawn. A value that is not zero is always seen.
func lengthOf(value, most float64) string {
	if value <= 0 {
		return "0"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", max(2, value/most*1000)), ".0")
}

// calendarCell is the size of a day in the calendar.
const calendarCell = 13

// calendarOf draws the days of a year. Its halves stand side by side, or one below the other on a phone.
func calendarOf(year int, values map[string]int64, most int64, alternative string) string {
	return fmt.Sprintf("<figure class=\"chart calendar\" role=\"img\" aria-label=\"%s\">%s%s</figure>\n",
		html.EscapeString(alternative), halfYear(year, time.January, values, most), halfYear(year, time.July, values, most))
}

// halfYear draws six months, a column for each week that begins on Monday.
func halfYear(year int, from time.Month, values map[string]int64, most int64) string {
	const left, top, weeks = 16, 16, 28
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" aria-hidden="true">`, left+weeks*calendarCell, top+7*calendarCell)
	first := time.Date(year, from, 1, 0, 0, 0, 0, time.UTC)
	offset := (int(first.Weekday()) + 6) % 7
	cells := [5]strings.Builder{}
	for i, day := 0, first; day.Before(first.AddDate(0, 6, 0)); i, day = i+1, day.AddDate(0, 0, 1) {
		at := i + offset
		x, y := left+at/7*calendarCell, top+at%7*calendarCell
		fmt.Fprintf(&cells[shade(values[day.Format(time.DateOnly)], most)], "M%d %dh11v11h-11z", x, y)
		if day.Day() == 1 {
			fmt.Fprintf(&b, `<text x="%d" y="11">%s</text>`, x, day.Format("Jan"))
		}
	}
	for i := range cells {
		fmt.Fprintf(&b, `<path class="day%d" d="%s"/>`, i, cells[i].String())
	}
	for i, name := range []string{"M", "", "W", "", "F"} {
		if name != "" {
			fmt.Fprintf(&b, `<text x="0" y="%d">%s</text>`, top+10+i*calendarCell, name)
		}
	}
	b.WriteString("</svg>")
	return b.String()
}

// shade returns how dark a day is: 0 for nothing, up to 4.
func shade(value, most int64) int {
	if value <= 0 {
		return 0
	}
	return 1 + int(min(3, 4*value/max(1, most)))
}
