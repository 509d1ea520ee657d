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
	"clawctl/internal/ui"
	"clawctl/pkg/dataset"
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

// A duckDB runs SQL in a folder.
type duckDB struct{ script, folder string }

// newDuckDB returns a DuckDB that runs in a folder. CLAWCTL_DUCKDB names the folder in which `make fleet` installs it.
func newDuckDB(t *testing.T, folder string) duckDB {
	t.Helper()
	installed := os.Getenv("CLAWCTL_DUCKDB")
	if installed == "" {
		t.Skip("CLAWCTL_DUCKDB must name the folder of DuckDB; make fleet installs it")
	}
	text, err := os.ReadFile(filepath.Join(root, "scripts/fleet/duckdb.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(installed, "duckdb.mjs") // node looks for packages beside the script
	if err := os.WriteFile(script, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return duckDB{script, folder}
}

// run runs statements and returns the rows of the last one.
func (d duckDB) run(t *testing.T, statements ...string) (rows []map[string]any) {
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

// Every recipe of docs/fleet.md runs, and finds something in the example home.
func TestDuckDBRecipes(t *testing.T) {
	db := newDuckDB(t, exportDataset(t, "../../testdata/home", "web1", "web2"))
	recipes := blocks(readDoc(t, "docs/fleet.md"), "sql")
	if len(recipes) < 8 {
		t.Fatalf("only %d recipes", len(recipes))
	}
	for _, recipe := range recipes {
		statements := strings.Split(strings.TrimSuffix(strings.TrimSpace(recipe), ";"), ";\n")
		if rows := db.run(t, statements...); len(rows) == 0 && !strings.Contains(recipe, "'image'") {
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

// DuckDB's totals by agent, model, day and tool are those of stats, to the token and the cent.
func TestDuckDBEqualsStats(t *testing.T) {
	for _, home := range []string{"../../testdata/home", "../../testdata/transcripts"} {
		db := newDuckDB(t, exportDataset(t, home, ""))
		for dimension, column := range map[string]string{
			"agent": "agent", "model": "model", "day": "coalesce(day::VARCHAR, 'undated')", "tool": "tool", "total": "'total'",
		} {
			rows := db.run(t, `SELECT `+column+` AS name, sum(records)::BIGINT AS records, sum(messages)::BIGINT AS messages,
				sum(tool_errors)::BIGINT AS tool_errors, sum(input)::BIGINT AS input, sum(output)::BIGINT AS output,
				sum(total)::BIGINT AS total, round(coalesce(sum(cost_usd), 0), 6) AS usd
				FROM 'data/usage/*/*/*.parquet' WHERE name IS NOT NULL GROUP BY name`)
			compareWithStats(t, home, dimension, rows)
		}
		calls := db.run(t, `SELECT tool AS name, count(*) AS calls FROM 'data/tool_calls/*/*/*.parquet' GROUP BY tool`)
		for _, g := range statsGroups(t, home, "tool") {
			if n := cell(rowNamed(calls, g.Name), "calls"); n != g.ToolCalls {
				t.Errorf("%s: %v calls of %s, stats has %v", home, n, g.Name, g.ToolCalls)
			}
		}
	}
}

// statsGroups returns the groups of a dimension, or the totals.
func statsGroups(t *testing.T, home, dimension string) []statsGroup {
	t.Helper()
	args := []string{"stats", home, "--json"}
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
	return report.By[dimension]
}

// rowNamed returns the row with a name.
func rowNamed(rows []map[string]any, name string) map[string]any {
	for _, row := range rows {
		if row["name"] == name {
			return row
		}
	}
	return nil
}

// cell returns a number of a row. DuckDB writes those of 64 bits as texts.
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
	groups := statsGroups(t, home, dimension)
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
