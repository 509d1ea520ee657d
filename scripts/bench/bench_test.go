package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/testkit"
)

func TestParseTable(t *testing.T) {
	table, err := parseTable("# a comment\n\ncorpus few\n    make generate -n 5 > {out}\n    make touch {out}\n" +
		"figure read-jq: read: speed\n    ours clawctl cat {few}\n    rival jq . {few}\n" +
		"    compare speed must 2.5 aim 3 cores 1 rounds 7\n" +
		"figure cores: two cores\n    ours clawctl cat {few}\n    compare speed cores 2/1\n")
	if err != nil {
		t.Fatal(err)
	}
	if steps := table.recipes["few"].steps; len(steps) != 2 || strings.Join(steps[0], " ") != "generate -n 5 > {out}" {
		t.Errorf("got the steps %v", steps)
	}
	f := table.figures[0]
	if f.name != "read-jq" || f.title != "read: speed" || f.must != 2.5 || f.aim != 3 || f.rounds != 7 ||
		f.cores != [2]int{1, 1} || strings.Join(f.rival, " ") != "jq . {few}" {
		t.Errorf("got %+v", f)
	}
	if f := table.figures[1]; f.cores != [2]int{2, 1} || !slices.Equal(f.rival, f.ours) {
		t.Errorf("without a rival, got %+v", f)
	}
}

