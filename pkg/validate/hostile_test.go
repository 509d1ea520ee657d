package validate

import (
	"runtime"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// Every line of a file may have a finding. They take no memory beyond the first ten thousand, and all are counted.
func TestManyFindings(t *testing.T) {
	longtest.WithoutRaceDetector(t)
	check := func(lines int) (result Result, bytes float64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := &jsonl.Reader{}
		r.Reset(strings.NewReader(strings.Repeat("{}\n", lines)), jsonl.Options{})
		result, err := Session(r, &source.Session{Kind: source.Live}, Selection{})
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return result, float64(after.TotalAlloc - before.TotalAlloc)
	}
	_, base := check(5 * maxListed)
	result, bytes := check(40 * maxListed)
	if perLine := (bytes - base) / (35 * maxListed); perLine > 600 { // most of it is freed again at once
		t.Errorf("a line takes %.0f bytes", perLine)
	}
	counts := map[failure.Code]int{}
	for _, f := range result.Findings {
		counts[f.Rule.Code] += 1 + f.More
	}
	if counts["CL011"] != 40*maxListed || len(result.Findings) > 2*maxListed {
		t.Errorf("counted %v, and listed %d", counts, len(result.Findings))
	}
}
