//go:build unix

package main

import (
	"context"
	"os/exec"
	"syscall"
)

// shell is a command of the user's with a process group of its own, which ends as a whole.
func shell(ctx context.Context, command string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return endGroup(cmd) }
	return cmd
}

// endGroup ends a command and all that it started.
func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
