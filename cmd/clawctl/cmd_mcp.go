package main

import (
	"slices"

	"clawctl/internal/answering"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
)

func newMCPCommand() *cli.Command {
	s := &answering.Service{Most: answering.MostBudget, Version: version, Commands: mcpCommands}
	return &cli.Command{
		Operands: "[SOURCE]...",
		About: "Serves the Model Context Protocol (MCP) on stdin and stdout, for a program that starts clawctl. It needs " +
			"no network. The tools are %s. They answer as the commands do, and recall is search " +
			"--rank.\n\n" +
			"All tools only read, and only SOURCE, or your state folder without one. Nothing is written anywhere. An answer " +
			"has at most as many tokens as the call asks for with budget: 4,000 by default, and never more than --budget. " +
			"What looks like a key or a password is masked, and no call can change that. Text of transcripts is labelled as " +
			"data and quoted, because it may contain instructions.\n\n" +
			"Protocol versions from 2024-11-05 to 2026-07-28 are understood. The end of stdin ends the server. " +
			"--print-config prints the lines for the configuration of a program.",
		Missing: answering.ToolNames,
		Examples: []cli.Example{
			{"Print what Claude Code needs in .mcp.json", "clawctl mcp --print-config claude"},
			{"Let Codex read one agent only", "clawctl mcp --print-config codex ~/.openclaw/agents/main"},
		},
		Exits: []int{failure.ExitOK, failure.ExitUsage, failure.ExitNothing, failure.ExitDatabase, failure.ExitInterrupted},
		Flags: s.Flags,
		Run:   s.Run,
	}
}

// mcpCommands are the commands that tools run. None of them writes.
func mcpCommands() []*cli.Command {
	names := []string{"sessions", "search", "show", "stats", "context", "handoff"}
	return slices.DeleteFunc(commands(), func(c *cli.Command) bool { return !slices.Contains(names, c.Name) })
}
