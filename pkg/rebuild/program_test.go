package rebuild

import (
	"testing"

	"clawctl/pkg/dialect"
)

// Every program of the table has rules, for sizes too.
func TestEveryProgramHasRules(t *testing.T) {
	for _, p := range dialect.Table {
		if rulesOf[p] == nil {
			t.Errorf("%s has no rules", p.Name)
		}
	}
}
