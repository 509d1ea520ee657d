package main

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// chartWidth is the width of every plot, in pixels.
const chartWidth = 760

// The colors follow the reader's choice of a light or a dark page. Each plot has its own background, because the page
// around it may not follow that choice.
const chartStyle = `<style>
svg { --page: #ffffff; --edge: #d8dee4; --text: #1f2328; --faint: #59636e; --grid: #e6eaef; --other: #a9b4c0;
  --c0: #d9480f; --c1: #1971c2; --c2: #2b8a3e; --c3: #7048e8 }
@media (prefers-color-scheme: dark) {
  svg { --page: #0d1117; --edge: #30363d; --text: #e6edf3; --faint: #9198a1; --grid: #2a313a; --other: #59636e;
    --c0: #ff8a5c; --c1: #74b0f4; --c2: #69db7c; --c3: #b197fc }
}
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: var(--text) }
.title { font-size: 19px; font-weight: 600 }
.note, .tick, .axis { fill: var(--faint) }
.group, .label { font-weight: 600 }
.page { fill: var(--page); stroke: var(--edge) }
.grid { stroke: var(--grid) }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round }
.ideal { stroke: var(--other); stroke-width: 1.5; stroke-dasharray: 6 5; fill: none }
.guess { stroke-dasharray: 2 6 }
.other { fill: var(--other) }
.f0 { fill: var(--c0) } .f1 { fill: var(--c1) } .f2 { fill: var(--c2) } .f3 { fill: var(--c3) }
.s0 { stroke: var(--c0) } .s1 { stroke: var(--c1) } .s2 { stroke: var(--c2) } .s3 { stroke: var(--c3) }
.hollow { fill: var(--page); stroke-width: 2.5 }
</style>
`

// colorOf returns the number of the color for a command, the same in all plots.
func colorOf(name string) int {
	if i := slices.Index([]string{"cat", "stats", "validate"}, name); i >= 0 {
		return i
	}
	return 3
}

// A canvas collects the elements of a plot.
type canvas struct{ strings.Builder }

// newCanvas starts a plot with its title and the note below it.
func newCanvas(height int, title, note string) *canvas {
	c := &canvas{}
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		chartWidth, height, chartWidth, height)
	fmt.Fprintf(c, "<title>%s</title>\n%s", html.EscapeString(title), chartStyle)
	fmt.Fprintf(c, `<rect class="page" x="0.5" y="0.5" width="%d" height="%d" rx="8"/>`+"\n", chartWidth-1, height-1)
	c.text("title", 24, 36, "start", title)
	c.text("note", 24, 58, "start", note)
	return c
}

// text adds a text. The anchor is start, middle or end.
func (c *canvas) text(class string, x, y float64, anchor, text string) {
	fmt.Fprintf(c, `<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n",
		class, x, y, anchor, html.EscapeString(text))
}

// line adds a line through some points.
func (c *canvas) line(class string, points ...[2]float64) {
	var path strings.Builder
	for _, p := range points {
		fmt.Fprintf(&path, "%.1f,%.1f ", p[0], p[1])
	}
	fmt.Fprintf(c, `<polyline class="%s" points="%s"/>`+"\n", class, strings.TrimSpace(path.String()))
}

// end returns the whole plot.
func (c *canvas) end() string {
	c.WriteString("</svg>\n")
	return c.String()
}
