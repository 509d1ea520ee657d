package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// The results of a run are saved, so that plots and pages can be made again without measuring.
type results struct {
	Machine  string              `json:"machine"`
	Sections map[string]*outcome `json:"sections"`
}

// An outcome is what a section measured.
type outcome struct {
	CorpusMB float64     `json:"corpusMB"`
	Rounds   int         `json:"rounds"`
	Load     float64     `json:"load,omitempty"` // how busy the machine was before the run
	Figures  []figure    `json:"figures,omitempty"`
	Tables   []table     `json:"tables,omitempty"`
	Bars     []barChart  `json:"bars,omitempty"`
	Lines    []lineChart `json:"lines,omitempty"`
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

const resultsName = "results.json"

// readResults returns the results in a folder, and empty ones if there are none.
func readResults(folder string) (results, error) {
	r := results{Sections: map[string]*outcome{}}
	text, err := os.ReadFile(filepath.Join(folder, resultsName))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", resultsName, err)
	}
	return r, nil
}

// save adds the results of this run to those in the folder. A section that did not run keeps its last results, unless
// they come from another machine.
func (r results) save(folder string) error {
	saved, err := readResults(folder)
	if err != nil {
		return err
	}
	if saved.Machine == r.Machine {
		maps.Copy(saved.Sections, r.Sections)
		r = saved
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(folder, 0o755),
		os.WriteFile(filepath.Join(folder, resultsName), append(text, '\n'), 0o644))
}

// redraw makes the plots in a folder, and the tables and plots on the page beside it, from the saved results.
func redraw(folder string) error {
	r, err := readResults(folder)
	if err != nil {
		return err
	}
	if len(r.Sections) == 0 {
		return fmt.Errorf("no %s in %s", resultsName, folder)
	}
	for _, p := range r.plots() {
		if err := os.WriteFile(filepath.Join(folder, p.file), []byte(p.svg), 0o644); err != nil {
			return err
		}
	}
	return r.updatePage(filepath.Clean(folder) + ".md")
}

// A plot is a drawn chart.
type plot struct{ file, title, svg string }

// plots draws the charts of all sections.
func (r results) plots() []plot {
	var all []plot
	for _, o := range r.Sections {
		for _, c := range o.Bars {
			all = append(all, plot{c.File, c.Title, c.svg()})
		}
		for _, c := range o.Lines {
			all = append(all, plot{c.File, c.Title, c.svg()})
		}
	}
	return all
}

// updatePage replaces the tables and plots on a page, if there is one.
func (r results) updatePage(path string) error {
	page, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	text := string(page)
	for name, block := range r.blocks(strings.TrimSuffix(filepath.Base(path), ".md")) {
		if text, err = replaceBlock(text, name, block); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// blocks returns the tables and plots for a page by name. The plots are in a folder beside the page.
func (r results) blocks(folder string) map[string]string {
	all := map[string]string{}
	tables := []table{figureTable(r.Sections), r.conditions()}
	for _, o := range r.Sections {
		tables = append(tables, o.Tables...)
	}
	for _, t := range tables {
		all[t.Name] = t.markdown()
	}
	for _, p := range r.plots() {
		all[p.file] = fmt.Sprintf("![%s](%s/%s)\n", p.title, folder, p.file)
	}
	return all
}

// conditions says on what the sections were measured.
func (r results) conditions() table {
	t := table{Name: "conditions", Columns: []string{"section", "corpus", "rounds", "load average before"}}
	for _, name := range names(sections) {
		if o := r.Sections[name]; o != nil {
			t.Rows = append(t.Rows, []string{name, fmt.Sprintf("%.0f MB", o.CorpusMB), fmt.Sprint(o.Rounds),
				fmt.Sprintf("%.1f", o.Load)})
		}
	}
	return t
}

// replaceBlock replaces the text between the marks of a table or a plot.
func replaceBlock(page, name, block string) (string, error) {
	begin, end := "<!-- bench: "+name+" -->\n", "<!-- end -->\n"
	before, rest, found := strings.Cut(page, begin)
	if !found {
		return page, nil
	}
	_, after, found := strings.Cut(rest, end)
	if !found {
		return "", fmt.Errorf("no %q after %q", strings.TrimSpace(end), strings.TrimSpace(begin))
	}
	return before + begin + block + end + after, nil
}
