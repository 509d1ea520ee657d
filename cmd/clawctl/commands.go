package main

import (
	"embed"

	"clawctl/internal/cli"
)

// helpTexts has a text about each command that help lists.
//
//go:embed help
var helpTexts embed.FS

func helpText(name string) string {
	text, _ := helpTexts.ReadFile("help/" + name + ".txt") // a hidden command has none
	return string(text)
}

// commands returns every command, in the order of help. Most of a command is made when it is first needed.
func commands() []*cli.Command {
	return pointers([]cli.Command{
		{Name: "sessions", Group: "read", Summary: "List sessions, live and archived", New: newSessionsCommand},
		{Name: "show", Group: "read", Summary: "Show a conversation for reading", New: newShowCommand},
		{Name: "search", Aliases: []string{"grep"}, Group: "read",
			Summary: "Find text in conversations", New: newSearchCommand},
		{Name: "cat", Group: "read", Summary: "Print the records of transcripts, one per line", New: newCatCommand},
		{Name: "tail", Group: "read", Summary: "Show the end of sessions, and follow them", New: newTailCommand},
		{Name: "handoff", Group: "read", Summary: "Write a prompt to continue a session elsewhere", New: newHandoffCommand},
		{Name: "browse", Group: "read", Summary: "Look around in sessions on the whole screen", New: newBrowseCommand},
		{Name: "mcp", Group: "read", Summary: "Let an agent look things up in past sessions", New: newMCPCommand},
		{Name: "stats", Group: "measure", Summary: "Add up messages, tool calls, tokens and costs", New: newStatsCommand},
		{Name: "tokens", Group: "measure", Summary: "Count the tokens of a transcript or a text", New: newTokensCommand},
		{Name: "context", Group: "measure", Summary: "Show how full a session's context window is", New: newContextCommand},
		{Name: "du", Group: "measure", Summary: "Show what fills the disk", New: newDuCommand},
		{Name: "doctor", Group: "check", Summary: "Check on one screen whether your history is safe", New: newDoctorCommand},
		{Name: "validate", Group: "check",
			Summary: "Check transcripts and their index for problems", New: newValidateCommand},
		{Name: "explain", Group: "check",
			Summary: "Explain a code or an error of an API, and what to run", New: newExplainCommand},
		{Name: "verify", Group: "check",
			Summary: "Verify that every record of a transcript is in a database", New: newVerifyCommand},
		{Name: "diff", Group: "check", Summary: "Compare two sessions record by record", New: newDiffCommand},
		{Name: "import", Group: "move",
			Summary: "Import sessions into a SQLite store and verify every byte", New: newImportCommand},
		{Name: "export", Group: "move",
			Summary: "Export sessions from a store or database as the original files", New: newExportCommand},
		{Name: "redact", Group: "move",
			Summary: "Copy sessions without secrets, or remove a leaked one everywhere", New: newRedactCommand},
		{Name: "slim", Group: "move",
			Summary: "Copy sessions without their images and large tool results", New: newSlimCommand},
		{Name: "repair", Group: "mend", Summary: "Repair transcripts, with a plan first and an undo", New: newRepairCommand},
		{Name: "prune", Group: "mend", Summary: "Move old files to a trash if they are safe to delete", New: newPruneCommand},
		{Name: "undo", Group: "mend", Summary: "Undo what repair, prune or an unpacked bundle changed", New: newUndoCommand},
		{Name: "new", Group: "store", Summary: "Begin a session in clawctl's store", New: newNewCommand},
		{Name: "append", Group: "store", Summary: "Add a message or an API's response to a session", New: newAppendCommand},
		{Name: "delete", Group: "store", Summary: "Move sessions of clawctl's store to its trash", New: newDeleteCommand},
		{Name: "restore", Group: "store",
			Summary: "Bring back a deleted session, an earlier generation, or an archive", New: newRestoreCommand},
		{Name: "rebuild", Group: "model",
			Summary: "Rebuild the messages that the model would see next", New: newRebuildCommand},
		{Name: "compact", Group: "model",
			Summary: "Summarize older messages into a compaction record", New: newCompactCommand},
		{Name: "checkpoint", Group: "model",
			Summary: "Write a checkpoint record that summarizes a session", New: newCheckpointCommand},
		{Name: "flush", Group: "model",
			Summary: "Print the prompt that tells the model to save its memories", New: newFlushCommand},
		{Name: "guard", Group: "model", Summary: "Shrink a request to fit a token budget", New: newGuardCommand},
		{Name: "env", Group: "tool",
			Summary: "Show the folders and settings in use, and where each comes from", New: newEnvCommand},
		{Name: "completion", Group: "tool", Summary: "Print a shell completion script", New: newCompletionCommand},
		{Name: "version", Group: "tool", Summary: "Print the version of clawctl", New: newVersionCommand},
		{Name: "help", Group: "tool", Summary: "Show help about a command or a topic", New: newHelpCommand},
	})
}

// hiddenCommands returns the commands that help and completion do not list.
func hiddenCommands() []*cli.Command {
	return pointers([]cli.Command{
		{Name: "overview", Summary: "Show what is on this machine (clawctl without a command)", New: newOverviewCommand},
		{Name: "__complete", Summary: "Print what a shell may complete", New: newCompleteCommand},
	})
}

func pointers(list []cli.Command) []*cli.Command {
	all := make([]*cli.Command, len(list))
	for i := range list {
		all[i] = &list[i]
		all[i].Text = helpText
	}
	return all
}
