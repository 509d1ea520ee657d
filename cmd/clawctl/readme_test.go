package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```")

// The README's console examples print what they say, one after the other in one shell.
func TestReadmeExamples(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here")
	}
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "testdata"), os.DirFS("../../testdata")); err != nil {
		t.Fatal(err)
	}
	blocks := consoleBlock.FindAllStringSubmatch(readme(t), -1)
	if len(blocks) < 4 {
		t.Fatalf("%d examples", len(blocks))
	}
	var script, want strings.Builder
	for _, block := range blocks {
		for _, line := range strings.SplitAfter(block[1], "\n") {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				script.WriteString(command)
			} else {
				want.WriteString(line)
			}
		}
	}
	cmd := exec.Command("sh", "-c", "exec 2>&1\n"+script.String())
	cmd.Dir = root
	got, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Errorf("the examples print\n%s\nthe README says\n%s", got, want.String())
	}
}

// The tables of the README are those of the code.
func TestReadmeTables(t *testing.T) {
	text := readme(t)
	for _, e := range exitWords {
		if row := fmt.Sprintf("| %d | %s |\n", e.code, e.words); !strings.Contains(text, row) {
			t.Errorf("the README lacks %s", row)
		}
	}
	if _, table, _ := inProcess("", "explain", "--format", "markdown"); !strings.Contains(text, table) {
		t.Error("the README lacks the table that `clawctl explain --format markdown` prints")
	}
	for _, c := range commands() {
		if !strings.Contains(text, "| `"+c.name) {
			t.Errorf("the README does not name %s", c.name)
		}
	}
}

// The two commands at the top of the README, as they stand.
func TestReadmeCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("builds clawctl anew")
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(readme(t), -1)
	if len(blocks) != 2 || blocks[1][1] != "go test ./...\n" {
		t.Fatalf("the README's commands are %q", blocks)
	}
	words := strings.Fields(blocks[0][1])
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = "../.."
	data := t.TempDir()
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+data, "CLAWCTL_DB=", "CLAWCTL_CONFIG=")
	if text, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(text), "12 sources: 8 new") {
		t.Fatalf("%s%v", text, err)
	}
	if _, err := os.Stat(filepath.Join(data, "clawctl", "sessions.db")); err != nil {
		t.Error(err)
	}
}
