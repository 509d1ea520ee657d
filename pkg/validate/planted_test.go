package validate

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/validate/validatetest"
)

// unplanted are the rules without a planted fault, and why.
var unplanted = map[failure.Code]string{
	"CL005": "a line of 256 MiB takes too long; pkg/jsonl tests it with another limit",
	"CL411": "only a request has it: rebuild adds the line",
	"CL413": "only `rebuild --trim` has a budget",
	"CL510": "a test that runs as root can read everything",
	"CL515": "cmd/clawctl interrupts an import",
	"CL516": "only older versions of clawctl wrote such stores",
	"CL526": "testdata/script/stitch.txtar has such a session",
	"CL527": "testdata/script/stitch.txtar has such a session",
	"CL524": "testdata/script/agent-folders.txtar makes such a database",
}

// Every rule has a planted fault, so that a test shows that it is found.
func TestEveryRuleHasAPlantedFault(t *testing.T) {
	for _, r := range Rules() {
		isPlanted := slices.ContainsFunc(validatetest.Faults, func(f validatetest.Fault) bool { return f.Code == r.Code }) ||
			slices.ContainsFunc(validatetest.PlaceFaults, func(f validatetest.PlaceFault) bool { return f.Code == r.Code })
		if isPlanted == (unplanted[r.Code] != "") {
			t.Errorf("%s %s: planted: %v, reason for the opposite: %q", r.Code, r.Words, isPlanted, unplanted[r.Code])
		}
	}
}

// placeFindings returns the codes that a state folder has.
func placeFindings(t *testing.T, fault validatetest.PlaceFault) (codes []failure.Code) {
	t.Helper()
	folder := t.TempDir()
	if err := fault.Plant(folder); err != nil {
		t.Skip(err) // some systems do not let everyone make links
	}
	place, err := source.Find(context.Background(), folder, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	findings := Store(place, Selection{})
	for _, s := range place.Sessions {
		in, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		result, err := Session(jsonl.NewReader(in, jsonl.Options{}), s, Selection{})
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
		findings = append(findings, result.Findings...)
	}
	for _, f := range findings {
		codes = append(codes, f.Rule.Code)
	}
	return codes
}

// Every planted fault of a folder is found, and a healthy folder has no findings.
func TestPlantedFaultsOfPlacesAreFound(t *testing.T) {
	if codes := placeFindings(t, validatetest.PlaceFault{}); len(codes) > 0 {
		t.Errorf("a healthy folder has %v", codes)
	}
	for _, fault := range validatetest.PlaceFaults {
		t.Run(fmt.Sprintf("%s %s", fault.Code, fault.Name), func(t *testing.T) {
			if codes := placeFindings(t, fault); !slices.Contains(codes, fault.Code) {
				t.Errorf("not found, but %v", codes)
			}
		})
	}
}
