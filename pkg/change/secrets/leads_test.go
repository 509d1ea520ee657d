package secrets

import (
	"testing"

	"clawctl/pkg/change/secrets/secretstest"
)

// What keywords lead to is all that there is: looking at every string finds nothing more.
func TestKeywordsLeadToEverything(t *testing.T) {
	p := secretstest.New(5, 4)
	collect := func(findings map[string]bool) func(Leak) bool {
		return func(f Leak) bool {
			for _, m := range f.Matches {
				findings[string(f.Text[m.Start:m.End])] = true
			}
			return true
		}
	}
	for i, line := range p.Lines {
		led, all := map[string]bool{}, map[string]bool{}
		raw := []byte(line)
		standard().scan(raw, collect(led))
		standard().scanAll(raw, collect(all))
		for value := range all {
			if !led[value] {
				t.Errorf("line %d: nothing leads to %q in %s", i+1, value, line)
			}
		}
	}
}
