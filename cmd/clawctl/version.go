package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// version is the release this source becomes.
const version = "0.1.0-dev"

func versionCommand() *command {
	return &command{
		name: "version", group: "tool", summary: "which clawctl this is",
		about:    "Prints the version, the commit where the build knows it, the platform and the Go release. With --json as one object.",
		examples: []string{"clawctl version", "clawctl version --json"},
		exits:    []int{exitOK, exitUsage},
		operands: []string{},
		formats:  []string{"table", "json"},
		run:      runVersion,
	}
}

type versionReport struct {
	SchemaVersion int    `json:"schema_version"`
	Version       string `json:"version"`
	Commit        string `json:"commit,omitempty"`
	Platform      string `json:"platform"`
	Go            string `json:"go"`
}

func runVersion(a *app, ctx *cli.Context) error {
	if err := noOperands(ctx); err != nil {
		return err
	}
	report := versionReport{1, version, buildCommit(), runtime.GOOS + "/" + runtime.GOARCH, runtime.Version()}
	if a.json {
		return a.print(jsonLine(report))
	}
	commit := ""
	if report.Commit != "" {
		commit = " (" + report.Commit + ")"
	}
	return a.print(fmt.Sprintf("clawctl %s%s %s %s\n", report.Version, commit, report.Platform, report.Go))
}

// buildCommit returns the commit that the Go tool noted in the binary, or "".
func buildCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	return ""
}

func noOperands(ctx *cli.Context) error {
	if ctx.NArg() > 0 {
		return usageError("clawctl help "+ctx.Command.Name, "%s takes no argument, got %q", ctx.Command.Name, ctx.Args().First())
	}
	return nil
}
