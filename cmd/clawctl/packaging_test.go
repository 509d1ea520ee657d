package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// systemd accepts the service and the timer. The program of the service is replaced by one that exists here.
func TestSystemdUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze here")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range []string{"clawctl-import.service", "clawctl-import.timer"} {
		text := strings.Replace(readDoc(t, "packaging/systemd/"+name), "/usr/bin/clawctl", program, 1)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	verify := exec.Command(analyze, "verify", "--man=no", filepath.Join(folder, "clawctl-import.timer"),
		filepath.Join(folder, "clawctl-import.service"))
	if out, err := verify.CombinedOutput(); err != nil || strings.Contains(string(out), folder) {
		t.Errorf("%s%v", out, err)
	}
}

// The service runs a command that clawctl understands.
func TestSystemdCommand(t *testing.T) {
	needShell(t)
	_, line, _ := strings.Cut(readDoc(t, "packaging/systemd/clawctl-import.service"), "ExecStart=/usr/bin/")
	line, _, _ = strings.Cut(line, "\n")
	if out, err := inFreshFolder(t, line).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s: %s%v", line, out, err)
	}
}

// The image holds the program alone, and does not run as root.
func TestDockerfile(t *testing.T) {
	text := readDoc(t, "Dockerfile")
	for _, line := range []string{"\nFROM scratch\n", "\nUSER 65532:65532\n", ".openclaw:ro", "--network none"} {
		if !strings.Contains(text, line) {
			t.Errorf("the Dockerfile lacks %q", line)
		}
	}
}
