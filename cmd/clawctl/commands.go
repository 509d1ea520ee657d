package main

import "clawctl/internal/cli"

// commands returns every command, in the order of help.
func commands() []*cli.Command {
	return []*cli.Command{
		newSessionsCommand(), newShowCommand(), newSearchCommand(), newCatCommand(), newTailCommand(), newHandoffCommand(),
		newBrowseCommand(),
		newStatsCommand(), newTokensCommand(), newContextCommand(), newDuCommand(),
		newDoctorCommand(), newValidateCommand(), newExplainCommand(), newVerifyCommand(), newDiffCommand(),
		newImportCommand(), newExportCommand(), newRedactCommand(), newSlimCommand(),
		newRepairCommand(), newPruneCommand(), newUndoCommand(),
		newNewCommand(), newAppendCommand(), newDeleteCommand(), newRestoreCommand(),
		newRebuildCommand(), newCompactCommand(), newCheckpointCommand(), newFlushCommand(), newGuardCommand(),
		newEnvCommand(), newCompletionCommand(), newVersionCommand(), newHelpCommand(),
	}
}

// hiddenCommands returns the commands that help and completion do not list.
func hiddenCommands() []*cli.Command {
	return []*cli.Command{newOverviewCommand(), newCompleteCommand()}
}
