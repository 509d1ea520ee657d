package cli

import (
	"context"
	"os/exec"
	"syscall"
)

// tempVariable names the folder for temporary data.
const tempVariable = "TMP"

// Shell is a command of the user's. The shell takes the rest of its line as it stands, so nothing is quoted. What the
// command starts itself is not ended with it.
func Shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "cmd")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /S /C "` + command + `"`}
	return cmd
}

// foregroundShell is a command of the user's that may use the console.
func foregroundShell(command string) *exec.Cmd { return Shell(context.Background(), command) }

// hasTerminal reports whether a command can read keys, even if its stdin is not a console.
func hasTerminal() bool { return false }

// EndGroup ends a command.
func EndGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
