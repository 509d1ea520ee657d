package writing

import (
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/pkg/store"
)

// BlameDamage reports the damaged parts of a store.
func BlameDamage(a *cli.App, outcome *failure.Tally, path string, faults []store.Fault) {
	for _, f := range faults {
		if f.Kind != store.Damaged {
			continue
		}
		place := path
		if f.Session != "" {
			place += "#" + f.Session
		}
		hint := failure.Command("clawctl", "verify", path)
		a.Blame(outcome, failure.New(failure.Corrupt, "%s", f.Text).At(place).WithHint(hint).AfterWork())
	}
}
