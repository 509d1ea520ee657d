package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
)

// Ctrl-C ends a summarizer and all processes it started, and ends clawctl within a second.
func TestInterruptEndsTheSummarizer(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here")
	}
	folder := t.TempDir()
	transcript, pids := filepath.Join(folder, "s.jsonl"), filepath.Join(folder, "pids")
	text := `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"u1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z",` +
		`"message":{"role":"user","content":"One"}}` + "\n" +
		`{"type":"message","id":"u2","parentId":"u1","timestamp":"2026-05-01T10:00:02.000Z",` +
		`"message":{"role":"user","content":"Two"}}` + "\n"
	testkit.Write(t, transcript, text)
	cmd := clawctl("compact", transcript, "--keep", "1m", "--summarizer",
		`sleep 100 & echo $! $$ > `+pids+`.new; mv `+pids+`.new `+pids+`; wait`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var started []string
	for len(started) == 0 {
		written, _ := os.ReadFile(pids)
		started = strings.Fields(string(written))
		time.Sleep(5 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is checked below
	if exit := cmd.ProcessState.ExitCode(); exit != failure.ExitInterrupted {
		t.Errorf("exit %d", exit)
	}
	for _, text := range started {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := waitGone(pid); err != nil {
			t.Errorf("process %d is still running: %v", pid, err)
		}
	}
}

// waitGone waits until a process has ended. A zombie counts as ended.
func waitGone(pid int) error {
	for range 200 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil && strings.Contains(string(stat), ") Z ") || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("not ended")
}
