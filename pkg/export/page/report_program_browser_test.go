package page

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
)

// The page that clawctl writes has, in a browser, the numbers that another run of it prints as JSON: the totals
// and every day, of whole homes, in a zone and in a period.
func TestBrowserReportOfProgram(t *testing.T) {
	startBrowser(t)
	clawctl := program(t)
	for _, home := range []string{"../../../testdata/home", "../../../../shared/transcripts/openclaw-jsonl"} {
		if _, err := os.Stat(home); err != nil {
			t.Log("not on this machine: ", home)
			continue
		}
		for _, args := range [][]string{{"--timezone", "UTC"}, {"--timezone", "Pacific/Auckland"},
			{"--timezone", "America/New_York", "--during", "2026-05"}} {
			t.Run(filepath.Base(home)+" "+strings.Join(args, " "), func(t *testing.T) {
				comparePageWithJSON(t, clawctl, append([]string{home}, args...))
			})
		}
	}
}

// comparePageWithJSON runs stats twice, as a page and as JSON, and compares both.
func comparePageWithJSON(t *testing.T, clawctl string, args []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	runStats(t, clawctl, args, "--format", "html", "-o", file)
	var numbers map[string]any
	if err := json.Unmarshal(runStats(t, clawctl, args, "--by", "day", "--json"), &numbers); err != nil {
		t.Fatal(err)
	}
	p := openFile(t, file)
	checkTotals(p, numbers)
	for _, measure := range []struct{ class, field string }{
		{"by-model", "recorded.total"}, {"by-agent", "recorded.total"}, {"by-model cost-estimated", "estimated.cost_usd"},
	} {
		compareDays(p, measure.class, daysOf(numbers, measure.field))
	}
}

// daysOf returns a number of every day that has one.
func daysOf(numbers map[string]any, field string) map[string]float64 {
	days := map[string]float64{}
	for _, row := range numbers["by"].(map[string]any)["day"].([]any) {
		row := row.(map[string]any)
		if n := fieldOf(row, field); n != 0 {
			days[row["name"].(string)] = n
		}
	}
	return days
}

// compareDays compares the last column of a table of days with these numbers.
func compareDays(p *tab, class string, days map[string]float64) {
	p.Helper()
	shown := eval[map[string]float64](p, `Object.fromEntries(
		[...document.querySelector('details[class="`+class+`"] table').tBodies[0].rows].map(row =>
			[row.cells[0].textContent, `+cellValue+`(row.cells[row.cells.length - 1])]).filter(pair => pair[1] !== 0))`)
	isSame := func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }
	if len(days) == 0 || !maps.EqualFunc(shown, days, isSame) {
		p.Errorf("%s: the page has %v, stats --json %v", class, shown, days)
	}
}

// runStats runs clawctl stats. Damage in a transcript is not a failure.
func runStats(t *testing.T, clawctl string, args []string, form ...string) []byte {
	t.Helper()
	cmd := exec.Command(clawctl, append(append([]string{"stats"}, args...), form...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != failure.ExitDamaged {
		t.Fatalf("%s: %v: %s", cmd, err, &stderr)
	}
	return out
}