func TestParseTableErrors(t *testing.T) {
	for text, want := range map[string]string{
		"rival x\n":                                                      "table.txt:1: expected corpus or figure",
		"    ours x\n":                                                   "table.txt:1: ours belongs to no entry",
		"corpus a\n    ours x\n":                                         "table.txt:2: a corpus has no \"ours\"",
		"figure a: b\n    must\n":                                        "table.txt:2: must has no value",
		"figure a: b\n    colour red\n":                                  "table.txt:2: a figure has no \"colour\"",
		"figure a: b\n    must x\n":                                      "table.txt:2: strconv.ParseFloat",
		"figure a: b\n":                                                  "figure a: the title or ours is missing",
		"figure a: b\n    ours x\n    compare weight 1\n":                "table.txt:3: 1 has no value",
		"figure a: b\n    ours x\n    compare weight\n":                  "compare must be cpu",
		"figure a: b\n    ours x\n    compare cpu\n":                     "a rival is missing",
		"figure a: b\n    ours x\n    rival y\n    compare peak\n":       "not wanted for peak",
		strings.Repeat("figure a: b\n    ours x\n    compare peak\n", 2): "used twice",
	} {
		if _, err := parseTable(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// Every name in braces in table.txt is a corpus or another value, and every corpus is used.
func TestTableIsComplete(t *testing.T) {
	table, err := parseTable(tableText)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range placeholder.FindAllString(tableText, -1) {
		name, _, _ = strings.Cut(strings.Trim(name, "{}"), ":")
		known := []string{"out", "new", "grow", "rivals", "shared"}
		if table.recipes[name] == nil && !slices.Contains(known, name) && !strings.HasSuffix(name, "%") {
			t.Errorf("{%s} is not a corpus", name)
		}
	}
	for name := range table.recipes {
		if strings.Count(tableText, "{"+name+"}") == 0 {
			t.Errorf("no figure uses %s", name)
		}
	}
}

func TestChoose(t *testing.T) {
	table := &table{figures: []*figure{{name: "read"}, {name: "read-jq"}, {name: "reader"}, {name: "help"}}}
	for only, want := range map[string]string{"": "read read-jq reader help", "help,read": "help read read-jq"} {
		chosen, err := table.choose(only)
		var names []string
		for _, f := range chosen {
			names = append(names, f.name)
		}
		if got := strings.Join(names, " "); got != want || err != nil {
			t.Errorf("choose(%q) = %s, %v, want %s", only, got, err, want)
		}
	}
	if _, err := table.choose("reed"); err == nil {
		t.Error("choose accepts an unknown figure")
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		times []time.Duration
		want  time.Duration
	}{
		{[]time.Duration{7}, 7},
		{[]time.Duration{9, 1}, 5},
		{[]time.Duration{9, 1, 2}, 2},
	} {
		if got := median(test.times); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.times, got, test.want)
		}
	}
}

func TestRow(t *testing.T) {
	second := sample{wall: time.Second, cpu: 2 * time.Second, bytes: 40_100_000}
	half := sample{wall: time.Second / 2, cpu: time.Second / 20, bytes: 80_200_000}
	for want, f := range map[string]figure{
		"f|2.00 s|50.0 ms|40|≤ 50|ok|≤ 30|missed":      {compare: "cpu", must: 50, aim: 30},
		"f|1.00 s|0.50 s|0.50|≥ 0.50|ok|≥ 1.50|missed": {compare: "speed", must: 0.5, aim: 1.5},
		"f|1.00 s|0.50 s|2.00||||":                     {compare: "time"},
		"f|40.1 MB|80.2 MB|0.50|≤ 0.40|missed||":       {compare: "size", must: 0.4},
		"f|||40.1 MB|≤ 40 MB|missed|≤ 100 MB|ok":       {compare: "peak", must: 40, aim: 100},
		"f|||1000 ms|≤ 2000 ms|ok|≤ 1000 ms|ok":        {compare: "wait", must: 2000, aim: 1000},
	} {
		f.title = "f"
		if got := strings.Join((&result{figure: &f, ours: second, rival: half}).row(), "|"); got != want {
			t.Errorf("%s: got %s, want %s", f.compare, got, want)
		}
	}
}

// A page keeps the rows of figures that were not measured, in the order of the table.
func TestUpdatePage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	row := func(name, value string) string { return markdownRow([]string{name, "", "", value, "", "", "", ""}) }
	head := grid{columns: figureColumns}.markdown()
	page := "before\n<!-- bench: figures -->\n" + head + row("b", "2 MB") + row("gone", "1 MB") + row("a", "1 MB") +
		"<!-- end -->\n<!-- bench: conditions -->\nold\n<!-- end -->\nafter\n"
	testkit.Write(t, path, page)
	a, b := &figure{title: "a", compare: "peak"}, &figure{title: "b", compare: "peak"}
	bench := &bench{table: &table{figures: []*figure{a, b}}}
	results := []*result{{figure: a, ours: sample{bytes: 7e6}}, {figure: b, err: errors.New("failed")}}
	if err := bench.updatePage(path, "new", results); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	want := "before\n<!-- bench: figures -->\n" + head + row("a", "7 MB") + row("b", "2 MB") + "<!-- end -->\n" +
		"<!-- bench: conditions -->\nnew\n<!-- end -->\nafter\n"
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestWrongFlags(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-size", "-1"}, {"-grow", "-5"}, {"-only", "reed"}, {"-no-flag"},
		{"x"}} {
		var stderr strings.Builder
		if code := run(args, io.Discard, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("run(%v) = %d, %q", args, code, stderr.String())
		}
	}
}

// Without compilers, npm and other programs, the figures that need them are named as skipped.
func TestRunWithoutRivals(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds clawctl")
	}
	program, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", filepath.Dir(program))
	var stdout, stderr strings.Builder
	args := []string{"-size", "300000", "-rounds", "1", "-cache", t.TempDir(),
		"-only", "read-simdjson,read-peak,cores-stats-file,store-size,search-word,validate-big"}
	if code := run(args, &stdout, &stderr); code != 0 {
		t.Fatalf("got %d: %s", code, stderr.String())
	}
	for _, want := range []string{"read, two cores: peak memory  ", "stats of one file, two cores: speed",
		"store: size, share of the JSONL  ", "skipped read-simdjson: simdjson: ",
		"skipped search-word: rg: ", "skipped validate-big: ", "it needs -grow"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("no %q in\n%s", want, stdout.String())
		}
	}
}
