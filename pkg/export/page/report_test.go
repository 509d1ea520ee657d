package page

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"clawctl/internal/calendar"
	"clawctl/internal/testkit"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/models"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// reportOf returns the report of sessions in files, and the same numbers as JSON.
func reportOf(t *testing.T, files ...string) (text string, numbers map[string]any) {
	t.Helper()
	return reportWith(t, stats.Options{Zone: calendar.UTC, Jobs: 1, Catalogue: models.BuiltIn()}, files...)
}

func reportWith(t *testing.T, opts stats.Options, files ...string) (text string, numbers map[string]any) {
	t.Helper()
	var sessions []*source.Session
	for _, file := range files {
		s := source.File(file)
		s.Agent = cmp.Or(s.Agent, "main")
		sessions = append(sessions, s)
	}
	opts.By, opts.Cross = ReportDimensions, ReportPairs
	result, activity, err := CollectActivity(context.Background(), sessions, opts)
	if err != nil {
		t.Fatal(err)
	}
	r := &Report{Title: "Report", Stats: stats.NewReport(result, opts, 0), Activity: activity, Zone: opts.Zone,
		Masker: &redact.Masker{}}
	var b bytes.Buffer
	if err := WriteReport(&b, r); err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal(r.Stats)
	if err := json.Unmarshal(data, &numbers); err != nil {
		t.Fatal(err)
	}
	return b.String(), numbers
}

// exampleFiles are the transcripts of the example home.
func exampleFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../../testdata/home/agents/*/sessions/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no example", err)
	}
	return files
}

// fieldOf returns a number of the report by its path.
func fieldOf(numbers map[string]any, path string) float64 {
	var at any = numbers
	for _, key := range strings.Split(path, ".") {
		at = at.(map[string]any)[key]
	}
	return at.(float64)
}

// The totals of every table are those of stats --json, and the rows of a table add up to them.
func TestReportTotals(t *testing.T) {
	text, numbers := reportOf(t, exampleFiles(t)...)
	tables := regexp.MustCompile(`(?s)<table.*?</table>`).FindAllString(text, -1)
	checked := map[string]int{}
	for _, table := range tables {
		body, foot, _ := strings.Cut(table, "<tfoot>")
		var sums []float64
		for _, row := range strings.Split(body, "<tr>")[1:] {
			for i, cell := range cellPattern.FindAllStringSubmatch(row, -1) {
				if i == len(sums) {
					sums = append(sums, 0)
				}
				sums[i] += valueOf(cell)
			}
		}
		for i, cell := range cellPattern.FindAllStringSubmatch(foot, -1) {
			field := cell[2]
			if field == "" {
				continue
			}
			checked[field]++
			if want := fieldOf(numbers, field); math.Abs(valueOf(cell)-want) > 1e-6 || math.Abs(sums[i]-want) > 1e-6 {
				t.Errorf("%s: the table has %v, its rows add up to %v, stats has %v", field, valueOf(cell), sums[i], want)
			}
		}
	}
	for field, least := range map[string]int{"recorded.total": 4, "recorded.cost_usd": 4, "estimated.cost_usd": 4} {
		if checked[field] < least {
			t.Error("only", checked[field], "totals of", field, "were compared")
		}
	}
}

// cellPattern finds the cells of a table: the exact value, the field, and the words.
var cellPattern = regexp.MustCompile(`<td(?: data-value="([^"]*)")?(?: data-field="([^"]*)")?>([^<\n]*)`)

// valueOf returns the number of a cell that cellPattern found. A blank one is 0.
func valueOf(cell []string) float64 {
	n, _ := strconv.ParseFloat(cmp.Or(cell[1], strings.ReplaceAll(cell[3], ",", "")), 64)
	return n
}

// Names that are secrets or markup do no harm.
func TestReportMasks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.jsonl")
	line := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00Z","message":{"role":"assistant",` +
		`"content":[{"type":"toolCall","id":"c","name":"<img src=x>","arguments":{}}],"provider":"p",` +
		`"model":"sk-ant-api03-` + strings.Repeat("Ab3", 31) + `AA","usage":{"input":5,"output":1,"totalTokens":6}}}
`
	testkit.Write(t, file, line)
	text, _ := reportOf(t, file)
	if strings.Contains(text, "sk-ant-api03") || strings.Contains(text, "<img") {
		t.Error("the report has a secret or markup of a transcript")
	}
}

// The points of a long session are the largest of several answers.
func TestFillSeries(t *testing.T) {
	var f fillSeries
	most := int64(0)
	for i := range int64(5000) {
		if i == 4000 {
			f.mark()
		}
		size := i % 977
		most = max(most, size)
		f.add(size)
	}
	drawn := int64(0)
	for _, p := range f.points {
		drawn = max(drawn, p)
	}
	share := fmt.Sprintf("%.1f", float64(f.marks[0])/float64(len(f.points)))
	if len(f.points) > mostPoints || drawn != most || len(f.marks) != 1 || share != "0.8" {
		t.Errorf("%d points up to %d of %d, marks %v", len(f.points), drawn, most, f.marks)
	}
}
