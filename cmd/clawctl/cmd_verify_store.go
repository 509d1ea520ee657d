package main

import (
	"fmt"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// namesStores reports whether everything that is to be verified is in clawctl stores. Without --against, or against
// itself, a store is not compared with anything, but checked.
func (o *verifyOptions) namesStores(m *source.Match) bool {
	isElsewhere := func(s *source.Session) bool { return !s.InStore() }
	isOther := func(p *source.Place) bool { return !cli.IsSameFile(p.Path, o.against) }
	return !slices.ContainsFunc(m.Sessions, isElsewhere) &&
		(o.against == "" || !slices.ContainsFunc(m.Places, isOther))
}

// A faultRow is the JSON form of a fault in a store.
type faultRow struct {
	SchemaVersion int             `json:"schema_version"`
	Fault         store.FaultKind `json:"fault"`
	Store         string          `json:"store"`
	Table         string          `json:"table,omitempty"`
	Session       string          `json:"session,omitempty"`
	Message       string          `json:"message"`
}

func newFaultReport() *cli.Report {
	return cli.NewReport(
		ui.Column{Name: "fault"},
		ui.Column{Name: "table", Rank: 2},
		ui.Column{Name: "session", Cut: ui.InMiddle, Min: 20},
		ui.Column{Name: "what it means", Cut: ui.AtEnd, Min: 32},
	)
}

// checkStores checks every table of the stores that were named.
func (o *verifyOptions) checkStores(a *cli.App, m *source.Match, outcome *failure.Tally) error {
	r, summaries := newFaultReport(), []string{}
	for _, p := range m.Places {
		faults, err := auditStore(a, p.Path, p.Store(), nil)
		if err != nil {
			return err
		}
		for _, f := range faults {
			outcome.Take(faultStatus[f.Kind], true)
			r.Add(faultRow{1, f.Kind, p.Path, f.Table, f.Session, f.Text}, string(f.Kind), f.Table, f.Session, f.Text)
		}
		summaries = append(summaries, fmt.Sprintf("Checked every table of the clawctl store %s: %s, %s.", p.Path,
			ui.Count(len(p.Sessions), "session"), faultCounts(faults)))
	}
	cli.Cut(r, o.excerpt)
	if len(r.Rows) > 0 {
		if err := a.PrintReport(r); err != nil {
			return err
		}
	}
	for _, summary := range summaries {
		a.Note("%s", summary)
	}
	return outcome.Err()
}

// auditStore checks everything in a store, except the text of sessions that skip accepts.
func auditStore(a *cli.App, path string, r *store.Reader, skip func(key string) bool) ([]store.Fault, error) {
	auditor := store.NewAuditor(a.Ctx, r)
	auditor.Skip = skip
	faults, err := auditor.Audit()
	if a.Ctx.Err() != nil {
		return nil, cli.Interrupted(a)
	}
	if err != nil {
		return nil, cli.InputError(path, err)
	}
	return faults, nil
}

// checkTarget checks the rest of the store that sources were compared with. A session that is identical to its source
// has been read already.
func (v *verifying) checkTarget(proofs []migrate.Proof, outcome *failure.Tally) error {
	r := v.target.Store()
	if r == nil {
		return nil
	}
	identical := map[string]bool{}
	for i := range proofs {
		if p := &proofs[i]; p.Relation == migrate.Identical && p.Err == nil {
			identical[p.Target.Name()] = true
		}
	}
	faults, err := auditStore(v.app, v.target.Path, r, func(key string) bool { return identical[key] })
	if err != nil {
		return err
	}
	writing.BlameDamage(v.app, outcome, v.target.Path, faults)
	if len(faults) > 0 {
		v.app.Note("the store itself: %s; to list them: %s", faultCounts(faults),
			failure.Command("clawctl", "verify", v.target.Path))
	}
	return nil
}

// faultStatus is the exit status of a fault in a store that is checked itself. What other programs added is none.
var faultStatus = map[store.FaultKind]int{
	store.Damaged: failure.ExitDatabase, store.Incomplete: failure.ExitFindings, store.Undigested: failure.ExitFindings,
}

// faultWords name the kinds of faults in a summary, in this order.
var faultWords = []struct {
	kind  store.FaultKind
	words string
}{
	{store.Damaged, "%d damaged"},
	{store.Incomplete, "%d incomplete"},
	{store.Undigested, "%d without a digest"},
	{store.Foreign, "%d written by another program"},
	{store.Unsealed, "no checksums of rows until the next import"},
}

// faultCounts says how many faults of each kind there are.
func faultCounts(faults []store.Fault) string {
	var parts []string
	for _, w := range faultWords {
		n := 0
		for _, f := range faults {
			if f.Kind == w.kind {
				n++
			}
		}
		switch {
		case n == 0:
		case strings.Contains(w.words, "%d"):
			parts = append(parts, fmt.Sprintf(w.words, n))
		default:
			parts = append(parts, w.words)
		}
	}
	if parts == nil {
		return "nothing damaged"
	}
	return strings.Join(parts, ", ")
}
