package main

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/failure"
)

const skill = "skills/clawctl/SKILL.md"

// Every command of the skill runs, in the order of the page. None changes the state folder, except for a repair, which
// is undone.
func TestSkillCommands(t *testing.T) {
	t.Parallel()
	needShell(t)
	folder := ""
	var before map[string]string
	for _, block := range blocks(readDoc(t, skill), "bash") {
		for line := range strings.Lines(block) {
			cmd := inFreshFolder(t, line)
			if folder == "" {
				folder = cmd.Dir
				damageHome(t, folder)
				before = contentsBelow(t, filepath.Join(folder, ".openclaw"))
			}
			runSkillCommand(t, cmd, folder)
			isRepair := strings.Contains(line, "--write")
			if same := maps.Equal(before, contentsBelow(t, filepath.Join(folder, ".openclaw"))); same == isRepair {
				t.Errorf("%sleft the state folder unchanged: %v", line, same)
			}
		}
	}
}

// damageHome cuts the last line of the main session, so that there is something to repair.
func damageHome(t *testing.T, folder string) {
	t.Helper()
	name := filepath.Join(folder, ".openclaw/agents/main/sessions/e062545a-58d4-4c17-a35c-7cb0f9f71a36.jsonl")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, info.Size()-20); err != nil {
		t.Fatal(err)
	}
}

// runSkillCommand runs a command in a folder. It must succeed, or report problems or damage.
func runSkillCommand(t *testing.T, cmd *exec.Cmd, folder string) {
	t.Helper()
	cmd.Dir = folder
	cmd.Env = append(cmd.Env, "HOME="+folder)
	out, err := cmd.CombinedOutput()
	expected := []int{failure.ExitOK, failure.ExitFindings, failure.ExitDamaged}
	isSilent := len(out) == 0 && !strings.Contains(cmd.Args[2], "--quiet")
	if !slices.Contains(expected, cmd.ProcessState.ExitCode()) || isSilent {
		t.Errorf("%s%s%v", cmd.Args[2], out, err)
	}
}

// contentsBelow returns the content of every file below a folder.
func contentsBelow(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The skill needs clawctl alone, and its commands never show what is masked.
func TestSkillIsSafe(t *testing.T) {
	text := readDoc(t, skill)
	if !strings.HasPrefix(text, "---\nname: clawctl\n") || !strings.Contains(text, `"bins": ["clawctl"]`) {
		t.Error("the head of the skill is not what OpenClaw reads")
	}
	for _, block := range blocks(text, "bash") {
		for line := range strings.Lines(block) {
			if !strings.HasPrefix(line, "clawctl ") || strings.Contains(line, "--raw") || strings.ContainsAny(line, "|>;&") {
				t.Errorf("not a plain, safe command: %s", line)
			}
		}
	}
}
