package cli

import (
	"cmp"
	"fmt"
	"slices"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

// A problemReport is a problem of a place as JSON, on stderr.
type problemReport struct {
	SchemaVersion int               `json:"schema_version"`
	Path          string            `json:"path"`
	Key           string            `json:"key,omitempty"`
	Problem       source.ProblemRow `json:"problem"`
	More          int               `json:"more,omitempty"` // further problems of this code that are not listed
}

// SayProblem prints a problem as JSON on stderr.
func SayProblem(a *App, p source.Problem) {
	a.sayJSON(problemReport{1, p.Path, p.Key, source.NewProblemRow(p.Code, p.Detail), p.More})
}

// IsRemark reports whether every command that reads a whole place mentions a problem, because without the remark its
// result would look complete or certain.
func IsRemark(code failure.Code) bool {
	return slices.Contains([]failure.Code{
		source.AgentOutside, source.ConfigDamaged, source.ConfigUnread, source.NewerSchema,
	}, code)
}

// NoteRemarks prints the problems that are remarks, each with a command that helps.
func NoteRemarks(a *App, problems []source.Problem) {
	for _, p := range problems {
		switch {
		case !IsRemark(p.Code):
		case a.JSON:
			SayProblem(a, p)
		default:
			a.Note("%s: %s %s", ui.EscapeLine(p.Path), p.Code, ui.EscapeLine(p.Words()))
			a.Hint(validate.CommandFor(p))
		}
	}
}

// NoteProblems says what is wrong with places: what cannot be read as an error, the rest as a remark for each kind of
// problem, or all of it as JSON. It reports whether some part of a place cannot be read.
func NoteProblems(a *App, places []*source.Listing) bool {
	var unreadable bool
	for _, p := range places {
		for _, code := range source.Codes {
			of := slices.DeleteFunc(slices.Clone(p.Problems), func(problem source.Problem) bool { return problem.Code != code })
			if len(of) == 0 {
				continue
			}
			failed := ProblemFailure(of[0]) != nil
			unreadable = unreadable || failed
			switch {
			case a.JSON:
				for _, problem := range of {
					SayProblem(a, problem)
				}
			case failed:
				for _, problem := range of {
					a.Complain(ProblemFailure(problem))
				}
			case !IsRemark(code):
				a.Note("%s: %s %s: %s", p.Path, code, code.Words(), firstOf(of))
			default:
				NoteRemarks(a, of)
			}
		}
	}
	return unreadable
}

// firstOf names the first of several problems.
func firstOf(of []source.Problem) string {
	what := cmp.Or(of[0].Key, of[0].Path)
	if of[0].Detail != "" {
		what += " (" + of[0].Detail + ")"
	}
	if more := len(of) - 1 + of[len(of)-1].More; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	return what
}
