package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"clawctl/internal/failure"
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

// The console examples of the README print what they say, one after the other in one shell. UPDATE_DOCS=1 writes what
// they print into it.
func TestReadmeExamples(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here")
	}
	text := readme(t)
	if n := len(consoleBlock.FindAllString(text, -1)); n < 4 {
		t.Fatalf("%d examples", n)
	}
	outputs := runExamples(t, text)
	printed := consoleBlock.ReplaceAllStringFunc(text, func(block string) string {
		var b strings.Builder
		b.WriteString("```console\n")
		for _, line := range commandLines(block) {
			b.WriteString(line + outputs[0])
			outputs = outputs[1:]
		}
		return b.String() + "```"
	})
	switch {
	case printed == text:
	case os.Getenv("UPDATE_DOCS") != "":
		if err := os.WriteFile("../../README.md", []byte(printed), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("with what its examples print, the README is\n%s", printed)
	}
}

// commandLines are the lines of a block that begin with a prompt.
func commandLines(block string) (lines []string) {
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, "$ ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// runExamples runs the commands of a document in one shell, in a folder with testdata, and returns what each prints.
func runExamples(t *testing.T, text string) []string {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "testdata"), os.DirFS("../../testdata")); err != nil {
		t.Fatal(err)
	}
	const end = "\x1e" // marks the end of an output
	script := "exec 2>&1\n"
	for _, block := range consoleBlock.FindAllString(text, -1) {
		for _, line := range commandLines(block) {
			script += strings.TrimPrefix(line, "$ ") + "printf '\\036'\n"
		}
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "HOME="+root, "XDG_DATA_HOME=", "CLAWCTL_DB=", "CLAWCTL_CONFIG=", "TZ=UTC")
	printed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(printed), end)
}

// The tables of the README are those of the code.
func TestReadmeTables(t *testing.T) {
	text := readme(t)
	for _, e := range failure.ExitStatuses {
		if row := fmt.Sprintf("| %d | %s |\n", e.Status, e.Words); !strings.Contains(text, row) {
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
	if text, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(text), "Imported 12 transcripts: 8 new") {
		t.Fatalf("%s%v", text, err)
	}
	if _, err := os.Stat(filepath.Join(data, "clawctl", "sessions.db")); err != nil {
		t.Error(err)
	}
}
