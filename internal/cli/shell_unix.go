//go:build unix

package cli

import (
	"context"
	"os"
	"os/exec"
	"syscall"
)

// tempVariable names the folder for temporary data.
const tempVariable = "TMPDIR"

// Shell is a command of the user's with a process group of its own, which ends as a whole.
func Shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return EndGroup(cmd) }
	return cmd
}

// foregroundShell is a command of the user's that may use the terminal: it stays in clawctl's process group.
func foregroundShell(command string) *exec.Cmd { return exec.Command("sh", "-c", command) }

// hasTerminal reports whether a command can read keys, even if its stdin is not a terminal.
func hasTerminal() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	tty.Close()
	return true
}

// EndGroup ends a command and all that it started.
func EndGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
