package main

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
)

func newEnvCommand() *cli.Command {
	return &cli.Command{
		Paged:   true,
		Formats: cli.ReportFormats,
		Run:     printEnv,
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

func printEnv(a *cli.App, _ []string) error {
	rows, err := envRows(a)
	if err != nil {
		return err
	}
	r := cli.NewReport(
		ui.Middle("name", 28),
		ui.Middle("value", 20),
		ui.Middle("from", 20),
	)
	for _, row := range rows {
		value := row.Value
		if strings.HasSuffix(row.Name, "]") && !a.Output.Term.Is { // a prompt: its beginning is enough to recognize it
			value = ui.CutEnd(value, longestPrompt)
		}
		if row.Exists != nil && !*row.Exists {
			value += " (missing)"
		}
		r.Add(row, row.Name, value, row.From)
	}
	return a.PrintReport(r)
}

// longestPrompt is how much of a prompt a table shows.
const longestPrompt = 72

// envVariables are the variables that change what clawctl does.
var envVariables = []string{
	"OPENCLAW_STATE_DIR", "OPENCLAW_PROFILE", "CLAWCTL_CONFIG", "CLAWCTL_DB", "PI_CODING_AGENT_DIR",
	"PI_CODING_AGENT_SESSION_DIR", "CLAUDE_CONFIG_DIR", "CODEX_HOME",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "NO_COLOR", "CLICOLOR_FORCE", "CLAWCTL_ASCII", "CLAWCTL_PAGER", "PAGER", "CI",
	"TZ",
}

func envRows(a *cli.App) (rows []envRow, err error) {
	add := func(name, value, from string, exists *bool) {
		rows = append(rows, envRow{1, name, value, from, exists})
	}
	if home, err := os.UserHomeDir(); err != nil {
		add("home", "", err.Error(), nil)
	} else {
		add("home", home, "the system", nil)
	}
	current, others := a.StateDir()
	add("state", current.Path, current.From, &current.Exists)
	for _, dir := range others {
		add("other state", dir.Path, dir.From, &dir.Exists)
	}
	c, err := a.Configuration()
	if err != nil {
		return nil, err
	}
	file := a.ConfigPath()
	add("config", file.Value, file.From, fileExists(file.Value))
	if store, err := a.StorePath(""); err != nil {
		add("store", "", err.Error(), nil) // the rest is still worth knowing
	} else {
		add("store", store.Value, store.From, fileExists(store.Value))
	}
	if catalogue, err := a.Catalogue(); err != nil {
		add("models", "", err.Error(), nil)
	} else {
		add("models", catalogue.String(), cmp.Or(c.Models.File, "built in"), nil)
	}
	for _, s := range c.Settings() {
		add(s.Name, s.Value, s.From, nil)
	}
	add("temporary files", filepath.Clean(os.TempDir()), "the system", nil)
	for _, name := range envVariables {
		if value, set := os.LookupEnv(name); set {
			add(name, value, "the environment", nil)
		}
	}
	add("version", version(), runtime.Version(), nil)
	return rows, nil
}

func fileExists(path string) *bool {
	_, err := os.Stat(path)
	exists := err == nil
	return &exists
}
