package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
	"clawctl/internal/ui"
	"clawctl/pkg/export/dataset"
)

// tableMarks are around the part of docs/fleet.md that is made from the tables.
const tableMarks, tableMarksEnd = "<!-- tables: made by `make docs` -->\n", "<!-- end of tables -->"

// docs/fleet.md lists every table and column.
func TestGeneratedFleetDoc(t *testing.T) {
	before, rest, found := strings.Cut(readDoc(t, "docs/fleet.md"), tableMarks)
	_, after, ended := strings.Cut(rest, tableMarksEnd)
	if !found || !ended {
		t.Fatal("docs/fleet.md has no place for the tables")
	}
	var b strings.Builder
	for _, table := range dataset.Tables() {
		about := ui.Wrap(capitalized(table.About)+".", docWidth, "")
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| column | type | |\n|---|---|---|\n", table.Name, about)
		for _, c := range table.Columns {
			null := ""
			if c.Nullable {
				null = "?"
			}
			fmt.Fprintf(&b, "| %s | %s%s | %s |\n", c.Name, c.Type, null, c.About)
		}
	}
	tables := tableMarks + "\nA type with a question mark may be null.\n" + b.String() + "\n" + tableMarksEnd
	compareFile(t, filepath.Join(root, "docs/fleet.md"), before+tables+after, "UPDATE_DOCS")
}

func capitalized(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// An engine runs SQL in a folder.
type engine struct {
	script, folder string
	table          string // SQL for the files of a table
	day            string // SQL for the column day as a text
}

// newDuckDB returns a DuckDB that runs in a folder.
func newDuckDB(t *testing.T, folder string) engine {
	return engine{engineScript(t, "duckdb.mjs", "@duckdb"), folder, "'data/%s/*/*/*.parquet'", "day::VARCHAR"}
}

// newClickHouse returns a ClickHouse that runs in a folder.
func newClickHouse(t *testing.T, folder string) engine {
	return engine{engineScript(t, "clickhouse.mjs", "chdb"), folder, "file('data/%s/*/*/*.parquet')", "toString(day)"}
}

// engineScript puts the script that runs an engine beside the packages of the engine, where node looks for them.
// CLAWCTL_DUCKDB names the folder in which `make fleet` installs them.
func engineScript(t *testing.T, name, pkg string) string {
	t.Helper()
	installed := os.Getenv("CLAWCTL_DUCKDB")
	if _, err := os.Stat(filepath.Join(installed, "node_modules", pkg)); installed == "" || err != nil {
		t.Skipf("CLAWCTL_DUCKDB must name the folder that has %s; make fleet installs it", pkg)
	}
	text := testkit.Read(t, filepath.Join(root, "scripts/fleet", name))
	script := filepath.Join(installed, name)
	testkit.Write(t, script, text)
	return script
}

// run runs statements and returns the rows of the last one.
func (d engine) run(t *testing.T, statements ...string) (rows []map[string]any) {
	t.Helper()
	cmd := exec.Command("node", append([]string{d.script}, statements...)...)
	cmd.Dir = d.folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, out, strings.Join(statements, ";\n"))
	}
	for line := range strings.Lines(string(out)) {
		row := map[string]any{}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err, line)
		}
		rows = append(rows, row)
	}
	return rows
}

// exportDataset exports a home, once for every host, and returns the folder that has the dataset as data.
func exportDataset(t *testing.T, home string, hosts ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, host := range hosts {
		args := []string{"export", "-q", "--as", "parquet", home, "-o", filepath.Join(folder, "data"), "--raw-lines"}
		if host != "" {
			args = append(args, "--host", host)
		}
		if code, _, stderr := inProcess("", args...); code != failure.ExitOK && code != failure.ExitDamaged {
			t.Fatal(code, stderr)
		}
	}
	return folder
}

// clickHouseRecipes begins the part of docs/fleet.md that is for ClickHouse.
const clickHouseRecipes = "## Recipes for ClickHouse"

// Every recipe of docs/fleet.md and docs/fleet-scale.md runs, and finds something in the example home.
func TestDuckDBRecipes(t *testing.T) {
	before, _, _ := strings.Cut(readDoc(t, "docs/fleet.md"), clickHouseRecipes)
	db := newDuckDB(t, exportDataset(t, "../../testdata/home", "web1", "web2"))
	db.runRecipes(t, append(blocks(before, "sql"), blocks(readDoc(t, "docs/fleet-scale.md"), "sql")...), 9)
}

func TestClickHouseRecipes(t *testing.T) {
	_, after, _ := strings.Cut(readDoc(t, "docs/fleet.md"), clickHouseRecipes)
	db := newClickHouse(t, exportDataset(t, "../../testdata/home", "web1", "web2"))
	db.runRecipes(t, blocks(after, "sql"), 3)
}

