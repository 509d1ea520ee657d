package main

import (
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var sampleBars = barChart{File: "bars.svg", Title: "Speed & size", Note: "a < b", Unit: "MB/s", Bars: []bar{
	{Group: "first", Name: "clawctl <new>", Value: 1234.5, Own: true}, {Group: "first", Name: "other"},
	{Group: "second", Name: "x", Value: 0.5},
}}

var sampleLines = lineChart{File: "lines.svg", Title: "Growth", X: axis{"size", "bytes"}, Y: axis{"time", "seconds"},
	Ideal: true, Series: []series{
		{"cat", []point{{X: 9.99e6, Y: 0.02}, {X: 1e8, Y: 0.2}, {X: 1e9, Y: 2, Estimated: true}}},
		{"stats", []point{{X: 9.99e6, Y: 0.02}}},
	}}

// elements returns the texts of a plot and the number of its elements by name. It fails if the XML is not well-formed.
func elements(t *testing.T, svg string) (texts string, count map[string]int) {
	t.Helper()
	count = map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts, count
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			count[token.Name.Local]++
		case xml.CharData:
			texts += string(token) + "|"
		}
	}
}

func TestPlotsAreWellFormed(t *testing.T) {
	for _, test := range []struct {
		svg   string
		texts []string
		count map[string]int
	}{
		{sampleBars.svg(), []string{"Speed & size", "a < b", "clawctl <new>", "1,234 MB/s", "second", "prefers-color-scheme"},
			map[string]int{"rect": 4}},
		{sampleLines.svg(), []string{"10 MB", "1 GB", "10 ms", "1 s", "ideal", "cat", "stats"}, map[string]int{"circle": 4}},
	} {
		texts, count := elements(t, test.svg)
		for _, want := range test.texts {
			if !strings.Contains(texts, want) {
				t.Errorf("no %q in %s", want, test.svg)
			}
		}
		for name, want := range test.count {
			if count[name] != want {
				t.Errorf("%d elements %s, want %d", count[name], name, want)
			}
		}
		if strings.Contains(test.svg, "NaN") || strings.Contains(test.svg, "Inf") {
			t.Errorf("a position is not a number in %s", test.svg)
		}
	}
}

// Labels of lines that end at the same place do not cover each other.
func TestLabelsKeepTheirDistance(t *testing.T) {
	same := []point{{X: 1e7, Y: 1}, {X: 1e8, Y: 10}}
	c := lineChart{X: axis{"size", "bytes"}, Y: axis{"time", "seconds"}, Series: []series{{"cat", same}, {"stats", same}}}
	var out canvas
	c.drawLabels(&out, scale{1, 10, plotBottom, plotTop, 10})
	if svg := out.String(); !strings.Contains(svg, `y="90.0"`) || !strings.Contains(svg, `y="107.0"`) {
		t.Errorf("got %s", svg)
	}
}

func TestUnits(t *testing.T) {
	for got, want := range map[string]string{
		number(7.25): "7.2", number(999): "999", number(1234567): "1,234,567", byteText(9_999_000): "10 MB",
		byteText(1e10): "10 GB", byteText(512): "512 bytes", byteText(35.44e6): "35.4 MB",
		unitText(0.001, "seconds"): "1 ms", unitText(100, "seconds"): "100 s", unitText(16, "count"): "16",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A second run replaces the sections it measured, keeps the others, and updates the page.
func TestResultsAreMergedAndRedrawn(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "plots")
	page := "before\n<!-- bench: figures -->\nold\n<!-- end -->\n<!-- bench: bars.svg -->\n<!-- end -->\nafter\n"
	if err := os.WriteFile(folder+".md", []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sections := range []map[string]*outcome{
		{"read": {Bars: []barChart{sampleBars}, Figures: []figure{{Name: "speed", Value: 1, Required: 1, Goal: 2}}}},
		{"growth": {Lines: []lineChart{sampleLines}}},
	} {
		if err := (results{Machine: "m", Sections: sections}).save(folder); err != nil {
			t.Fatal(err)
		}
	}
	if err := redraw(folder); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(folder, "bars.svg"): sampleBars.svg(), filepath.Join(folder, "lines.svg"): sampleLines.svg(),
		folder + ".md": "before\n<!-- bench: figures -->\n| figure | value | required |  | goal |  |\n" +
			"|---|--:|--:|--:|--:|--:|\n| speed | 1.00 | ≥ 1.00 | ok | ≥ 2.00 | missed |\n<!-- end -->\n" +
			"<!-- bench: bars.svg -->\n![Speed & size](plots/bars.svg)\n<!-- end -->\nafter\n",
	} {
		if got, err := os.ReadFile(path); string(got) != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", path, got, err, want)
		}
	}
}

