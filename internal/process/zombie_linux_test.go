package process

import (
	"os/exec"
	"syscall"
	"testing"
	"unsafe"
)

// A process that was killed is not running, even before the process that started it has noticed.
func TestZombie(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer func() { _ = cmd.Wait() }()
	if !IsAlive(cmd.Process.Pid) {
		t.Error("a running process is not alive")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, cmd.Process.Pid)
	if IsAlive(cmd.Process.Pid) {
		t.Error("a killed process is alive")
	}
}

// awaitEnd waits until a child has ended, and leaves it to be noticed later.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	const byPID = 1
	var info [128]byte
	_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, byPID, uintptr(pid), uintptr(unsafe.Pointer(&info)),
		syscall.WEXITED|syscall.WNOWAIT, 0, 0)
	if errno != 0 {
		t.Skip(errno)
	}
}
