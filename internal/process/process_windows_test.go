package process

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/windows"
)

// A process has ended when it has, even if somebody still has a handle of it.
func TestIsAliveByHandle(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run", "^$")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	defer windows.CloseHandle(handle)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if IsAlive(cmd.Process.Pid) {
		t.Error("a process that has ended is alive")
	}
	if !IsAlive(os.Getpid()) {
		t.Error("this process is not alive")
	}
	if dead, _ := strconv.Atoi(deadProcess(t)); IsAlive(dead) {
		t.Error("a process that nobody knows is alive")
	}
}
