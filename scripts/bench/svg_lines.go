package main

import (
	"fmt"
	"math"
	"slices"
)

// A lineChart shows how something grows. Both axes are logarithmic.
type lineChart struct {
	File   string   `json:"file"`
	Title  string   `json:"title"`
	Note   string   `json:"note"`
	X      axis     `json:"x"`
	Y      axis     `json:"y"`
	Ideal  bool     `json:"ideal,omitempty"` // draw the line on which both values are equal
	Series []series `json:"series"`
}

// An axis has a label and a unit: bytes, seconds or count.
type axis struct {
	Label string `json:"label"`
	Unit  string `json:"unit"`
}

type series struct {
	Name   string  `json:"name"`
	Points []point `json:"points"`
}

type point struct {
	X         float64 `json:"x"`
	Y         float64 `json:"y"`
	Estimated bool    `json:"estimated,omitempty"`
}

// The plot area, in pixels.
const (
	lineHeight = 460
	plotLeft   = 92
	plotRight  = chartWidth - 104
	plotTop    = 86
	plotBottom = lineHeight - 64
	labelStep  = 17 // the least distance of two labels
)

// A scale maps values to pixels.
type scale struct {
	low, high float64 // the values at the ends
	from, to  float64 // the pixels at the ends
	base      float64 // the factor between two grid lines
}

// newScale returns a scale whose ends are grid lines, around the values.
func newScale(unit string, values []float64, from, to float64) scale {
	base := 10.0
	if unit == "count" {
		base = 2
	}
	power := func(value float64, round func(float64) float64) float64 {
		return math.Pow(base, round(math.Log(value)/math.Log(base)))
	}
	down := func(x float64) float64 { return math.Floor(x + 0.02) } // a file may be a little smaller than its name says
	up := func(x float64) float64 { return math.Ceil(x - 0.02) }
	s := scale{power(slices.Min(values), down), power(slices.Max(values), up), from, to, base}
	if s.high <= s.low {
		s.high = s.low * base
	}
	return s
}

// at returns the pixel of a value.
func (s scale) at(value float64) float64 {
	return s.from + (s.to-s.from)*math.Log(value/s.low)/math.Log(s.high/s.low)
}

// ticks returns the values with a grid line.
func (s scale) ticks() []float64 {
	var all []float64
	for value := s.low; value <= s.high*1.001; value *= s.base {
		all = append(all, value)
	}
	return all
}

// svg draws the chart.
func (c lineChart) svg() string {
	var xs, ys []float64
	for _, s := range c.Series {
		for _, p := range s.Points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	x := newScale(c.X.Unit, xs, plotLeft, plotRight)
	if c.Ideal {
		ys = append(ys, slices.Max(xs))
	}
	y := newScale(c.Y.Unit, ys, plotBottom, plotTop)
	out := newCanvas(lineHeight, c.Title, c.Note)
	c.drawGrid(out, x, y)
	if c.Ideal {
		c.drawIdeal(out, x, y)
	}
	for _, s := range c.Series {
		s.draw(out, colorOf(s.Name), x, y)
	}
	c.drawLabels(out, y)
	return out.end()
}

// drawIdeal draws the line on which both values are equal.
func (c lineChart) drawIdeal(out *canvas, x, y scale) {
	low, high := max(x.low, y.low), min(x.high, y.high)
	out.line("ideal", [2]float64{x.at(low), y.at(low)}, [2]float64{x.at(high), y.at(high)})
	out.text("tick", x.at(high)+14, y.at(high)+4, "start", "ideal")
}

// drawGrid draws the grid lines, their values and the names of the axes.
func (c lineChart) drawGrid(out *canvas, x, y scale) {
	for _, value := range x.ticks() {
		out.line("grid", [2]float64{x.at(value), plotTop}, [2]float64{x.at(value), plotBottom})
		out.text("tick", x.at(value), plotBottom+20, "middle", unitText(value, c.X.Unit))
	}
	for _, value := range y.ticks() {
		out.line("grid", [2]float64{plotLeft, y.at(value)}, [2]float64{plotRight, y.at(value)})
		out.text("tick", plotLeft-10, y.at(value)+4, "end", unitText(value, c.Y.Unit))
	}
	out.text("axis", (plotLeft+plotRight)/2, plotBottom+46, "middle", c.X.Label)
	middle := float64(plotTop+plotBottom) / 2
	fmt.Fprintf(out, `<g transform="rotate(-90 30 %.1f)">`, middle)
	out.text("axis", 30, middle, "middle", c.Y.Label)
	out.WriteString("</g>\n")
}

// draw draws the lines and the points. The way to an estimated point is dotted, and the point is hollow.
func (s series) draw(out *canvas, color int, x, y scale) {
	for i, p := range s.Points[1:] {
		class := fmt.Sprintf("line s%d", color)
		if p.Estimated {
			class += " guess"
		}
		before := s.Points[i]
		out.line(class, [2]float64{x.at(before.X), y.at(before.Y)}, [2]float64{x.at(p.X), y.at(p.Y)})
	}
	for _, p := range s.Points {
		class := fmt.Sprintf("f%d", color)
		if p.Estimated {
			class = fmt.Sprintf("hollow s%d", color)
		}
		fmt.Fprintf(out, `<circle class="%s" cx="%.1f" cy="%.1f" r="4.5"/>`+"\n", class, x.at(p.X), y.at(p.Y))
	}
}

// drawLabels writes the names beside the ends of the lines, far enough from each other to be readable.
func (c lineChart) drawLabels(out *canvas, y scale) {
	type label struct {
		series int
		at     float64
	}
	var labels []label
	for i, s := range c.Series {
		labels = append(labels, label{i, y.at(s.Points[len(s.Points)-1].Y)})
	}
	slices.SortFunc(labels, func(a, b label) int { return int(math.Copysign(1, a.at-b.at)) })
	for i := range labels {
		if i > 0 {
			labels[i].at = max(labels[i].at, labels[i-1].at+labelStep)
		}
		name := c.Series[labels[i].series].Name
		out.text(fmt.Sprintf("label f%d", colorOf(name)), plotRight+14, labels[i].at+4, "start", name)
	}
}

// unitText returns the value of a grid line.
func unitText(value float64, unit string) string {
	switch {
	case unit == "bytes":
		return byteText(value)
	case unit == "seconds" && value < 0.99:
		return fmt.Sprintf("%g ms", math.Round(value*1e6)/1e3)
	case unit == "seconds":
		return number(value) + " s"
	}
	return fmt.Sprintf("%g", value)
}

// byteText returns a size as people write it.
func byteText(value float64) string {
	units := []string{"bytes", "KB", "MB", "GB"}
	i := 0
	for ; value >= 999.5 && i < len(units)-1; i++ {
		value /= 1000
	}
	if value >= 99.5 || value == math.Trunc(value) {
		return fmt.Sprintf("%.0f %s", value, units[i])
	}
	return fmt.Sprintf("%.3g %s", value, units[i])
}
