package validate

import (
	"strings"

	"clawctl/pkg/rebuild"
)

// A Severity says how bad a finding is.
type Severity uint8

// Info is worth knowing. Warn hides or distorts something. Error loses history, or makes a request or an import fail.
const (
	Info Severity = iota
	Warn
	Error
)

// Severities are the names, from the least severe to the worst.
var Severities = []string{"info", "warn", "error"}

func (s Severity) String() string { return Severities[s] }

// The levels, in the order in which a session is checked.
const (
	LevelLine       = "line"
	LevelOrder      = "order"
	LevelLinks      = "links"
	LevelPairing    = "pairing"
	LevelAPI        = "api"
	LevelStore      = "store"
	LevelAccounting = "accounting"
	LevelPrivacy    = "privacy"
)

// A Rule is one thing that can be wrong.
type Rule struct {
	Code     string
	Severity Severity
	Level    string
	Title    string // what is wrong
	Does     string // what OpenClaw does about it: sentences whose implied subject is OpenClaw
	Run      string // a command that shows or fixes it, with placeholders such as FILE, LINE and ID
	Issues   string // in OpenClaw's tracker, or ""
}

var rulesByCode = func() map[string]*Rule {
	m := make(map[string]*Rule, len(Rules))
	for i := range Rules {
		m[Rules[i].Code] = &Rules[i]
	}
	return m
}()

// Lookup returns the rule with a code, in upper or lower case.
func Lookup(code string) (*Rule, bool) {
	r, ok := rulesByCode[strings.ToUpper(code)]
	return r, ok
}

// A Selection decides which rules are checked. The zero Selection includes all of them.
type Selection struct {
	Only, Not []string
	// Program is the program whose reading of a transcript is checked. If it is nil, the transcript decides.
	Program rebuild.Program
	// API is whose rules are applied to what is sent. If it is NoAPI, the session decides.
	API rebuild.API
}

// Matches reports whether a name selects a rule: by its code, the beginning of its code such as CL3, or its level.
func (r *Rule) Matches(name string) bool {
	return strings.HasPrefix(r.Code, strings.ToUpper(name)) || r.Level == strings.ToLower(name)
}

// IsKnown reports whether a name selects any rule.
func IsKnown(name string) bool {
	for i := range Rules {
		if name != "" && Rules[i].Matches(name) {
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
