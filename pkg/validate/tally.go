package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"clawctl/internal/failure"
)

// A Tally counts findings by code, one session or place after another. Its memory is bounded by the number of rules.
// The zero Tally is ready to use.
type Tally struct {
	rows  map[tallyKey]*TallyRow
	total int
}

// A tallyKey groups findings. A finding that no longer matters is less severe than its rule.
type tallyKey struct {
	code     failure.Code
	severity Severity
}

// A TallyRow is the count for one code and severity.
type TallyRow struct {
	Rule     *Rule
	Severity Severity
	Findings int
	Sessions int    // with such a finding
	Path     string // of an example, the first one
	Line     int64  // of the example, 0 if it is about a complete file
}

// Add counts the findings of one session or place. path is the file of the findings that do not state their own.
func (t *Tally) Add(path string, findings []Finding) {
	if t.rows == nil {
		t.rows = map[tallyKey]*TallyRow{}
	}
	type keyInSession struct {
		tallyKey
		session string
	}
	seen := map[keyInSession]bool{} // a place has findings of several sessions
	for i := range findings {
		f := &findings[i]
		row := t.row(f, cmp.Or(f.Path, path))
		row.Findings += 1 + f.More
		t.total += 1 + f.More
		if key := (keyInSession{keyOf(f), f.Session}); !seen[key] {
			seen[key] = true
			row.Sessions++
		}
	}
}

func keyOf(f *Finding) tallyKey { return tallyKey{f.Rule.Code, f.Severity} }

// row returns the row of a finding, with the finding as its example if it is the first.
func (t *Tally) row(f *Finding, path string) *TallyRow {
	row := t.rows[keyOf(f)]
	if row == nil {
		row = &TallyRow{Rule: f.Rule, Severity: f.Severity, Path: path, Line: f.Line}
		t.rows[keyOf(f)] = row
	}
	return row
}

// Len returns the number of findings.
func (t *Tally) Len() int { return t.total }

// Rows returns a row for every code and severity that was found, the worst first, then the most frequent.
func (t *Tally) Rows() []TallyRow {
	var rows []TallyRow
	for _, row := range t.rows {
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b TallyRow) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Findings, a.Findings),
			cmp.Compare(a.Rule.Code, b.Rule.Code))
	})
	return rows
}

// TallyCodes lists codes with their counts, in the order of the rules: "CL301 1, CL402 2".
func TallyCodes(counts map[failure.Code]int) string {
	var words []string
	for _, r := range Rules() {
		if n := counts[r.Code]; n > 0 {
			words = append(words, fmt.Sprintf("%s %d", r.Code, n))
		}
	}
	return strings.Join(words, ", ")
}
