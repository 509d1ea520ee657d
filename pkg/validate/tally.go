package validate

import (
	"cmp"
	"maps"
	"slices"
)

// A Tally counts findings by code, one session or place after the other. Its memory is bounded by the number of rules.
// The zero Tally is ready to use.
type Tally struct {
	rows  map[string]*TallyRow
	total int
}

// A TallyRow is what a tally knows of one code.
type TallyRow struct {
	Rule     *Rule
	Severity Severity // the worst that was found
	Findings int
	Sessions int    // with such a finding
	Path     string // of an example, the first of the worst severity
	Line     int64  // of the example, 0 if it is about a whole file
}

// Add counts the findings of one session or place. path is the file of the findings that do not state their own.
func (t *Tally) Add(path string, findings []Finding) {
	if t.rows == nil {
		t.rows = map[string]*TallyRow{}
	}
	type codeInSession struct{ code, session string }
	seen := map[codeInSession]bool{} // a place has findings of several sessions
	for i := range findings {
		f := &findings[i]
		row := t.row(f, cmp.Or(f.Path, path))
		row.Findings++
		if key := (codeInSession{f.Rule.Code, f.Session}); !seen[key] {
			seen[key] = true
			row.Sessions++
		}
	}
	t.total += len(findings)
}

// row returns the row of a finding's code, with the finding as its example if it is worse than the one before.
func (t *Tally) row(f *Finding, path string) *TallyRow {
	row := t.rows[f.Rule.Code]
	if row == nil {
		row = &TallyRow{Rule: f.Rule}
		t.rows[f.Rule.Code] = row
	}
	if row.Findings == 0 || f.Severity > row.Severity {
		row.Severity, row.Path, row.Line = f.Severity, path, f.Line
	}
	return row
}

// Len returns the number of findings.
func (t *Tally) Len() int { return t.total }

// Rows returns a row for every code that was found, the worst first, then the most frequent.
func (t *Tally) Rows() []TallyRow {
	var rows []TallyRow
	for _, code := range slices.Sorted(maps.Keys(t.rows)) {
		rows = append(rows, *t.rows[code])
	}
	slices.SortStableFunc(rows, func(a, b TallyRow) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Findings, a.Findings))
	})
	return rows
}
