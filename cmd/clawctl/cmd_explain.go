package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/validate"
)

func newExplainCommand() *cli.Command {
	var codes []string
	for _, r := range allCodes() {
		codes = append(codes, r.Code)
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

// A codeReport is the JSON form of a code.
type codeReport struct {
	SchemaVersion int    `json:"schema_version"`
	Code          string `json:"code"`
	Severity      string `json:"severity"`
	Level         string `json:"level"`
	Title         string `json:"title"`
	OpenClaw      string `json:"openclaw"`
	Run           string `json:"run"`
	Issues        string `json:"issues"`

	explain string // of clawctl's own errors
	exit    int
}

// allCodes are the findings of validate and clawctl's own errors.
func allCodes() (list []codeReport) {
	for _, r := range validate.Rules {
		list = append(list, codeReport{
			SchemaVersion: 1, Code: r.Code, Severity: r.Severity.String(), Level: r.Level, Title: r.Title,
			OpenClaw: r.Does, Run: r.Run, Issues: r.Issues,
		})
	}
	for _, e := range failure.Table {
		list = append(list, codeReport{
			SchemaVersion: 1, Code: string(e.Code), Severity: "error", Level: ownLevel, Title: e.Words, Run: e.Run,
			explain: e.Explain, exit: e.Exit,
		})
	}
	return list
}

// ownLevel marks the errors of clawctl itself.
const ownLevel = "clawctl"

func runExplain(a *cli.App, operands []string) error {
	all := allCodes()
	chosen := slices.DeleteFunc(slices.Clone(all), func(c codeReport) bool { return c.Level == ownLevel })
	if len(operands) > 0 {
		chosen = nil
	}
	for _, code := range operands {
		at := slices.IndexFunc(all, func(c codeReport) bool { return strings.EqualFold(c.Code, code) })
		if at < 0 {
			return failure.New(failure.Nothing, "unknown code %s", code).WithHint("clawctl explain")
		}
		chosen = append(chosen, all[at])
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
	for _, c := range chosen {
		r.Add(c, c.Code, c.Severity, c.Level, c.Title)
	}
	return a.PrintReport(r)
}

// explanation tells people about codes.
func explanation(codes []codeReport, width int) string {
	var b strings.Builder
	row := func(name, text string) {
		const indent = "            "
		if text != "" {
			fmt.Fprintf(&b, "  %-10s%s\n", name, strings.TrimPrefix(ui.Wrap(text, width, indent), indent))
		}
	}
	for i, c := range codes {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s  %s\n\n", c.Code, c.Title)
		row("severity", c.Severity)
		row("level", c.Level)
		row("meaning", c.explain)
		if c.explain != "" {
			row("exit", fmt.Sprint(c.exit))
		}
		row("OpenClaw", c.OpenClaw)
		row("run", c.Run)
		row("reports", c.Issues)
	}
	return b.String()
}