// runRecipes runs at least so many recipes.
func (d engine) runRecipes(t *testing.T, recipes []string, least int) {
	t.Helper()
	if len(recipes) < least {
		t.Fatalf("only %d recipes", len(recipes))
	}
	for _, recipe := range recipes {
		statements := strings.Split(strings.TrimSuffix(strings.TrimSpace(recipe), ";"), ";\n")
		if rows := d.run(t, statements...); len(rows) == 0 && !strings.Contains(recipe, "'image'") {
			t.Errorf("no rows for\n%s", recipe)
		}
	}
}

// A statsGroup is a group of `stats --json --by`.
type statsGroup struct {
	Name       string
	Records    float64
	Messages   float64
	ToolCalls  float64 `json:"tool_calls"`
	ToolErrors float64 `json:"tool_errors"`
	Recorded   struct {
		Input, Output, Total float64
		CostUSD              float64 `json:"cost_usd"`
	}
}

// The totals of engines by agent, model, day and tool are those of stats, to the token and the cent.
func TestDuckDBEqualsStats(t *testing.T)     { testEngine(t, newDuckDB) }
func TestClickHouseEqualsStats(t *testing.T) { testEngine(t, newClickHouse) }

func testEngine(t *testing.T, newEngine func(*testing.T, string) engine) {
	for _, home := range []string{"../../testdata/home", "../../testdata/transcripts"} {
		db := newEngine(t, exportDataset(t, home, ""))
		for dimension, column := range map[string]string{
			"agent": "agent", "model": "model", "day": "coalesce(" + db.day + ", 'undated')", "tool": "tool", "total": "'total'",
		} {
			compareWithStats(t, home, dimension, db.run(t, fmt.Sprintf(usageTotals, column, db.files("usage"))))
		}
		calls := db.run(t, "SELECT tool AS name, count(*) AS calls FROM "+db.files("tool_calls")+" GROUP BY tool")
		for _, g := range statsGroups(t, "tool", home) {
			if n := cell(rowNamed(calls, g.Name), "calls"); n != g.ToolCalls {
				t.Errorf("%s: %v calls of %s, stats has %v", home, n, g.Name, g.ToolCalls)
			}
		}
	}
}

// usageTotals adds up the table usage by a column.
const usageTotals = `SELECT %s AS name, sum(records)::BIGINT AS records, sum(messages)::BIGINT AS messages,
	sum(tool_errors)::BIGINT AS tool_errors, sum(input)::BIGINT AS input, sum(output)::BIGINT AS output,
	sum(total)::BIGINT AS total, round(coalesce(sum(cost_usd), 0), 6) AS usd
	FROM %s WHERE name IS NOT NULL GROUP BY name`

// files returns SQL for the files of a table.
func (d engine) files(table string) string { return fmt.Sprintf(d.table, table) }

// statsGroups returns the groups of a dimension, or the totals.
func statsGroups(t *testing.T, dimension string, places ...string) []statsGroup {
	t.Helper()
	args := append([]string{"stats", "--json"}, places...)
	if dimension != "total" {
		args = append(args, "--by", dimension)
	}
	code, stdout, stderr := inProcess("", args...)
	if code != failure.ExitOK && code != failure.ExitDamaged {
		t.Fatal(code, stderr)
	}
	var report struct {
		statsGroup
		By map[string][]statsGroup
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatal(err)
	}
	if dimension == "total" {
		report.Name = dimension
		return []statsGroup{report.statsGroup}
	}
	groups := report.By[dimension]
	for i := range groups {
		if dimension == "model" {
			groups[i].ToolErrors = 0 // a result is a record of its own, which has no model
		}
	}
	return groups
}

func rowNamed(rows []map[string]any, name string) map[string]any {
	for _, row := range rows {
		if row["name"] == name {
			return row
		}
	}
	return nil
}

// cell returns a number of a row. Engines may write those of 64 bits as texts.
func cell(row map[string]any, column string) float64 {
	switch v := row[column].(type) {
	case float64:
		return v
	case string:
		n, _ := strconv.ParseFloat(v, 64)
		return n
	}
	return 0
}

func compareWithStats(t *testing.T, home, dimension string, rows []map[string]any) {
	t.Helper()
	groups := statsGroups(t, dimension, home)
	named := 0
	for _, g := range groups {
		if g.Records == 0 {
			continue // a tool without results
		}
		named++
		row := rowNamed(rows, g.Name)
		for column, want := range map[string]float64{
			"records": g.Records, "messages": g.Messages, "tool_errors": g.ToolErrors, "input": g.Recorded.Input,
			"output": g.Recorded.Output, "total": g.Recorded.Total,
		} {
			if got := cell(row, column); got != want {
				t.Errorf("%s: %s %s: %s is %v, stats has %v", home, dimension, g.Name, column, got, want)
			}
		}
		if got := cell(row, "usd"); math.Abs(got-g.Recorded.CostUSD) > 0.00001 {
			t.Errorf("%s: %s %s: $%v, stats has $%v", home, dimension, g.Name, got, g.Recorded.CostUSD)
		}
	}
	if named == 0 || named != len(rows) {
		t.Errorf("%s: %d groups by %s, stats has %d", home, len(rows), dimension, named)
	}
}
