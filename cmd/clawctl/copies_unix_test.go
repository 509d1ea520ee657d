//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"clawctl/internal/openfile"
	"clawctl/internal/process"
	"clawctl/internal/testkit"
)

// What a killed run has left in the folder of the copies goes with the next run there, even if that writes no file.
func TestCopiesRemoveStale(t *testing.T) {
	const text = `{"type":"session","version":3,"id":"1b671a64-40d5-491e-99b0-da01ff1f3341"}` + "\n" +
		`{"type":"message","id":"a1","parentId":null,"message":{"role":"user","content":"hello"}}` + "\n"
	for _, command := range []string{"slim", "redact"} {
		folder := t.TempDir()
		put(t, filepath.Join(folder, "s.jsonl"), text)
		copies := filepath.Join(folder, "copies")
		put(t, filepath.Join(copies, "s.jsonl"), "taken")
		name := process.TempName(".clawctl-", ".tmp")
		stale := []string{filepath.Join(copies, strings.Replace(name, strconv.Itoa(os.Getpid()), deadPID(t), 1))}
		if command == "slim" {
			stale = append(stale, filepath.Join(copies, "s2.jsonl.slim", filepath.Base(stale[0])))
		}
		for _, path := range stale {
			put(t, path, "half")
		}
		for _, out := range []string{"s.jsonl", "s2.jsonl"} {
			_ = clawctl(command, filepath.Join(folder, "s.jsonl"), "-o", filepath.Join(copies, out)).Run()
			if openfile.IsThere(stale[0]) {
				t.Errorf("%s -o %s leaves %s", command, out, stale[0])
			}
		}
		if openfile.IsThere(stale[len(stale)-1]) {
			t.Errorf("%s leaves %s", command, stale[len(stale)-1])
		}
	}
}

// deadPID is the number of a process that has ended.
func deadPID(t *testing.T) string {
	t.Helper()
	cmd := clawctl("version")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(cmd.Process.Pid)
}

// put writes a file and makes its folder.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, path, text)
}
