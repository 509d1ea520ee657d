package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

func newExplainCommand() *cli.Command {
	return &cli.Command{
		Paged:   true,
		Offers:  codeNames,
		Formats: cli.ReportFormats,
		Plain:   "a table, or text for a CODE",
		Run:     runExplain,
	}
}

// codeNames lists all codes.
func codeNames() (names []string) {
	for _, e := range failure.Table() {
		names = append(names, string(e.Code))
	}
	return names
}

func runExplain(a *cli.App, operands []string) error {
	if len(operands) > 0 && !slices.ContainsFunc(operands, isCode) {
		return explainError(a, strings.Join(operands, " "))
	}
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
	return printEntries(a, chosen, len(operands) > 0)
}

// isCode reports whether a word has the form of a code.
func isCode(word string) bool {
	digits, ok := strings.CutPrefix(strings.ToUpper(word), "CL")
	_, err := strconv.Atoi(digits)
	return ok && err == nil
}

// explainError tells what an error of an API means.
func explainError(a *cli.App, text string) error {
	d, ok := failure.Diagnose(text)
	if !ok {
		return failure.New(failure.Nothing, "unknown code or error: %s", text).WithHint("clawctl explain")
	}
	var chosen []failure.Entry
	for _, code := range d.Codes {
		chosen = append(chosen, code.Entry())
	}
	if err := printEntries(a, chosen, d.Who != ""); err != nil {
		return err
	}
	words := "the API refused the request; it may be because of one of "
	if d.Who != "" {
		words = "an error of " + d.Who + "; it may be because of "
	}
	a.Note("%s%s", words, ui.Count(len(chosen), "finding"))
	a.Hint(d.Run)
	return nil
}

// printEntries prints what clawctl says about codes: all of it, or a table.
func printEntries(a *cli.App, chosen []failure.Entry, isWhole bool) error {
	if isWhole && a.Format == "" {
		width := math.MaxInt // other programs get a field per line
		if a.Output.Term.Is {
			width = a.Output.Term.ProseWidth()
		}
		return a.Print(explanation(chosen, width))
	}
	r := cli.NewReport(
		ui.Words("code"), ui.Words("severity"), ui.Words("level", 1),
		ui.End("what is wrong", 40),
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
