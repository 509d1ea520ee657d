package validate

import (
	"cmp"
	"fmt"

	"clawctl/pkg/source"
)

// Store checks a place: its session index, the files that the index names, and the locks beside them.
func Store(place *source.Listing, selection Selection) []Finding {
	var findings []Finding
	add := func(p source.Problem) {
		if rule, ok := Lookup(p.Code); ok && selection.Takes(rule) {
			findings = append(findings, Finding{
				Rule: rule, Severity: rule.Severity, Path: p.Path, Session: p.Key, Detail: p.Detail,
				More: p.More,
			})
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
		if l.PID > 0 && !l.IsAlive() {
			add(source.Problem{Code: source.DeadLock, Path: l.Path, Detail: fmt.Sprintf("process %d", l.PID)})
		}
	}
	return findings
}

// CommandFor returns the command of the rule about a problem, "" if there is no such rule.
func CommandFor(p source.Problem) string {
	rule, ok := Lookup(p.Code)
	if !ok {
		return ""
	}
	return cmp.Or((&Finding{Rule: rule, Path: p.Path}).hint(), "clawctl explain "+string(rule.Code))
}

// isStale reports whether a listed total is out of date. OpenClaw rounds it and updates it a little later, so up to 5%
// does not count as a difference.
func isStale(listed, last int64) bool {
	difference := max(listed, last) - min(listed, last)
	return listed > 0 && last > 0 && difference*20 > last
}

func staleDetail(listed, last int64) string {
	return fmt.Sprintf("listed %d, last recorded %d", listed, last)
}
