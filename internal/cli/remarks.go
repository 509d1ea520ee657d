package cli

import (
	"slices"
	"strings"

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
	report := problemReport{1, p.Path, p.Key, source.NewProblemRow(p.Code, p.Detail), p.More}
	a.Say("%s", strings.TrimSuffix(JSONLine(report), "\n"))
}

// IsRemark reports whether every command that reads a whole place mentions a problem, because without the remark its
// result would look complete or certain.
func IsRemark(code source.Code) bool {
	return slices.Contains([]source.Code{
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
			a.Note("%s: %s %s (%s)", ui.EscapeLine(p.Path), p.Code, p.Code.Words(), ui.EscapeLine(p.Detail))
			a.Hint(validate.CommandFor(p))
		}
	}
}
