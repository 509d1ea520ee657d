package validate

import (
	"fmt"

	"clawctl/pkg/source"
)

// Store judges a place: its registrations, the files that they name, and the locks beside them.
func Store(place *source.Place, selection Selection) (findings []Finding) {
	add := func(p source.Problem) {
		rule := rulesByCode[string(p.Code)]
		if rule != nil && selection.Takes(rule) {
			findings = append(findings, Finding{Rule: rule, Severity: rule.Severity, Path: p.Path, Session: p.Key, Detail: p.Detail})
		}
	}
	for _, p := range place.Problems {
		add(p)
	}
	for _, s := range place.Sessions {
		for _, p := range s.Problems {
			p.Key = s.Name()
			add(p)
		}
	}
	for _, l := range place.Locks {
		if !l.IsAlive() {
			add(source.Problem{Code: source.DeadLock, Path: l.Path, Detail: fmt.Sprintf("process %d", l.PID)})
		}
	}
	return findings
}

// isStale reports whether a listed total is not the one that was recorded last. OpenClaw rounds, and updates it a little
// later: a twentieth is no difference.
func isStale(listed, last int64) bool {
	difference := max(listed, last) - min(listed, last)
	return listed > 0 && last > 0 && difference*20 > last
}

func staleDetail(listed, last int64) string {
	return fmt.Sprintf("listed %d, recorded last %d", listed, last)
}
