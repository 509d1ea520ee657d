package main

import (
	"fmt"
	"slices"
)

// A figure is one number that clawctl is judged by.
type figure struct {
	Name     string  `json:"name"`
	Value    float64 `json:"value"`
	Unit     string  `json:"unit,omitempty"` // "" for a ratio
	Required float64 `json:"required"`
	Goal     float64 `json:"goal"`
	AtMost   bool    `json:"atMost,omitempty"` // the targets are upper limits
}

// figure adds a ratio to the table at the end of the report. It should be at least as large as its targets.
func (b *bench) figure(name string, value, required, goal float64) {
	b.section.Figures = append(b.section.Figures, figure{Name: name, Value: value, Required: required, Goal: goal})
}

// limit adds a value to the table at the end of the report. It should be at most as large as its targets.
func (b *bench) limit(name string, value float64, unit string, required, goal float64) {
	b.section.Figures = append(b.section.Figures,
		figure{Name: name, Value: value, Unit: unit, Required: required, Goal: goal, AtMost: true})
}

// verdict says whether the figure reaches a target.
func (f figure) verdict(target float64) string {
	if f.AtMost {
		return okIf(f.Value <= target)
	}
	return okIf(f.Value >= target)
}

func okIf(holds bool) string {
	if holds {
		return "ok"
	}
	return "missed"
}

func (f figure) row() []string {
	return []string{f.Name, f.text(f.Value), f.target(f.Required), f.verdict(f.Required),
		f.target(f.Goal), f.verdict(f.Goal)}
}

// target returns a target with its direction.
func (f figure) target(value float64) string {
	if f.AtMost {
		return "≤ " + f.text(value)
	}
	return "≥ " + f.text(value)
}

// text returns a value of the figure: a ratio below one has three decimals.
func (f figure) text(value float64) string {
	text := fmt.Sprintf("%.2f", value)
	switch {
	case f.Unit != "":
		text = fmt.Sprintf("%.1f %s", value, f.Unit)
	case value < 0.995:
		text = fmt.Sprintf("%.3f", value)
	}
	return text
}

// figureTable returns all figures of the sections, in the order of the sections.
func figureTable(outcomes map[string]*outcome) table {
	t := table{Name: "figures", Columns: []string{"figure", "value", "required", "", "goal", ""}}
	for _, name := range names(sections) {
		if o := outcomes[name]; o != nil {
			t.Rows = slices.AppendSeq(t.Rows, mapped(o.Figures, figure.row))
		}
	}
	return t
}

// printFigures prints the table of figures of this run.
func (b *bench) printFigures() {
	t := figureTable(b.results.Sections)
	if len(t.Rows) == 0 {
		return
	}
	fmt.Fprintf(b.out, "figures: medians of alternating runs, %.0f MB, %s\n%s", b.corpus.mb(), b.results.Machine, t.text())
	fmt.Fprintf(b.out, "  Timings on a busy machine mislead: run this on a quiet one. "+
		"The load average was %.1f before the run.\n", b.load)
}
