package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"unsafe"
)

// openPTY returns the two ends of a pseudo-terminal.
func openPTY(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminal here:", err)
	}
	t.Cleanup(func() { master.Close() })
	var number, unlock uint32
	control(t, master, syscall.TIOCGPTN, &number)
	control(t, master, syscall.TIOCSPTLCK, &unlock)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminal here:", err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

func control(t *testing.T, file *os.File, request uintptr, value *uint32) {
	t.Helper()
	conn, err := file.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Control(func(fd uintptr) {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Skip("no pseudo-terminal here:", errno)
		}
	})
}

// onTerminal runs clawctl with stdout and stderr on a terminal and returns what that received.
func onTerminal(t *testing.T, args ...string) []byte {
	t.Helper()
	master, slave := openPTY(t)
	cmd := clawctl(args...)
	cmd.Stdout, cmd.Stderr = slave, slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	received := make(chan []byte)
	go func() {
		data, _ := io.ReadAll(master) // ends with EIO when the last slave is closed
		received <- data
	}()
	_ = cmd.Wait() // the exit code is not the question here
	slave.Close()
	return bytes.ReplaceAll(<-received, []byte("\r\n"), []byte("\n"))
}

// clawctl returns the command that runs this test binary as clawctl.
func clawctl(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Args = append([]string{"clawctl"}, args...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	return cmd
}

// S3: nothing in a transcript, or in the name of a file, drives a terminal; a pipe gets every byte.
func TestTerminalIsSafe(t *testing.T) {
	const transcript = "../../testdata/transcripts/control-chars.jsonl"
	want, err := os.ReadFile(transcript)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.IndexFunc(want, isUnsafe) < 0 {
		t.Fatal("the transcript has nothing to escape")
	}
	if shown := onTerminal(t, "cat", transcript); bytes.IndexFunc(shown, isUnsafe) >= 0 || len(shown) <= len(want) {
		t.Errorf("a terminal received %q", shown)
	}
	if shown := onTerminal(t, "cat", "\x1b]0;evil\x07\u202e.jsonl"); bytes.IndexFunc(shown, isUnsafe) >= 0 {
		t.Errorf("a terminal received %q", shown)
	}
	if piped, err := clawctl("cat", transcript).Output(); err != nil || !bytes.Equal(piped, want) {
		t.Errorf("a pipe received other bytes: %v", err)
	}
}

// A terminal as stdin is not waited for.
func TestTerminalAsInput(t *testing.T) {
	_, slave := openPTY(t)
	cmd := clawctl("cat")
	cmd.Stdin = slave
	out, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("CL900 no transcript given, and stdin is a terminal")) {
		t.Errorf("%v: %s", err, out)
	}
}
