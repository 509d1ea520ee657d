package cli

import (
	"bytes"
	"slices"
	"testing"
)

// Only commands that print what they know run without waiting for signals, and only without flags and operands.
func TestInstantRuns(t *testing.T) {
	commands := []*Command{{Name: "help", Instant: true}, {Name: "version", Instant: true}, {Name: "read"}}
	for line, want := range map[string]bool{
		"--help": true, "--version": true, "help": true, "version": true, "read": false, "": false, "--wrong": false,
	} {
		a := newApp(Setup{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Commands: commands,
			Hidden: []*Command{{Name: "overview"}}})
		a.Args = slices.DeleteFunc([]string{line}, func(arg string) bool { return arg == "" })
		if got := a.isInstant(); got != want {
			t.Errorf("%q: %v", line, got)
		}
		if a.Args = append(a.Args, "-q"); a.isInstant() {
			t.Errorf("%q is instant", a.Args)
		}
	}
}
