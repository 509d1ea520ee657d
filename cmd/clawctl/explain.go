package main

import (
	"fmt"
	"strings"

	"clawctl/pkg/validate"

	"github.com/urfave/cli/v2"
)

func explainCommand() *command {
	codes := make([]string, len(validate.Rules))
	for i, r := range validate.Rules {
		codes[i] = r.Code
	}
	return &command{
		name: "explain", group: "check", args: "[CODE]...", summary: "what a code means, what OpenClaw does with it, and what to run",
		about:    "Without a code it lists them all.",
		examples: []string{"clawctl explain CL301", "clawctl explain", "clawctl explain --json | jq -r 'select(.severity == \"error\").code'"},
		exits:    []int{exitOK, exitUsage, exitNothing},
		operands: codes,
		formats:  reportFormats,
		run:      runExplain,
	}
}

// ruleReport is the JSON form of a rule.
type ruleReport struct {
	SchemaVersion int    `json:"schema_version"`
	Code          string `json:"code"`
	Severity      string `json:"severity"`
	Level         string `json:"level"`
	Title         string `json:"title"`
	OpenClaw      string `json:"openclaw"`
	Run           string `json:"run"`
	Issues        string `json:"issues"`
}

func runExplain(a *app, ctx *cli.Context) error {
	var rules []*validate.Rule
	for _, code := range ctx.Args().Slice() {
		rule, ok := validate.Lookup(code)
		if !ok {
			return unknownCode(code)
		}
		rules = append(rules, rule)
	}
	if len(rules) > 0 && a.format == "" {
		return a.explain(rules)
	}
	if len(rules) == 0 {
		for i := range validate.Rules {
			rules = append(rules, &validate.Rules[i])
		}
	}
	r := &report{columns: []column{{name: "code"}, {name: "severity"}, {name: "level"}, {name: "what is wrong"}}}
	for _, rule := range rules {
		r.add(ruleReport{1, rule.Code, rule.Severity.String(), rule.Level, rule.Title, rule.Does, rule.Run, rule.Issues},
			rule.Code, rule.Severity.String(), rule.Level, rule.Title)
	}
	return a.printReport(r)
}

// explain prints rules for people.
func (a *app) explain(rules []*validate.Rule) error {
	var b strings.Builder
	for i, r := range rules {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s  %s\n\n", r.Code, r.Title)
		fmt.Fprintf(&b, "  severity  %s\n  level     %s\n  OpenClaw  %s\n  run       %s\n", r.Severity, r.Level, r.Does, r.Run)
		if r.Issues != "" {
			fmt.Fprintf(&b, "  reports   %s\n", r.Issues)
		}
	}
	if _, err := a.output.Write([]byte(b.String())); err != nil {
		return a.writeError(err)
	}
	return nil
}

// unknownCode is the error for a code that no rule has.
func unknownCode(code string) error {
	f := &failure{exit: exitNothing, code: codeNothing, text: "no rule has the code " + code, hint: "clawctl explain"}
	if words, ok := errorWords[strings.ToUpper(code)]; ok {
		f.text = strings.ToUpper(code) + " is an error of clawctl's own: " + words
	}
	return f
}

// errorWords says what the codes of clawctl's own errors mean.
var errorWords = map[string]string{
	codeUsage: "wrong usage", codeNotFound: "no such file", codeDenied: "permission denied", codeNoTranscript: "not a transcript",
	codeExists: "the file exists", codeCompression: "damaged compression", codeIO: "reading or writing failed", codeInterrupted: "interrupted",
	codeInternal: "a fault of clawctl's", codeNothing: "nothing found there", codeCorrupt: "the database is corrupt",
	codeForeign: "the database is no one that clawctl knows", codeNewer: "the database is newer than this clawctl", codeLocked: "the database is locked",
	codeChanged: "it changed while it was read", codeNoMessages: "nothing can be sent", codeTooLarge: "it does not fit",
	codeCondition: "a condition of --fail-if holds", codeLeftOut: "a part of the file was not imported, and is not exported",
}
