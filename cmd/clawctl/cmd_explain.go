package main

import (
	"fmt"
	"math"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

func newExplainCommand() *cli.Command {
	var codes []string
	for _, e := range failure.Table {
		codes = append(codes, string(e.Code))
	}
	return &cli.Command{
		Name: "explain", Group: "check", Operands: "[CODE]...", Summary: "Explain a code: what it means, and what to run",
		About: "Without a code, it lists the findings of validate. Codes from CL900 on are clawctl's own errors.",
		Examples: []cli.Example{
			{"What does this code mean?", "clawctl explain CL301"},
			{"List all findings", "clawctl explain"},
			{"List the codes of all errors", "clawctl explain --json | jq -r 'select(.severity == \"error\").code'"},
		},
		Exits: []int{failure.ExitOK, failure.ExitUsage, failure.ExitNothing},
		Outcomes: map[int]string{
			failure.ExitNothing: "unknown code",
		},
		Paged:   true,
		Offers:  codes,
		Formats: cli.ReportFormats,
		Plain:   "a table, or text for a CODE",
		Run:     runExplain,
	}
}

func runExplain(a *cli.App, operands []string) error {
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
	if len(operands) > 0 && a.Format == "" {
		width := math.MaxInt // other programs get a field per line
		if a.Output.Term.Is {
			width = a.Output.Term.ProseWidth()
		}
		return a.Print(explanation(chosen, width))
	}
	r := cli.NewReport(
		ui.Column{Name: "code"}, ui.Column{Name: "severity"}, ui.Column{Name: "level", Rank: 1},
		ui.Column{Name: "what is wrong", Cut: ui.AtEnd, Min: 40},
	)
	for i := range chosen {
		e := &chosen[i]
		r.Add(e.Row(), string(e.Code), e.Severity.String(), e.Level, e.Words)
	}
	return a.PrintReport(r)
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
