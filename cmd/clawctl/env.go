package main

import (
	"os"
	"path/filepath"
	"runtime"

	"clawctl/pkg/source"

	"github.com/urfave/cli/v2"
)

func envCommand() *command {
	return &command{
		name: "env", group: "tool", summary: "which folders and settings are in force, and where each comes from",
		about:    "Lists what clawctl uses when you do not say: the state folder that it reads, folders of OpenClaw's older names, and the variables that it obeys.",
		examples: []string{"clawctl env", "OPENCLAW_STATE_DIR=/backup/openclaw clawctl env --json"},
		exits:    []int{exitOK, exitUsage},
		operands: []string{},
		formats:  reportFormats,
		run:      runEnv,
	}
}

// An envRow is one setting.
type envRow struct {
	SchemaVersion int    `json:"schema_version"`
	Name          string `json:"name"`
	Value         string `json:"value"`
	From          string `json:"from"`
	Exists        *bool  `json:"exists,omitempty"`
}

func runEnv(a *app, ctx *cli.Context) error {
	if err := noOperands(ctx); err != nil {
		return err
	}
	r := &report{columns: []column{{"name", false}, {"value", false}, {"from", false}}}
	for _, row := range envRows() {
		value := row.Value
		if row.Exists != nil && !*row.Exists {
			value += " (not there)"
		}
		r.add(row, row.Name, value, row.From)
	}
	return a.printReport(r)
}

// obeyed are the variables that change what clawctl does.
var obeyed = []string{"OPENCLAW_STATE_DIR", "OPENCLAW_PROFILE", "NO_COLOR", "CI", "TZ"}

func envRows() (rows []envRow) {
	add := func(name, value, from string, exists *bool) {
		rows = append(rows, envRow{1, name, value, from, exists})
	}
	home, err := os.UserHomeDir()
	if err != nil {
		add("home", "", err.Error(), nil)
	} else {
		add("home", home, "the system", nil)
	}
	current, others := source.FindStateDir(os.Getenv, home)
	add("state", current.Path, current.From, &current.Exists)
	for _, dir := range others {
		add("other state", dir.Path, dir.From, &dir.Exists)
	}
	add("temporary files", filepath.Clean(os.TempDir()), "the system", nil)
	for _, name := range obeyed {
		if value, set := os.LookupEnv(name); set {
			add(name, value, "the environment", nil)
		}
	}
	add("version", version, runtime.Version(), nil)
	return rows
}
