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

// The files of the table usage, as the gateways write them, those of one month, and after compaction.
const (
	smallFiles = "data/usage/*/*/*.parquet"
	monthFiles = "data/usage/*/month=2026-02/*.parquet"
	largeFiles = "usage-by-month/*/*.parquet"
)

// An engine runs SQL over files of the bucket.
type engine struct {
	name, script string
	from         string // SQL for the files of a pattern
	settings     string
}

// duckDB reads the folder of the bucket, because the extension that reads object storage is not on npm.
func (f *fleet) duckDB() engine {
	return engine{name: "DuckDB", script: "duckdb.mjs", from: "'%s'"}
}

// clickHouse sends the requests of S3 to the bucket.
func (f *fleet) clickHouse() engine {
	return engine{"ClickHouse", "clickhouse.mjs", "s3('" + f.bucket.address + "%s', NOSIGN)",
		" SETTINGS cast_keep_nullable = 1"}
}

// query adds up the dataset with both engines, and the homes with stats. At the end it reads all columns, as a
// compaction does.
func (f *fleet) query() error {
	begun := time.Now()
	want, err := f.stats()
	if err != nil {
		return err
	}
	fmt.Printf("stats over %d homes: %.1f s\n", f.homes, time.Since(begun).Seconds())
	for _, e := range []engine{f.duckDB(), f.clickHouse()} {
		if _, err := f.ask(e, "without a query"); err != nil {
			return err
		}
		if err := f.compare(e, want, smallFiles); err != nil {
			return err
		}
	}
	store := f.clickHouse()
	_, err = f.ask(store, "one month", store.totals("day", monthFiles))
	if err != nil {
		return err
	}
	_, err = f.ask(store, "all columns", "SELECT toString(sum(cityHash64(*))) AS name FROM "+
		fmt.Sprintf(store.from, smallFiles))
	return err
}

// totals returns a query for the totals of files by a dimension.
func (e engine) totals(dimension, files string) string {
	return fmt.Sprintf(`SELECT %s::VARCHAR AS name, sum(input)::DOUBLE AS input,
		sum(output)::DOUBLE AS output, sum(total)::DOUBLE AS total, sum(cost_usd) AS usd
		FROM %s WHERE name IS NOT NULL GROUP BY name%s`, dimension, fmt.Sprintf(e.from, files), e.settings)
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

// compare compares the totals of an engine by day and by model with those of stats.
func (f *fleet) compare(e engine, want map[string][]group, files string) error {
	for _, dimension := range []string{"day", "model"} {
		rows, err := f.ask(e, files+" by "+dimension, e.totals(dimension, files))
		if err != nil {
			return err
		}
		if err := compareRows(want[dimension], rows); err != nil {
			return fmt.Errorf("%s by %s: %w", e.name, dimension, err)
		}
		fmt.Printf("%s by %s: equal to stats in %d rows\n", e.name, dimension, len(rows))
	}
	return nil
}

// A row is a row of an answer.
type row struct {
	Name                      string
	Input, Output, Total, USD float64
}

// ask runs statements, says what that costs, and returns the rows of the last one. The time includes that of loading
// the engine.
func (f *fleet) ask(e engine, name string, statements ...string) (rows []row, err error) {
	text, err := os.ReadFile(filepath.Join("scripts/fleet", e.script))
	if err != nil {
		return nil, err
	}
	script := filepath.Join(f.engines, e.script) // node looks for packages beside the script
	if err := os.WriteFile(script, text, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command("node", append([]string{script}, statements...)...)
	cmd.Dir = f.bucket.folder
	begun := time.Now()
	out, err := output(cmd)
	if err != nil {
		return nil, err
	}
	took := time.Since(begun)
	used, err := f.bucket.take()
	if err != nil {
		return nil, err
	}
	fmt.Printf("%s, %s: %.1f s, processor time %.1f s; %s\n", e.name, name, took.Seconds(),
		processorTime(cmd).Seconds(), used)
	return parseRows(out)
}

func parseRows(out []byte) (rows []row, err error) {
	for line := range bytes.Lines(out) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func compareRows(want []group, rows []row) error {
	have := map[string]row{}
	for _, r := range rows {
		have[r.Name] = r
	}
	if len(want) == 0 || len(want) != len(have) {
		return fmt.Errorf("the engine has %d rows, stats has %d", len(have), len(want))
	}
	for _, g := range want {
		r := have[g.Name]
		if r.Input != g.Recorded.Input || r.Output != g.Recorded.Output || r.Total != g.Recorded.Total ||
			math.Abs(r.USD-g.Recorded.CostUSD) > 0.0001 {
			return fmt.Errorf("the engine has %+v, stats has %+v", r, g)
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
	if _, err := f.ask(f.duckDB(), "compacting usage", recipe); err != nil {
		return err
	}
	files, bytes, err := measure(filepath.Join(f.bucket.folder, "usage-by-month"), ".parquet")
	if err != nil {
		return err
	}
	fmt.Printf("compacted: %d files of %.1f MB\n", files, mb(bytes))
	return errors.Join(f.compare(f.duckDB(), want, largeFiles), f.compare(f.clickHouse(), want, largeFiles))
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
