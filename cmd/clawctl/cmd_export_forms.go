package main

import (
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/showing"
	"clawctl/pkg/export/page"
)

// An exportForm is what sessions become.
type exportForm struct {
	name  string   // of --as; "" for the original files
	flags []string // that other forms do not take
	write func(x *exportRun, out string) error
	page  func(*showing.View) (page.Totals, error) // writes a session for people

	end        string // of the names of its files, if each has one session
	noun       string // for one session
	unit       string // for a part of it
	joins      bool   // sessions include what other programs did for them
	converts   bool   // sessions are converted to OpenClaw's records
	takesHome  bool   // without a store, it takes the state folder
	isPortable bool   // every system takes the names of the files
}

// asParquet is the form that other flags belong to.
const asParquet = "parquet"

// exportForms are the forms, in the order in which help lists them.
var exportForms = []exportForm{
	{name: "", write: (*exportRun).toFiles},
	{name: "openclaw", write: (*exportRun).toFiles, converts: true},
	{name: "html", flags: []string{"raw", "values", "harness"}, joins: true, write: (*exportRun).toPages,
		page: (*showing.View).WriteHTML, end: ".html", noun: "page", takesHome: true},
	{name: "markdown", flags: []string{"raw", "values", "harness"}, joins: true, write: (*exportRun).toPages,
		page: func(s *showing.View) (page.Totals, error) { return page.Totals{}, showing.PrintMarkdown(s) }, end: ".md",
		noun: "document", takesHome: true},
	{name: "atif", flags: []string{"raw", "values", "harness"}, joins: true, write: (*exportRun).toTrajectories,
		end: ".json", noun: "trajectory", unit: "step"},
	{name: "openai-finetune", flags: []string{"raw", "values", "harness"}, joins: true,
		write: (*exportRun).toTrajectories, end: ".jsonl", noun: "example", unit: "message"},
	{name: asParquet, flags: []string{"redact", "values", "host", "raw-lines", "no-content", "jobs", "harness"},
		write: (*exportRun).toParquet, joins: true},
	{name: "postgres", flags: []string{"host"}, write: (*exportRun).toPostgres},
	{name: "bundle", flags: []string{"redact", "keep-checkpoints", "values", "harness"}, write: (*exportRun).toBundle,
		isPortable: true},
}

func exportFormNames() (names []string) {
	for _, f := range exportForms[1:] {
		names = append(names, f.name)
	}
	return names
}

func exportFormNamed(name string) *exportForm {
	return &exportForms[slices.IndexFunc(exportForms, func(f exportForm) bool { return f.name == name })]
}

// formsWith returns the names of the forms that take a flag.
func formsWith(flag string) (names []string) {
	for _, f := range exportForms {
		if slices.Contains(f.flags, flag) {
			names = append(names, f.name)
		}
	}
	return names
}

// check refuses flags that the form does not take.
func (f *exportForm) check(a *cli.App) error {
	for _, flag := range a.Given("raw", "redact", "keep-checkpoints", "values", "host", "raw-lines", "no-content", "jobs",
		"harness") {
		if slices.Contains(f.flags, flag) {
			continue
		}
		forms := formsWith(flag)
		words := strings.Join(forms, " or --as ")
		if last := len(forms) - 1; last > 1 {
			words = strings.Join(forms[:last], ", ") + " or " + forms[last]
		}
		hint := []string{"--as", forms[0]}
		if a.Output.Options.IsStdout() {
			hint = append(hint, "-o", "exported/") // these forms need a folder
		}
		return failure.Usage(a.CommandLine(hint...), "--%s needs --as %s", flag, words)
	}
	return nil
}
