package main

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"clawctl/internal/failure"
)

// Input that does not fit into the temporary folder is refused before the disk is full.
func TestSpoolLeavesSpace(t *testing.T) {
	temp := t.TempDir()
	if err := syscall.Mount("tmpfs", temp, "tmpfs", 0, "size=4m,mode=700"); err != nil {
		t.Skip("a small disk needs root: ", err)
	}
	defer func() {
		if err := syscall.Unmount(temp, 0); err != nil {
			t.Error(err)
		}
	}()
	cmd := clawctl("repair", "-")
	var stderr strings.Builder
	cmd.Stdin, cmd.Stderr = io.LimitReader(&repeated{text: linkedSession}, 8<<20), &stderr
	cmd.Env = append(cmd.Environ(), "TMPDIR="+temp)
	_ = cmd.Run() // the exit code is checked below
	exit, said := cmd.ProcessState.ExitCode(), stderr.String()
	if exit != failure.ExitUsage || !strings.Contains(said, "CL906 a private copy of the input needs more space") ||
		!strings.Contains(said, "hint: df -h "+temp) {
		t.Errorf("exit %d: %s", exit, said)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("the folder has %v, %v", left, err)
	}
}
