package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A barChart compares speeds.
type barChart struct {
	File  string `json:"file"`
	Title string `json:"title"`
	Note  string `json:"note"`
	Unit  string `json:"unit"`
	Bars  []bar  `json:"bars"`
}

// A bar is one value. A group is a heading above the first bar that has it.
type bar struct {
	Group string  `json:"group,omitempty"`
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Own   bool    `json:"own,omitempty"` // it is clawctl's
}

const (
	barTop    = 84
	barHeight = 24
	barStep   = 34
	groupStep = 30
	barRight  = 110 // the space for the values
)

// svg draws the chart with horizontal bars.
func (c barChart) svg() string {
	left, scale := c.layout()
	y, group := float64(barTop), ""
	out := newCanvas(c.height(), c.Title, c.Note)
	for _, b := range c.Bars {
		if b.Group != group {
			group = b.Group
			out.text("group", 24, y+17, "start", group)
			y += groupStep
		}
		class := "other"
		if b.Own {
			class = "f0"
		}
		width := max(2, b.Value*scale)
		out.text("", left-12, y+17, "end", b.Name)
		fmt.Fprintf(out, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%d" rx="3"/>`+"\n",
			class, left, y, width, barHeight)
		out.text("label", left+width+10, y+17, "start", number(b.Value)+" "+c.Unit)
		y += barStep
	}
	return out.end()
}

// layout returns where the bars begin, and how many pixels a unit has.
func (c barChart) layout() (left, scale float64) {
	var longest int
	var highest float64
	for _, b := range c.Bars {
		longest = max(longest, utf8.RuneCountInString(b.Name))
		highest = max(highest, b.Value)
	}
	left = 40 + 7*float64(longest)
	if highest == 0 {
		return left, 0
	}
	return left, (chartWidth - barRight - left) / highest
}

// height returns the height of the chart.
func (c barChart) height() int {
	height, group := barTop+len(c.Bars)*barStep+8, ""
	for _, b := range c.Bars {
		if b.Group != group {
			group = b.Group
			height += groupStep
		}
	}
	return height
}

// number returns a value with at most three digits that matter, and commas in the thousands.
func number(value float64) string {
	switch {
	case value < 10:
		return fmt.Sprintf("%.2g", value)
	case value < 1000:
		return fmt.Sprintf("%.0f", value)
	}
	digits := fmt.Sprintf("%.0f", value)
	var out strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(digit)
	}
	return out.String()
}
