package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every page of help is a golden file below testdata/help. UPDATE_HELP=1 rewrites them.
func TestHelpPages(t *testing.T) {
	pages := map[string][]string{"help-all": {"help"}, "help-all-short": {"-h"}, "sources": {"help", "sources"}}
	for _, c := range commands() {
		pages[c.Name] = []string{c.Name, "--help"}
		pages[c.Name+"-short"] = []string{c.Name, "-h"}
	}
	for name, args := range pages {
		status, page, stderr := inProcess("", args...)
		if status != 0 || stderr != "" {
			t.Errorf("%s: exit %d, %s", name, status, stderr)
		}
		compareFile(t, filepath.Join("../../testdata/help", name+".txt"), page, "UPDATE_HELP")
	}
	files, _ := filepath.Glob("../../testdata/help/*.txt")
	for _, file := range files {
		if pages[strings.TrimSuffix(filepath.Base(file), ".txt")] == nil {
			t.Errorf("%s belongs to no page", file)
		}
	}
}

// compareFile compares a generated file with the text that it should have. It writes the file instead if the
// environment variable is set.
func compareFile(t *testing.T, path, want, variable string) {
	t.Helper()
	if os.Getenv(variable) != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s is out of date: run the test with %s=1 and look at the difference (%v)", path, variable, err)
	}
}

// help COMMAND and COMMAND --help print the long page, -h the short one. --help wins over -h.
func TestHelpForms(t *testing.T) {
	_, long, _ := inProcess("", "help", "cat")
	_, short, _ := inProcess("", "cat", "-h")
	if !strings.Contains(long, "Examples:") || !strings.Contains(long, "Exit status:") {
		t.Error(long)
	}
	if strings.Contains(short, "Examples:") || strings.Contains(short, "Exit status:") ||
		!strings.Contains(short, "\nFlags:") {
		t.Error(short)
	}
	for _, args := range [][]string{
		{"cat", "--help"}, {"--help", "cat"}, {"cat", "-h", "--help"}, {"cat", "--help", "-h"},
	} {
		if _, got, _ := inProcess("", args...); got != long {
			t.Errorf("%v does not print the long page", args)
		}
	}
	if _, got, _ := inProcess("", "-h", "cat", "file"); got != short {
		t.Error("-h before the command does not print the short page")
	}
}
