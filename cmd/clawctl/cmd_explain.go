package main

import (
	"fmt"
	"math"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

func newExplainCommand() *command {
	var codes []string
	for _, e := range failure.Table {
		codes = append(codes, string(e.Code))
	}
	return &command{
		name: "explain", group: "check", operands: "[CODE]...", summary: "Explain a code: what it means, and what to run",
		about: "Without a code, it lists the findings of validate. Codes from CL900 on are clawctl's own errors.",
		examples: []example{
			{"What does this code mean?", "clawctl explain CL301"},
			{"List all findings", "clawctl explain"},
			{"List the codes of all errors", "clawctl explain --json | jq -r 'select(.severity == \"error\").code'"},
		},
		exits: []int{failure.ExitOK, failure.ExitUsage, failure.ExitNothing},
		outcomes: map[int]string{
			failure.ExitNothing: "unknown code",
		},
		paged:   true,
		offers:  codes,
		formats: reportFormats,
		plain:   "a table, or text for a CODE",
		run:     runExplain,
	}
}

// A codeReport is the JSON form of a code.
type codeReport struct {
	SchemaVersion int          `json:"schema_version"`
	Code          failure.Code `json:"code"`
	Severity      string       `json:"severity"`
	Level         string       `json:"level"`
	Title         string       `json:"title"`
	OpenClaw      string       `json:"openclaw"`
	Run           string       `json:"run"`
	Issues        string       `json:"issues"`
}

func newCodeReport(e *failure.Entry) codeReport {
	return codeReport{1, e.Code, e.Severity.String(), e.Level, e.Words, e.Does, e.Run, e.Issues}
}

func runExplain(a *app, operands []string) error {
	chosen := failure.Rules()
	if len(operands) > 0 {
		chosen = nil
	}
	for _, code := range operands {
		e, ok := failure.Lookup(failure.Code(code))
		if !ok {
			return failure.New(failure.Nothing, "unknown code %s", code).WithHint("clawctl explain")
		}
		chosen = append(chosen, *e)
	}
	if len(operands) > 0 && a.format == "" {
		width := math.MaxInt // other programs get a field per line
		if a.output.term.Is {
			width = a.output.term.ProseWidth()
		}
		return a.print(explanation(chosen, width))
	}
	r := newReport(
		ui.Column{Name: "code"}, ui.Column{Name: "severity"}, ui.Column{Name: "level", Rank: 1},
		ui.Column{Name: "what is wrong", Cut: ui.AtEnd, Min: 40},
	)
	for i := range chosen {
		e := &chosen[i]
		r.add(newCodeReport(e), string(e.Code), e.Severity.String(), e.Level, e.Words)
	}
	return a.printReport(r)
}

// explanation tells people about codes.
func explanation(entries []failure.Entry, width int) string {
	var b strings.Builder
	row := func(name, text string) {
		const indent = "            "
		if text != "" {
			fmt.Fprintf(&b, "  %-10s%s\n", name, strings.TrimPrefix(ui.Wrap(text, width, indent), indent))
		}
	}
	for i, e := range entries {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s  %s\n\n", e.Code, e.Words)
		row("severity", e.Severity.String())
		row("level", e.Level)
		row("meaning", e.Explain)
		if e.Exit != failure.ExitOK {
			row("exit", fmt.Sprint(e.Exit))
		}
		row("OpenClaw", e.Does)
		row("run", e.Run)
		row("reports", e.Issues)
	}
	return b.String()
}