func TestOtherMachinesResultsAreDropped(t *testing.T) {
	folder := t.TempDir()
	for _, r := range []results{
		{"one", map[string]*outcome{"read": {}}}, {"two", map[string]*outcome{"growth": {}}},
	} {
		if err := r.save(folder); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := readResults(folder); err != nil || len(got.Sections) != 1 || got.Sections["growth"] == nil {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestRedrawNeedsResults(t *testing.T) {
	folder := t.TempDir()
	if err := redraw(folder); err == nil {
		t.Error("no error without results")
	}
	if err := os.WriteFile(filepath.Join(folder, resultsName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := redraw(folder); err == nil {
		t.Error("no error for damaged results")
	}
	if _, err := replaceBlock("<!-- bench: x -->\n", "x", ""); err == nil {
		t.Error("no error for a table without an end")
	}
}

// The plots and the tables in the documentation come from the saved results.
func TestDocumentationMatchesResults(t *testing.T) {
	source := filepath.Join("..", "..", "docs", "benchmarks")
	folder := filepath.Join(t.TempDir(), "benchmarks")
	page, err := os.ReadFile(source + ".md")
	if err != nil {
		t.Fatal(err)
	}
	saved, err := os.ReadFile(filepath.Join(source, resultsName))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no results are saved: make bench BENCHFLAGS='-plots docs/benchmarks' saves them")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(folder+".md", page, 0o600),
		os.WriteFile(filepath.Join(folder, resultsName), saved, 0o600), redraw(folder)); err != nil {
		t.Fatal(err)
	}
	made, err := filepath.Glob(filepath.Join(folder, "*.svg"))
	if err != nil || len(made) == 0 {
		t.Fatalf("%d plots, %v", len(made), err)
	}
	for _, path := range append(made, folder+".md") {
		name, _ := filepath.Rel(filepath.Dir(folder), path)
		want, _ := os.ReadFile(path)
		if got, err := os.ReadFile(filepath.Join(filepath.Dir(source), name)); string(got) != string(want) || err != nil {
			t.Errorf("docs/%s is out of date (%v): run go run ./scripts/bench -redraw", name, err)
		}
	}
}

// A rival that could not run has no bar.
func TestPlotImports(t *testing.T) {
	b := &bench{section: &outcome{}}
	b.plotImports([]*importRun{
		{name: "clawctl import", times: []time.Duration{time.Second}}, {name: "missing"},
		{name: "C on libsqlite3", times: []time.Duration{2 * time.Second}},
	}, 100e6)
	want := []bar{{Name: "clawctl import", Value: 100, Own: true}, {Name: "C on libsqlite3", Value: 50}}
	if got := b.section.Bars[0].Bars; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// measuredCores returns a bench after the section cores.
func measuredCores() *bench {
	file := corpus{size: 100e6}
	run := func(name string, took time.Duration) *contestant {
		return &contestant{name: name, times: []time.Duration{took}, cpu: []time.Duration{took}}
	}
	c := &command{name: "cat", file: file, ofCat: [2]float64{0.15, 0.19}, twoCores: [2]float64{1.5, 1.8},
		ofDuckDB: [2]float64{2.5, 4}, one: run("one", 10*time.Second), two: run("two", 5*time.Second),
		all: run("all", 4*time.Second)}
	b := &bench{out: io.Discard, section: &outcome{}, corpus: file}
	b.reportCores([]*command{c}, run("cat", time.Second),
		[]*contestant{run("DuckDB read_json, all threads, five fields", 8*time.Second)})
	return b
}

// The table of the cores section names every run, and the figures compare the right ones.
func TestCoreFigures(t *testing.T) {
	b := measuredCores()
	for i, want := range []float64{0.1, 2, 2} {
		if f := b.section.Figures[i]; f.Value != want {
			t.Errorf("%s is %v, want %v", f.Name, f.Value, want)
		}
	}
	if rows := b.section.Tables[0].Rows; len(rows) != 5 || rows[1][4] != "0.100" {
		t.Errorf("got %v", rows)
	}
}

// Every mark on the page is the name of a table or a plot. A mark with a typo would stay empty forever.
func TestMarksOnThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	b := measuredCores()
	b.reportGrowth([]*growing{{name: "cat", points: []growthPoint{{size: 1e7, seconds: 1, peak: 1e7}}}})
	b.plotImports(nil, 0)
	known := results{Sections: map[string]*outcome{"cores": b.section}}.blocks("benchmarks")
	for _, name := range []string{"read.svg", "tokens.svg"} { // only real runs make these
		known[name] = ""
	}
	for name := range known {
		if mark := "<!-- bench: " + name + " -->\n"; strings.Count(string(page), mark) != 1 {
			t.Errorf("%d times %q on the page", strings.Count(string(page), mark), mark)
		}
	}
	if got := strings.Count(string(page), "<!-- bench: "); got != len(known) {
		t.Errorf("%d marks, want %d", got, len(known))
	}
}
