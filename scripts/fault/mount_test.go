//go:build linux

package fault

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// canMount returns why this machine cannot mount a file system, or nil.
func canMount() error {
	if os.Geteuid() != 0 {
		return skip("only root can mount a file system")
	}
	return hasProgram("mount", "umount")
}

// hasProgram returns which of the programs is missing, or nil.
func hasProgram(names ...string) error {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			return skip(name + " is not installed")
		}
	}
	return nil
}

// canTrace returns why system calls cannot be traced on this machine, or nil.
func canTrace() error {
	if err := hasProgram("strace"); err != nil {
		return err
	}
	if ended := execute("strace", "-o", "/dev/null", "true"); ended.code != 0 {
		return skip("strace does not work here: " + strings.TrimSpace(ended.stderr))
	}
	return nil
}

// command runs a program that must succeed.
func command(name string, args ...string) error {
	if err := execute(name, args...).failure(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func unmount(folder string) error { return command("umount", folder) }
