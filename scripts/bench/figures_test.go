package main

import (
	"io"
	"math"
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	b := &bench{section: &outcome{}}
	b.figure("speed", 0.15, 0.15, 0.19)
	b.limit("memory", 40.1, "MB", 40, 25)
	b.limit("start", 2.9, "", 4, 3)
	want := []string{
		"speed|0.150|≥ 0.150|ok|≥ 0.190|missed",
		"memory|40.1 MB|≤ 40.0 MB|missed|≤ 25.0 MB|missed",
		"start|2.90|≤ 4.00|ok|≤ 3.00|ok",
	}
	for i, f := range b.section.Figures {
		if got := strings.Join(f.row(), "|"); got != want[i] {
			t.Errorf("got %s, want %s", got, want[i])
		}
	}
}

func TestFigureTableFollowsSections(t *testing.T) {
	one := func(name string) *outcome { return &outcome{Figures: []figure{{Name: name}}} }
	got := figureTable(map[string]*outcome{"import": one("last"), "read": one("first"), "start": one("second")})
	for i, want := range []string{"first", "second", "last"} {
		if got.Rows[i][0] != want {
			t.Errorf("row %d is %s, want %s", i, got.Rows[i][0], want)
		}
	}
}

func TestPrintFigures(t *testing.T) {
	var out strings.Builder
	b := &bench{out: &out, notes: io.Discard, results: results{Sections: map[string]*outcome{
		"read": {Figures: []figure{{Name: "speed", Value: 2, Required: 1, Goal: 3}}},
	}}}
	b.printFigures()
	for _, want := range []string{"  speed    2.00    ≥ 1.00  ok  ≥ 3.00  missed\n", "busy machine mislead"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestTableMarkdown(t *testing.T) {
	got := table{Columns: []string{"a", "b"}, Rows: [][]string{{"1", "2"}}}.markdown()
	if want := "| a | b |\n|---|--:|\n| 1 | 2 |\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScaling(t *testing.T) {
	for _, test := range []struct {
		name           string
		s              scaling
		n              float64
		byTimes, byUse float64
	}{
		{"everything is parallel", scaling{10, 5, 10}, 16, 16, 16},
		{"nothing is parallel", scaling{10, 10, 10}, 16, 1, 1},
		{"one fifth is serial", scaling{10, 6, 10}, 8, 1 / (0.2 + 0.8/8), 10 / (2 + 8./8)},
		{"two cores are slower", scaling{10, 12, 12}, 8, 1, 10. / 12},
		{"measured", scaling{10, 6, 11}, 2, 10. / 6, 10. / 6},
	} {
		if got := test.s.byTimes(test.n); math.Abs(got-test.byTimes) > 1e-9 {
			t.Errorf("%s: byTimes(%v) = %v, want %v", test.name, test.n, got, test.byTimes)
		}
		if got := test.s.byUse(test.n); math.Abs(got-test.byUse) > 1e-9 {
			t.Errorf("%s: byUse(%v) = %v, want %v", test.name, test.n, got, test.byUse)
		}
	}
}

func TestGrowth(t *testing.T) {
	at := func(size, entries int64, seconds float64, peak int64) growthPoint {
		return growthPoint{size: size + startSample, entries: entries, seconds: seconds, peak: peak}
	}
	for _, test := range []struct {
		name         string
		g            growing
		linear, flat string
	}{
		{"linear and flat", growing{start: 1, points: []growthPoint{at(1e7, 1, 2, 20), at(1e8, 10, 11, 24)}}, "ok", "ok"},
		{"faster per byte", growing{points: []growthPoint{at(1e7, 1, 2, 20), at(1e8, 10, 8, 20)}}, "ok", "ok"},
		{"quadratic", growing{points: []growthPoint{at(1e7, 1, 1, 20), at(1e8, 10, 100, 200)}}, "missed", "missed"},
		{"slower after a fast size", growing{points: []growthPoint{at(1e7, 1, 1, 9), at(1e8, 10, 5, 20),
			at(1e9, 99, 100, 20)}}, "missed", "ok"},
		{"index", growing{perEntry: true, points: []growthPoint{at(1e7, 0, 1, 0), at(1e8, 10, 10, 2560)}}, "ok", "ok"},
		{"large index", growing{perEntry: true, points: []growthPoint{at(1e7, 0, 1, 0), at(1e8, 10, 10, 2570)}},
			"ok", "missed"},
		{"no peaks", growing{points: []growthPoint{at(1e7, 1, 1, 0)}}, "ok", "not measured"},
	} {
		if linear, flat := test.g.linear(), test.g.flat(); linear != test.linear || flat != test.flat {
			t.Errorf("%s: linear %s, flat %s, want %s, %s", test.name, linear, flat, test.linear, test.flat)
		}
	}
}
