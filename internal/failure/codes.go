package failure

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A Code identifies a finding or a failure. Codes are a contract: they keep their meaning.
type Code string

// A Severity says how bad a finding is.
type Severity uint8

// Info is worth knowing. Warn hides or distorts something. Severe loses history, or makes a request or an import fail.
const (
	Info Severity = iota
	Warn
	Severe
)

// Severities are the names, from the least severe to the worst.
var Severities = []string{"info", "warn", "error"}

func (s Severity) String() string { return Severities[s] }

// Levels that other packages ask for.
const (
	LevelPairing = "pairing"
	LevelAPI     = "api"
	LevelOwn     = "clawctl"
)

// levels are the levels by the first digit of their codes: of findings, in the order in which a session is checked, and
// of clawctl's own failures.
var levels = [10]string{
	"line", "order", "links", LevelPairing, LevelAPI, "store", "accounting", "privacy", "", LevelOwn,
}

// An Entry is everything that clawctl says about a code.
type Entry struct {
	Code     Code
	Severity Severity
	Level    string // follows from the code
	Exit     int    // of a command that ends with it; 0 for findings, which count as damaged input
	Label    string // a word or two for a table, of findings about stores
	Words    string // what is wrong, as in a message
	Explain  string // of clawctl's own failures: why it happens and what clawctl did
	Does     string // of findings: what OpenClaw does, in sentences whose implied subject is OpenClaw
	Fix      string // of findings: what `clawctl rebuild` did about it, "" if it sends the conversation as it is
	Run      string // a command that shows or fixes it, with placeholders such as FILE, LINE and ID
	Issues   string // of findings: reports in OpenClaw's tracker, or ""
}

// Table lists every code: the findings in transcripts and stores, and then clawctl's own failures.
func Table() []Entry { return table() }

var table = sync.OnceValue(func() []Entry {
	entries := slices.Concat(findings, ownErrors)
	for i := range entries {
		entries[i].Level = levels[entries[i].Code[len("CL")]-'0']
	}
	return entries
})

// Rules are the entries of the findings.
func Rules() []Entry { return Table()[:len(findings):len(findings)] }

// Matches reports whether a name selects an entry: by its code, the beginning of its code such as CL3, or its level.
func (e *Entry) Matches(name string) bool {
	return strings.HasPrefix(string(e.Code), strings.ToUpper(name)) || e.Level == strings.ToLower(name)
}

// byCode has the entries of the table.
var byCode = sync.OnceValue(func() map[Code]*Entry {
	entries := Table()
	m := make(map[Code]*Entry, len(entries))
	for i := range entries {
		m[entries[i].Code] = &entries[i]
	}
	return m
})

// Lookup returns the entry of a code, in upper or lower case.
func Lookup(code Code) (*Entry, bool) {
	e, ok := byCode()[Code(strings.ToUpper(string(code)))]
	return e, ok
}

// Entry returns the entry of a code, an empty one if there is none.
func (c Code) Entry() Entry {
	if e, ok := byCode()[c]; ok {
		return *e
	}
	return Entry{Code: c}
}

// Exit returns the exit status of a command that ends with the code.
func (c Code) Exit() int { return cmp.Or(c.Entry().Exit, ExitDamaged) }

// Words says what is wrong.
func (c Code) Words() string { return c.Entry().Words }

// Label says it in a word or two.
func (c Code) Label() string { return c.Entry().Label }

// FixWords says what is wrong and what `clawctl rebuild` did about it.
func (c Code) FixWords() string { return c.Words() + ": " + c.Entry().Fix }
