//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clawctl/internal/failure"
)

// Whatever ends a command that keeps its stdin in a temporary file, nothing of it stays there.
func TestInterruptLeavesNoSpool(t *testing.T) {
	text := strings.Repeat(`{"type":"message","id":"x","message":{"role":"user","content":"private"}}`+"\n", 20_000)
	row := "main\tme\t1\t1\t{\"key\":\"me\"}\t" + `\\x` + strings.Repeat("6f", len(text)/2)
	for _, c := range []struct {
		command, stdin string
		signal         os.Signal
	}{
		{"repair -", text, os.Interrupt}, {"repair -", text, syscall.SIGTERM}, {"repair -", text, os.Kill},
		{"import - --to s.db", text, os.Interrupt}, {"redact - -o copy.jsonl", text, os.Interrupt},
		{"slim - -o copy", text, os.Interrupt}, {"search private -", text, os.Interrupt},
		{"append me --role user --dry-run -", text, os.Interrupt}, // it rehearses in a temporary store
		{"import --input pgcopy - --to s.db", row, syscall.SIGTERM},
	} {
		t.Run(c.command+" "+c.signal.String(), func(t *testing.T) {
			t.Parallel()
			interruptWhileReading(t, c.stdin, c.signal, strings.Fields(c.command)...)
		})
	}
}

// interruptWhileReading ends a command that has read most of its input and waits for the rest.
func interruptWhileReading(t *testing.T, input string, signal os.Signal, args ...string) {
	t.Helper()
	folder, temp := t.TempDir(), t.TempDir()
	cmd := clawctl(args...)
	cmd.Dir, cmd.Env = folder, append(cmd.Environ(), "HOME="+folder, "TMPDIR="+temp)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write([]byte(input)); err != nil {
		t.Fatalf("%q does not read all of its input: %v", args, err)
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is checked below
	if exit := cmd.ProcessState.ExitCode(); exit != failure.ExitInterrupted && signal != os.Kill {
		t.Errorf("%q: exit %d after %v", args, exit, signal)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("%q leaves %v after %v", args, left, signal)
	}
}
