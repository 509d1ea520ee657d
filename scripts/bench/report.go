package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A grid is printed as text and shown on a page. Its first column is text, the others are numbers.
type grid struct {
	columns []string
	rows    [][]string
}

// text returns the grid for a terminal.
func (g grid) text() string {
	widths := make([]int, len(g.columns))
	lines := append([][]string{g.columns}, g.rows...)
	for _, row := range lines {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for _, row := range lines {
		line := ""
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line += cell + space
			} else {
				line += "  " + space + cell
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

// markdown returns the grid for a page.
func (g grid) markdown() string {
	text := markdownRow(g.columns) + "|---" + strings.Repeat("|--:", len(g.columns)-1) + "|\n"
	for _, row := range g.rows {
		text += markdownRow(row)
	}
	return text
}

func markdownRow(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

var figureColumns = []string{"figure", "clawctl", "rival", "result", "must", "", "aim", ""}

// figureTable has a row for each figure that was measured.
func figureTable(results []*result) grid {
	g := grid{columns: figureColumns}
	for _, r := range results {
		if r.err == nil {
			g.rows = append(g.rows, r.row())
		}
	}
	return g
}

func (r *result) value() float64 { return comparisons[r.figure.compare].value(r.ours, r.rival) }

func (r *result) row() []string {
	c := comparisons[r.figure.compare]
	ours, rival := "", "" // the result says it all
	if c.needsRival {
		ours, rival = c.cell(r.ours), c.cell(r.rival)
	}
	row := []string{r.figure.title, ours, rival, c.text(r.value())}
	for _, target := range []float64{r.figure.must, r.figure.aim} {
		row = append(row, c.target(target), c.verdict(r.value(), target))
	}
	return row
}

// target returns a target with its direction.
func (c comparison) target(value float64) string {
	switch {
	case value == 0:
		return ""
	case c.atLeast:
		return "≥ " + c.text(value)
	}
	return "≤ " + c.text(value)
}

// verdict says whether a value reaches a target.
func (c comparison) verdict(value, target float64) string {
	switch {
	case target == 0:
		return ""
	case value == target || (value > target) == c.atLeast:
		return "ok"
	}
	return "missed"
}

func (c comparison) text(value float64) string {
	switch {
	case c.unit != "":
		return number(value) + " " + c.unit
	case value >= 10:
		return number(value)
	}
	return fmt.Sprintf("%.2f", value)
}

func wallCell(s sample) string { return duration(s.wall) }
func cpuCell(s sample) string  { return duration(s.cpu) }
func byteCell(s sample) string { return byteText(float64(s.bytes)) }

func duration(d time.Duration) string {
	if d < 100*time.Millisecond {
		return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// byteText returns a number of bytes such as 93 MB.
func byteText(bytes float64) string {
	for _, unit := range []string{"bytes", "kB", "MB"} {
		if bytes < 999.5 {
			return number(bytes) + " " + unit
		}
		bytes /= 1000
	}
	return number(bytes) + " GB"
}

// number returns three digits of a small number, and all those before the point of a large one.
func number(value float64) string {
	digits := 2 - int(math.Floor(math.Log10(max(value, 1))))
	text := strconv.FormatFloat(value, 'f', max(0, digits), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// updatePage replaces the rows of the measured figures on a page. The rows of other figures stay, in the order of the
// table.
func (b *bench) updatePage(path, conditions string, results []*result) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var order []string
	for _, f := range b.table.figures {
		order = append(order, f.title)
	}
	text, err := replaceBlock(string(page), "figures", func(old string) string {
		return figureTable(results).mergedWith(old, order).markdown()
	})
	if err != nil {
		return err
	}
	text, err = replaceBlock(text, "conditions", func(string) string { return conditions + "\n" })
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// mergedWith adds the rows of an old block that the grid does not have, unless their figures no longer exist.
func (g grid) mergedWith(old string, order []string) grid {
	rows := map[string][]string{}
	for line := range strings.Lines(old) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == len(g.columns) {
			rows[cells[0]] = cells
		}
	}
	for _, row := range g.rows {
		rows[row[0]] = row
	}
	merged := grid{columns: g.columns}
	for _, name := range order {
		if row := rows[name]; row != nil {
			merged.rows = append(merged.rows, row)
			delete(rows, name)
		}
	}
	return merged
}

// replaceBlock replaces the text between the marks of a block.
func replaceBlock(page, name string, replace func(old string) string) (string, error) {
	begin, end := "<!-- bench: "+name+" -->\n", "<!-- end -->\n"
	before, rest, found := strings.Cut(page, begin)
	old, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return "", fmt.Errorf("no %q with an end", strings.TrimSpace(begin))
	}
	return before + begin + replace(old) + end + after, nil
}

// machine describes the computer in a few words.
func machine() string {
	return fmt.Sprintf("%d cores, %s, %s/%s", runtime.NumCPU(), processor(), runtime.GOOS, runtime.GOARCH)
}

// processor returns the name of the processor, as far as Linux tells it.
func processor() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// loadAverage returns how many programs ran at a time in the last minute, as far as Linux tells it.
func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	last, _, _ := strings.Cut(string(text), " ")
	load, _ := strconv.ParseFloat(last, 64)
	return load
}
