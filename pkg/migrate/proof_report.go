package migrate

import (
	"fmt"
	"strings"
	"unicode"

	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// A ProofRow is the JSON form of a proof.
type ProofRow struct {
	SchemaVersion int         `json:"schema_version"`
	Verdict       Relation    `json:"verdict"`
	Complete      bool        `json:"complete"`
	Safe          bool        `json:"safe"`
	InUse         bool        `json:"in_use,omitempty"`
	Keep          string      `json:"keep,omitempty"`
	KeepBy        string      `json:"keep_by,omitempty"`
	Source        string      `json:"source"`
	Session       string      `json:"session"`
	Kind          source.Kind `json:"kind"`
	Target        string      `json:"target,omitempty"`
	Line          int64       `json:"line,omitempty"`
	Lines         int64       `json:"lines"`
	OnlyHere      int64       `json:"only_here"`
	OnlyHereLines []int64     `json:"only_here_lines,omitempty"`
	Error         string      `json:"error,omitempty"`
	Against       string      `json:"against"`
}

// Row returns the JSON form of a proof. against is the path of the target, and problem says why the source could not be
// compared.
func (p *Proof) Row(against, problem string) ProofRow {
	row := ProofRow{
		SchemaVersion: 1, Verdict: p.Relation, Complete: p.Complete(), Safe: p.Safe(), InUse: p.Keep.inUse(),
		Keep: string(p.Keep.Reason), KeepBy: p.Keep.By, Source: p.Session.Place(), Session: p.Session.Name(),
		Kind: p.Session.Kind, Line: p.Line, Lines: p.Lines, OnlyHere: p.Missing,
		OnlyHereLines: p.OnlyHere, Error: problem, Against: against,
	}
	if p.Target != nil {
		row.Target = p.Target.Name()
	}
	return row
}

// Verdict is the relation with the line from which on it holds.
func (p *Proof) Verdict() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s at line %d", p.Relation, p.Line)
	}
	return string(p.Relation)
}

// ProofSums adds up proofs. It is the last object of a report in JSON.
type ProofSums struct {
	SchemaVersion int              `json:"schema_version"`
	Summary       bool             `json:"summary"`
	Sources       int              `json:"sources"`
	Complete      int              `json:"complete"`
	Safe          int              `json:"safe"`
	InUse         int              `json:"in_use"` // complete, and a program may still use them
	OnlyHere      int64            `json:"only_here"`
	Verdicts      map[Relation]int `json:"verdicts"`
	Against       string           `json:"against"`
}

// SumProofs adds up proofs. against is the path of the target.
func SumProofs(proofs []Proof, against string) ProofSums {
	s := ProofSums{SchemaVersion: 1, Summary: true, Verdicts: map[Relation]int{}, Against: against}
	for i := range proofs {
		s.add(&proofs[i])
	}
	return s
}

func (s *ProofSums) add(p *Proof) {
	s.Sources++
	s.Verdicts[p.Relation]++
	s.OnlyHere += p.Missing
	if p.Complete() {
		s.Complete++
	}
	if p.Safe() {
		s.Safe++
	}
	if p.Keep.inUse() {
		s.InUse++
	}
}

// Incomplete is the number of sources with records that the target does not have.
func (s *ProofSums) Incomplete() int { return s.Sources - s.Complete }

// Words are the result for people.
func (s *ProofSums) Words(against Location) string {
	var parts []string
	add := func(n int, words string) {
		if n > 0 {
			parts = append(parts, ui.Thousands(int64(n))+" "+words)
		}
	}
	add(s.Safe, "safe to delete")
	add(s.InUse, "in use and complete")
	add(s.Complete-s.Safe-s.InUse, "complete but not safe to delete")
	add(s.Incomplete(), "not complete")
	text := fmt.Sprintf("Compared %s with the %s: %s.",
		ui.Count(s.Sources, "transcript"), against, strings.Join(parts, ", "))
	switch {
	case s.OnlyHere > 0:
		text += " " + ui.Are(s.OnlyHere, "record") + " only in these files."
	case s.Complete == s.Sources:
		text += " Every record was found."
	}
	return text
}

// A ProofFilter selects proofs.
type ProofFilter string

// The filters. The zero ProofFilter selects all proofs.
const (
	OnlyProblems ProofFilter = "problems"
	OnlySafe     ProofFilter = "safe"
)

// ProofFilters lists the filters.
var ProofFilters = []ProofFilter{OnlyProblems, OnlySafe}

// Takes reports whether a proof is selected.
func (f ProofFilter) Takes(p *Proof) bool {
	switch f {
	case OnlySafe:
		return p.Safe()
	case OnlyProblems:
		return !p.Complete()
	}
	return true
}

// IdenticalTargets are the names of the sessions of the target that are identical to a source, and so were read.
func IdenticalTargets(proofs []Proof) map[string]bool {
	names := map[string]bool{}
	for i := range proofs {
		if p := &proofs[i]; p.Relation == Identical && p.Err == nil {
			names[p.Target.Name()] = true
		}
	}
	return names
}

// ListSafe lists the paths of sources that are safe to delete, for a shell. Each ends with a NUL or a line break.
// refused is the number of names that are left out because a shell would misread them.
func ListSafe(proofs []Proof, null bool) (text string, refused int) {
	var b strings.Builder
	for i := range proofs {
		if !proofs[i].Safe() {
			continue
		}
		line, ok := shellLine(proofs[i].Session.Path, null)
		if !ok {
			refused++
		}
		b.WriteString(line)
	}
	return b.String(), refused
}

// shellLine is a path with its end. Without NULs, a path that a loop or xargs would take for something else is refused:
// one with a line break, or one that looks like a flag or begins or ends with a space. With NULs, only a dash can
// mislead.
func shellLine(path string, null bool) (line string, ok bool) {
	isFlag := strings.HasPrefix(path, "-")
	switch {
	case null && isFlag:
		return "./" + path + "\x00", true
	case null:
		return path + "\x00", true
	case isFlag || strings.TrimSpace(path) != path || strings.ContainsFunc(path, unicode.IsControl):
		return "", false
	}
	return path + "\n", true
}
