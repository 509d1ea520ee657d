package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The files of the table usage, as the gateways write them and after compaction.
const (
	smallFiles = "'data/usage/*/*/*.parquet'"
	largeFiles = "'usage-by-month/*/*.parquet'"
)

// query adds up the dataset with DuckDB, and the homes with stats.
func (f *fleet) query() error {
	begun := time.Now()
	want, err := f.stats()
	if err != nil {
		return err
	}
	fmt.Printf("stats over %d homes: %.1f s\n", f.homes, time.Since(begun).Seconds())
	begun = time.Now()
	if _, err := f.duckDB(); err != nil {
		return err
	}
	fmt.Printf("DuckDB without a query: %d ms\n", time.Since(begun).Milliseconds())
	return f.compare(want, smallFiles)
}

// A group is the totals of a day or a model.
type group struct {
	Name     string
	Recorded struct {
		Input, Output, Total float64
		CostUSD              float64 `json:"cost_usd"`
	}
}

// stats returns the groups of stats over all homes, by dimension.
func (f *fleet) stats() (map[string][]group, error) {
	args := []string{"stats", "-q", "--json", "--by", "day", "--by", "model"}
	for i := range f.homes {
		args = append(args, f.home(i))
	}
	text, err := output(exec.Command(f.clawctl, args...))
	if err != nil {
		return nil, err
	}
	var report struct{ By map[string][]group }
	err = json.Unmarshal(text, &report)
	return report.By, err
}

// compare compares the totals of DuckDB by day and by model with those of stats.
func (f *fleet) compare(want map[string][]group, files string) error {
	for _, dimension := range []string{"day", "model"} {
		begun := time.Now()
		rows, err := f.duckDB(fmt.Sprintf(`SELECT %s::VARCHAR AS name, sum(input)::DOUBLE AS input,
			sum(output)::DOUBLE AS output, sum(total)::DOUBLE AS total, sum(cost_usd) AS usd
			FROM %s WHERE name IS NOT NULL GROUP BY name`, dimension, files))
		if err != nil {
			return err
		}
		took := time.Since(begun)
		if err := compareRows(want[dimension], rows); err != nil {
			return fmt.Errorf("by %s: %w", dimension, err)
		}
		fmt.Printf("DuckDB over %s by %s: %d ms, equal to stats in %d rows\n", files, dimension, took.Milliseconds(),
			len(rows))
	}
	return nil
}

// A row is a row of DuckDB.
type row struct {
	Name                      string
	Input, Output, Total, USD float64
}

// duckDB runs statements, and returns the rows of the last one. Its time includes that of loading DuckDB.
func (f *fleet) duckDB(statements ...string) (rows []row, err error) {
	text, err := os.ReadFile("scripts/fleet/duckdb.mjs")
	if err != nil {
		return nil, err
	}
	script := filepath.Join(f.engines, "duckdb.mjs") // node looks for packages beside the script
	if err := os.WriteFile(script, text, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command("node", append([]string{script}, statements...)...)
	cmd.Dir = f.folder
	out, err := output(cmd)
	for line := range bytes.Lines(out) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		rows = append(rows, r)
	}
	return rows, err
}

func compareRows(want []group, rows []row) error {
	have := map[string]row{}
	for _, r := range rows {
		have[r.Name] = r
	}
	if len(want) == 0 || len(want) != len(have) {
		return fmt.Errorf("DuckDB has %d rows, stats has %d", len(have), len(want))
	}
	for _, g := range want {
		r := have[g.Name]
		if r.Input != g.Recorded.Input || r.Output != g.Recorded.Output || r.Total != g.Recorded.Total ||
			math.Abs(r.USD-g.Recorded.CostUSD) > 0.0001 {
			return fmt.Errorf("DuckDB has %+v, stats has %+v", r, g)
		}
	}
	return nil
}

// compact writes a copy of the table usage with one file for each month, and queries that.
func (f *fleet) compact() error {
	want, err := f.stats()
	if err != nil {
		return err
	}
	recipe, err := compactRecipe()
	if err != nil {
		return err
	}
	begun := time.Now()
	if _, err := f.duckDB(recipe); err != nil {
		return err
	}
	took := time.Since(begun)
	files, bytes, err := measure(filepath.Join(f.folder, "usage-by-month"), ".parquet")
	if err != nil {
		return err
	}
	fmt.Printf("compacting usage: %.1f s, to %d files of %.1f MB\n", took.Seconds(), files, mb(bytes))
	return f.compare(want, largeFiles)
}

// compactRecipe returns the SQL of docs/fleet-scale.md.
func compactRecipe() (string, error) {
	page, err := os.ReadFile("docs/fleet-scale.md")
	if err != nil {
		return "", err
	}
	_, rest, found := strings.Cut(string(page), "```sql\n")
	recipe, _, ended := strings.Cut(rest, ";\n```")
	if !found || !ended {
		return "", errors.New("docs/fleet-scale.md has no SQL")
	}
	return recipe, nil
}
