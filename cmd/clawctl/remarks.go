package main

import (
	"slices"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

// A problemRow is a problem as JSON.
type problemRow struct {
	Code    source.Code `json:"code"`
	Message string      `json:"message"`
	Detail  string      `json:"detail,omitempty"`
}

// A problemReport is a problem of a place as JSON, on stderr.
type problemReport struct {
	SchemaVersion int        `json:"schema_version"`
	Path          string     `json:"path"`
	Key           string     `json:"key,omitempty"`
	Problem       problemRow `json:"problem"`
	More          int        `json:"more,omitempty"` // further problems of this code that are not listed
}

func sayProblem(a *app, p source.Problem) {
	report := problemReport{1, p.Path, p.Key, problemRow{p.Code, p.Code.Words(), p.Detail}, p.More}
	a.say("%s", strings.TrimSuffix(jsonLine(report), "\n"))
}

// isRemark reports whether every command that reads a whole place mentions a problem, because without the remark its
// result would look complete or certain.
func isRemark(code source.Code) bool {
	return slices.Contains([]source.Code{
		source.AgentOutside, source.ConfigDamaged, source.ConfigUnread, source.NewerSchema,
	}, code)
}

// noteRemarks prints the problems that are remarks, each with a command that helps.
func noteRemarks(a *app, problems []source.Problem) {
	for _, p := range problems {
		switch {
		case !isRemark(p.Code):
		case a.json:
			sayProblem(a, p)
		default:
			a.note("%s: %s %s (%s)", ui.EscapeLine(p.Path), p.Code, p.Code.Words(), ui.EscapeLine(p.Detail))
			a.hint(validate.CommandFor(p))
		}
	}
}
