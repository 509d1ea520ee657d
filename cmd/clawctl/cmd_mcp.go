package main

import (
	"slices"

	"clawctl/internal/answering"
	"clawctl/internal/cli"
)

func newMCPCommand() *cli.Command {
	s := &answering.Service{Most: answering.MostBudget, Version: version, Commands: mcpCommands}
	return &cli.Command{
		Missing: answering.ToolNames,
		Options: s,
	}
}

// mcpCommands are the commands that tools run. None of them writes.
func mcpCommands() []*cli.Command {
	names := []string{"sessions", "search", "show", "stats", "context", "handoff"}
	return slices.DeleteFunc(commands(), func(c *cli.Command) bool { return !slices.Contains(names, c.Name) })
}
