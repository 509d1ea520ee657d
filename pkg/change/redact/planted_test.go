package redact

import (
	"testing"

	"clawctl/internal/longtest"
	"clawctl/pkg/change/secrets/secretstest"
)

// No planted secret is left, whatever its form and its place.
func TestPlantedForms(t *testing.T) {
	p := secretstest.New(1, longtest.Rounds(t, "CLAWCTL_ONE_IN", 6, 1))
	got, _ := redacted(t, p.Text())
	forms, places := map[string]int{}, map[string]int{}
	for _, s := range p.Left(got) {
		forms[s.Form]++
		places[s.Container]++
		t.Errorf("%s in %s: %q", s.Form, s.Container, s.Values)
	}
	t.Logf("%d secrets, %d left: %v %v", len(p.Secrets), len(p.Left(got)), forms, places)
}
