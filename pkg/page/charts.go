package page

import (
	"fmt"
	"html"
	"strings"
	"time"

	"clawctl/internal/ui"
)

// The charts are SVG without scripts and styles of their own, because the policy of a page allows neither. Classes say
// which series something belongs to, and the style of the page gives it a colour for light and dark.

// Sizes of charts, in the units of their view boxes.
const (
	chartWidth  = 720
	chartHeight = 180
	chartTop    = 16  // above the bars, for the number at the top
	chartBottom = 20  // below the bars, for the days
	labelWidth  = 220 // of the names beside horizontal bars
	rowHeight   = 22  // of a horizontal bar
)

// A series is the values of one colour.
type series struct {
	name   string
	values []float64
}

// openChart begins a chart that is read as a text.
func openChart(b *strings.Builder, width, height int, alternative string) {
	fmt.Fprintf(b, `<svg class="chart" viewBox="0 0 %d %d" role="img" aria-label="%s">`, width, height,
		html.EscapeString(alternative))
}

// label writes a text inside a chart.
func label(b *strings.Builder, x, y float64, anchor, text string) {
	fmt.Fprintf(b, `<text x="%s" y="%s" text-anchor="%s">%s</text>`, short(x), short(y), anchor, html.EscapeString(text))
}

// short writes a number with one digit after the point.
func short(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

// stackedBars draws a bar for each name, with one piece for each series.
func stackedBars(names []string, list []series, format func(float64) string, alternative string) string {
	sums, most := make([]float64, len(names)), 0.0
	for i := range names {
		for _, s := range list {
			sums[i] += s.values[i]
		}
		most = max(most, sums[i])
	}
	var b strings.Builder
	openChart(&b, chartWidth, chartHeight, alternative)
	width := float64(chartWidth) / float64(max(1, len(names)))
	base := make([]float64, len(names))
	for at, s := range list {
		fmt.Fprintf(&b, `<path class="s%d" d="`, at)
		for i, v := range s.values {
			if v <= 0 {
				continue
			}
			low, high := base[i], base[i]+v
			base[i] = high
			scale := float64(chartHeight-chartTop-chartBottom) / most
			fmt.Fprintf(&b, "M%s %sh%sv%sh-%sz", short(float64(i)*width), short(chartHeight-chartBottom-high*scale),
				short(width*.9), short((high-low)*scale), short(width*.9))
		}
		b.WriteString(`"/>`)
	}
	axis(&b, names, format(most))
	b.WriteString("</svg>")
	return b.String()
}

// axis writes the line below the bars, the first, middle and last name, and the largest value.
func axis(b *strings.Builder, names []string, most string) {
	y := chartHeight - chartBottom
	fmt.Fprintf(b, `<path class="axis" d="M0 %dH%d"/>`, y, chartWidth)
	label(b, 0, 11, "start", most)
	if len(names) == 0 {
		return
	}
	label(b, 0, float64(y+14), "start", names[0])
	if len(names) > 2 {
		label(b, chartWidth/2, float64(y+14), "middle", names[len(names)/2])
	}
	if len(names) > 1 {
		label(b, chartWidth, float64(y+14), "end", names[len(names)-1])
	}
}

// A bar is a horizontal bar, with a part in another colour.
type bar struct {
	name, words, address string
	value, part          float64
}

// horizontalBars draws a bar for each name. A bar with an address is a link.
func horizontalBars(bars []bar, alternative string) string {
	most := 0.0
	for _, r := range bars {
		most = max(most, r.value)
	}
	var b strings.Builder
	openChart(&b, chartWidth, len(bars)*rowHeight+4, alternative)
	room := float64(chartWidth-labelWidth-90) / max(1e-9, most)
	for i, r := range bars {
		y := float64(i*rowHeight + 2)
		if r.address != "" {
			fmt.Fprintf(&b, `<a href="%s" aria-label="%s">`, html.EscapeString(r.address), html.EscapeString(r.name))
		}
		label(&b, labelWidth-8, y+14, "end", ui.CutEnd(r.name, 30))
		fmt.Fprintf(&b, `<rect class="s0" x="%d" y="%s" width="%s" height="16"/>`, labelWidth, short(y), short(r.value*room))
		if r.part > 0 {
			fmt.Fprintf(&b, `<rect class="bad" x="%d" y="%s" width="%s" height="16"/>`, labelWidth, short(y),
				short(max(1, r.part*room)))
		}
		label(&b, labelWidth+r.value*room+6, y+13, "start", r.words)
		if r.address != "" {
			b.WriteString("</a>")
		}
	}
	b.WriteString("</svg>")
	return b.String()
}

// fillLine draws how a context grew, with a line at each compaction.
func fillLine(f *fillSeries, alternative string) string {
	most := int64(1)
	for _, p := range f.points {
		most = max(most, p)
	}
	var b strings.Builder
	openChart(&b, chartWidth, chartHeight, alternative)
	step := float64(chartWidth) / float64(max(1, len(f.points)))
	height := float64(chartHeight - chartTop - chartBottom)
	fmt.Fprintf(&b, `<path class="s0" d="M0 %d`, chartHeight-chartBottom)
	for i, p := range f.points {
		y := float64(chartHeight-chartBottom) - float64(p)/float64(most)*height
		fmt.Fprintf(&b, "L%s %sH%s", short(float64(i)*step), short(y), short(float64(i+1)*step))
	}
	fmt.Fprintf(&b, `V%dz"/>`, chartHeight-chartBottom)
	for _, at := range f.marks {
		fmt.Fprintf(&b, `<path class="mark" d="M%s %dV%d"/>`, short(float64(at)*step), chartTop, chartHeight-chartBottom)
	}
	axis(&b, []string{"first answer", "last answer"}, ui.Short(most)+" tokens")
	b.WriteString("</svg>")
	return b.String()
}

// calendarCell is the size of a day in the calendar.
const calendarCell = 13

// calendarOf draws the days of a year, a column for each week that begins on Monday.
func calendarOf(year int, values map[string]int64, most int64, alternative string) string {
	var b strings.Builder
	openChart(&b, 54*calendarCell+30, 7*calendarCell+18, alternative)
	first := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	offset := (int(first.Weekday()) + 6) % 7
	cells := [5]strings.Builder{}
	for day := first; day.Year() == year; day = day.AddDate(0, 0, 1) {
		at := day.YearDay() - 1 + offset
		x, y := 30+at/7*calendarCell, 16+at%7*calendarCell
		fmt.Fprintf(&cells[shade(values[day.Format(time.DateOnly)], most)], "M%d %dh11v11h-11z", x, y)
		if day.Day() == 1 {
			label(&b, float64(x), 11, "start", day.Format("Jan"))
		}
	}
	for i := range cells {
		fmt.Fprintf(&b, `<path class="day%d" d="%s"/>`, i, cells[i].String())
	}
	for i, name := range []string{"Mon", "", "Wed", "", "Fri", "", ""} {
		label(&b, 26, float64(26+i*calendarCell), "end", name)
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
