package main

import (
	"fmt"
	"runtime"

	"clawctl/internal/failure"
)

func newVersionCommand() *command {
	c := &command{
		name: "version", group: "tool", summary: "Print the version of clawctl",
		about:    "Prints the version, the commit if the build knows it, the platform and the Go release.",
		examples: []example{{"Which clawctl is this?", "clawctl version"}},
		exits:    []int{failure.ExitOK, failure.ExitUsage},
		offers:   []string{},
		formats:  []string{"table", "json"},
	}
	c.run = func(a *app, operands []string) error {
		if err := c.noOperands(operands); err != nil {
			return err
		}
		return printVersion(a)
	}
	return c
}

type versionReport struct {
	SchemaVersion int    `json:"schema_version"`
	Version       string `json:"version"`
	Commit        string `json:"commit,omitempty"`
	Platform      string `json:"platform"`
	Go            string `json:"go"`
}

func printVersion(a *app) error {
	r := versionReport{1, version(), buildCommit(), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()}
	if a.json {
		return a.print(jsonLine(r))
	}
	commit := ""
	if r.Commit != "" {
		commit = " (" + r.Commit + ")"
	}
	return a.print(fmt.Sprintf("clawctl %s%s %s %s\n", r.Version, commit, r.Platform, r.Go))
}
