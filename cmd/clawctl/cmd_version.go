package main

import (
	"fmt"
	"runtime"

	"clawctl/internal/cli"
)

func newVersionCommand() *cli.Command {
	return &cli.Command{
		Formats: []string{"table", "json"},
		Instant: true,
		Run:     printVersion,
	}
}

type versionReport struct {
	SchemaVersion int    `json:"schema_version"`
	Version       string `json:"version"`
	Commit        string `json:"commit,omitempty"`
	Platform      string `json:"platform"`
	Go            string `json:"go"`
}

func printVersion(a *cli.App, _ []string) error {
	r := versionReport{1, version(), buildCommit(), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()}
	if a.JSON {
		return a.PrintJSON(r)
	}
	commit := ""
	if r.Commit != "" {
		commit = " (" + r.Commit + ")"
	}
	return a.Print(fmt.Sprintf("clawctl %s%s %s %s\n", r.Version, commit, r.Platform, r.Go))
}
