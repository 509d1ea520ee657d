package main

import (
	"fmt"
	"runtime"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
)

func newVersionCommand() *cli.Command {
	c := &cli.Command{
		About:    "Prints the version, the commit if the build knows it, the platform and the Go release.",
		Examples: []cli.Example{{"Which clawctl is this?", "clawctl version"}},
		Exits:    []int{failure.ExitOK, failure.ExitUsage},
		Offers:   cli.NoOffers,
		Formats:  []string{"table", "json"},
		Instant:  true,
	}
	c.Run = func(a *cli.App, operands []string) error {
		if err := c.NoOperands(operands); err != nil {
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

func printVersion(a *cli.App) error {
	r := versionReport{1, version(), buildCommit(), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()}
	if a.JSON {
		return a.Print(cli.JSONLine(r))
	}
	commit := ""
	if r.Commit != "" {
		commit = " (" + r.Commit + ")"
	}
	return a.Print(fmt.Sprintf("clawctl %s%s %s %s\n", r.Version, commit, r.Platform, r.Go))
}
