package validate

import (
	"slices"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
)

// A Severity says how bad a finding is.
type Severity = failure.Severity

// The severities, from the least severe to the worst.
const (
	Info  = failure.Info
	Warn  = failure.Warn
	Error = failure.Severe
)

// A Rule is one thing that can be wrong.
type Rule = failure.Entry

// Rules lists every rule in order.
func Rules() []Rule { return failure.Rules() }

// Levels lists the levels of rules in order.
func Levels() (list []string) {
	for _, r := range Rules() {
		if !slices.Contains(list, r.Level) {
			list = append(list, r.Level)
		}
	}
	return list
}

// Lookup returns the rule with a code, in upper or lower case.
func Lookup(code failure.Code) (*Rule, bool) {
	r, ok := failure.Lookup(code)
	return r, ok && r.Level != failure.LevelOwn
}

// A Selection decides which rules are checked. The zero Selection includes all of them.
type Selection struct {
	Only, Not []string
	// Program is the program whose reading of a transcript is checked. If it is nil, the transcript decides.
	Program rebuild.Program
	// API is whose rules are applied to what is sent. If it is NoAPI, the session decides.
	API rebuild.API
	// Secrets counts the places of a record that look like keys and passwords, in any goroutine. If it is nil, nobody
	// looks for them.
	Secrets func(rec *jsonl.Record) int
}

// secretSearch is Secrets, or nil if the rule about what it finds is not selected.
func (s Selection) secretSearch() func(rec *jsonl.Record) int {
	if !s.TakesSecrets() {
		return nil
	}
	return s.Secrets
}

// TakesSecrets reports whether the rule about secrets is selected.
func (s Selection) TakesSecrets() bool {
	rule, _ := Lookup(Secret)
	return s.Takes(rule)
}

// WantsSecrets reports whether the rules that are selected name secrets.
func (s Selection) WantsSecrets() bool { return len(s.Only) > 0 && s.TakesSecrets() }

// LeavesSecrets reports whether all rules but the one about secrets are checked, only because nobody asked for it.
func (s Selection) LeavesSecrets() bool { return s.Secrets == nil && s.TakesSecrets() }

// IsKnown reports whether a name selects any rule.
func IsKnown(name string) bool {
	for i := range Rules() {
		if name != "" && Rules()[i].Matches(name) {
			return true
		}
	}
	return false
}

// Takes reports whether a rule is selected.
func (s Selection) Takes(r *Rule) bool {
	taken := len(s.Only) == 0
	for _, name := range s.Only {
		taken = taken || r.Matches(name)
	}
	for _, name := range s.Not {
		taken = taken && !r.Matches(name)
	}
	return taken
}
