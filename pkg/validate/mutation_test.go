package validate

import (
	"bytes"
	"fmt"
	"testing"

	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/validate/validatetest"
)

// judge returns the findings for a transcript.
func judge(t *testing.T, data []byte) []Finding {
	t.Helper()
	reader := jsonl.NewReader(bytes.NewReader(data), jsonl.Options{})
	result, err := Session(reader, source.Stream(nil, "test"),
		Selection{Secrets: redact.NewFinder().Places})
	if err != nil {
		t.Fatal(err)
	}
	return result.Findings
}

// Every planted fault is found on its line, and a healthy transcript has no findings.
func TestPlantedFaultsAreFound(t *testing.T) {
	const copies = 8
	planted := 0
	for seed := range uint64(copies) {
		clean := validatetest.Healthy(seed)
		for _, f := range judge(t, clean) {
			t.Errorf("seed %d: a healthy transcript has %s in line %d: %s\n%s", seed, f.Rule.Code, f.Line, f.Message(), clean)
		}
		for k, fault := range validatetest.Faults {
			text, line := fault.Plant(seed*1000 + uint64(k))
			planted++
			found := false
			var all []string
			for _, f := range judge(t, text) {
				all = append(all, fmt.Sprintf("%s:%d", f.Rule.Code, f.Line))
				found = found || f.Rule.Code == fault.Code && (line == 0 || f.Line == line)
			}
			if !found {
				t.Errorf("%s %s, planted in line %d, was not found, but %v", fault.Code, fault.Name, line, all)
			}
		}
	}
	if planted < 300 || len(validatetest.Faults) < 30 {
		t.Errorf("only %d faults of %d kinds", planted, len(validatetest.Faults))
	}
	t.Logf("%d faults of %d kinds", planted, len(validatetest.Faults))
}
