package secrets

import (
	"encoding/json"
	"strings"
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
		standard.Get().scan(raw, collect(led))
		standard.Get().scanAll(raw, collect(all))
		for value := range all {
			if !led[value] {
				t.Errorf("line %d: nothing leads to %q in %s", i+1, value, line)
			}
		}
	}
}

// Quick looks at raw text let a line end be anywhere in a secret and its name. Only where it breaks a keyword itself,
// nothing may lead to the string.
func TestBrokenLinesAreLedTo(t *testing.T) {
	isFound := func(scan func([]byte, func(Leak) bool), raw []byte) (found bool) {
		scan(raw, func(Leak) bool { found = true; return false })
		return found
	}
	d := standard.Get()
	led := func(raw []byte, yield func(Leak) bool) { d.scan(raw, yield) }
	total, overlooked := 0, 0
	for _, r := range Rules() {
		text, _ := r.Generate(77)
		for i := 1; i < len(text); i++ {
			raw, err := json.Marshal(strings.Repeat("some words before ", 4) + text[:i] + "\n" + text[i:] + "\nend")
			if err != nil {
				t.Fatal(err)
			}
			if !isFound(d.scanAll, raw) {
				continue
			}
			total++
			if !isFound(led, raw) {
				overlooked++
			}
		}
	}
	if total < 10_000 || overlooked > 966 {
		t.Errorf("nothing leads to %d of %d secrets in broken lines", overlooked, total)
	}
}
