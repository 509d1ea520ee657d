package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"clawctl/pkg/config"
	"clawctl/pkg/source"

	"github.com/urfave/cli/v2"
)

func envCommand() *command {
	return &command{
		name: "env", group: "tool", summary: "which folders and settings are in force, and where each comes from",
		about: "Lists what clawctl uses when you do not say: the state folder that it reads, folders of OpenClaw's older names, the configuration and the store, and the variables that it obeys. " +
			"Flags win over the environment over the configuration over the defaults.\n\n" +
			"The configuration is one JSON file: that of --config, of CLAWCTL_CONFIG, or clawctl/config.json in your folder for configurations. It holds one object, session; an unknown key is an error. " +
			"Its keys are " + settingNames() + ". A threshold of memoryFlush has percent, prompt, injectAs (system, user or marked, the default) and oncePerCycle. " +
			"storage is another name of store, and inherit may be true or false.",
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
	rows, err := a.envRows()
	if err != nil {
		return err
	}
	for _, row := range rows {
		value := row.Value
		if strings.HasSuffix(row.Name, "]") { // a prompt: its beginning tells it
			value = shortened(value, longestPrompt)
		}
		if row.Exists != nil && !*row.Exists {
			value += " (not there)"
		}
		r.add(row, row.Name, value, row.From)
	}
	return a.printReport(r)
}

// longestPrompt is how much of a prompt a table shows.
const longestPrompt = 72

// shortened cuts a text that is too long for a table.
func shortened(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length-1]) + "…"
	}
	return text
}

// obeyed are the variables that change what clawctl does.
var obeyed = []string{"OPENCLAW_STATE_DIR", "OPENCLAW_PROFILE", "CLAWCTL_CONFIG", "CLAWCTL_DB", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "NO_COLOR", "CI", "TZ"}

// settingNames lists the keys of a configuration.
func settingNames() string {
	var names []string
	for _, s := range config.Default().Settings() {
		name, _, _ := strings.Cut(strings.TrimPrefix(s.Name, "session."), "[")
		names = append(names, name)
	}
	return strings.Join(slices.Compact(names), ", ")
}

func (a *app) envRows() (rows []envRow, err error) {
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
	c, err := a.configuration()
	if err != nil {
		return nil, err
	}
	file := a.configPath()
	add("config", file.value, file.from, fileExists(file.value))
	if store, err := a.storePath(""); err != nil {
		add("store", "", err.Error(), nil) // the rest is worth telling all the same
	} else {
		add("store", store.value, store.from, fileExists(store.value))
	}
	for _, s := range c.Settings() {
		add(s.Name, s.Value, s.From, nil)
	}
	add("temporary files", filepath.Clean(os.TempDir()), "the system", nil)
	for _, name := range obeyed {
		if value, set := os.LookupEnv(name); set {
			add(name, value, "the environment", nil)
		}
	}
	add("version", version, runtime.Version(), nil)
	return rows, nil
}

func fileExists(path string) *bool {
	_, err := os.Stat(path)
	exists := err == nil
	return &exists
}
