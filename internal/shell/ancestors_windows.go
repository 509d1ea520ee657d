package shell

import (
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// shells are the programs that are shells.
var shells = map[string]Shell{
	"cmd.exe": Cmd, "powershell.exe": PowerShell, "pwsh.exe": PowerShell, "bash.exe": POSIX, "sh.exe": POSIX,
	"zsh.exe": POSIX, "fish.exe": POSIX, "busybox.exe": POSIX, "dash.exe": POSIX,
}

// OfAncestors returns the shell that started this process, directly or through other programs, or the given one if
// none did. A variable of the environment would not tell: a shell that was started by another one inherits its.
func OfAncestors(otherwise Shell) Shell {
	processes := runningProcesses()
	pid := uint32(os.Getpid())
	for range 16 { // numbers are reused, so parents may form a circle
		pid = processes[pid].parent
		p, ok := processes[pid]
		if !ok {
			break
		}
		if s, ok := shells[strings.ToLower(p.name)]; ok {
			return s
		}
	}
	return otherwise
}

// A runningProcess is what the system says about a process.
type runningProcess struct {
	parent uint32
	name   string
}

func runningProcesses() map[uint32]runningProcess {
	found := map[uint32]runningProcess{}
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return found
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		found[entry.ProcessID] = runningProcess{entry.ParentProcessID, windows.UTF16ToString(entry.ExeFile[:])}
	}
	return found
}
