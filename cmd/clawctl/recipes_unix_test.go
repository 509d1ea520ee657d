//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/longtest"
)

// These tests run the recipes of docs/cron.md as the page has them. Programs that notify somebody, and those that are
// not on every machine, are replaced by one that notes how it was called.

// A machine is a folder in which the recipes run, as HOME and as the current one.
type machine struct {
	*testing.T
	home  string
	calls string // the file that has the calls of the replaced programs
	env   []string
}

// noteCall is a program that writes its name, its arguments, its input and the files it sends to the file of calls.
const noteCall = `#!/bin/sh
{
	printf '%s' "${0##*/}"; printf ' [%s]' "$@"; echo
	case ${0##*/} in mail) cat ;; curl) cat over.txt ;; llm) cat >/dev/null ;; esac
} >>"$CALLS"
`

// newMachine makes a folder with the example home, at a time on one of its days.
func newMachine(t *testing.T) *machine {
	t.Helper()
	needShell(t)
	fresh, tools := inFreshFolder(t, ""), t.TempDir()
	calls := filepath.Join(tools, "calls")
	m := &machine{t, fresh.Dir, calls, append(fresh.Env, testClock+"=2026-05-20T12:00:00Z", "CALLS="+calls,
		"PATH="+tools+":"+os.Getenv("PATH"))}
	for _, name := range []string{"mail", "curl", "notify-send", "systemctl", "llm"} {
		m.write(filepath.Join(tools, name), noteCall, 0o700)
	}
	m.write(calls, "", 0o600)
	return m
}

// write writes a file. The mode says whether it may be run.
func (m *machine) write(file, text string, mode os.FileMode) {
	m.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		m.Fatal(err)
	}
}

// spend appends an answer of a cron job that cost $400 to its session.
func (m *machine) spend() {
	m.Helper()
	m.answer("dear", `{"output":16000000,"cost":{"total":400}}`)
}

// answer appends an answer with this id and usage to the session of a cron job.
func (m *machine) answer(id, usage string) {
	m.Helper()
	name := ".openclaw/agents/research/sessions/45eb9ccd-0ce4-4a64-a9e8-e4346eade7e8.jsonl"
	file, err := os.OpenFile(filepath.Join(m.home, name), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		m.Fatal(err)
	}
	_, err = file.WriteString(`{"type":"message","id":"` + id + `","parentId":null,"timestamp":"2026-05-20T05:00:00Z",` +
		`"message":{"role":"assistant","provider":"anthropic","model":"claude-opus-4-5","content":"` + id + `",` +
		`"usage":` + usage + "}}\n")
	if err := file.Close(); err != nil {
		m.Fatal(err)
	}
	if err != nil {
		m.Fatal(err)
	}
}

// run runs a recipe, and returns what it prints, the calls that it made, and its exit status.
func (m *machine) run(recipe string) (printed, calls string, exit int) {
	m.Helper()
	cmd := exec.Command("sh", "-c", recipe)
	cmd.Dir, cmd.Env = m.home, m.env
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		m.Fatal(err)
	}
	noted, err := os.ReadFile(m.calls)
	if err != nil {
		m.Fatal(err)
	}
	m.write(m.calls, "", 0o600)
	return string(out), string(noted), cmd.ProcessState.ExitCode()
}

// recipes returns the blocks of docs/cron.md in a language that contain a text. There must be some.
func recipes(t *testing.T, language, text string) []string {
	t.Helper()
	list := slices.DeleteFunc(blocks(readDoc(t, "docs/cron.md"), language), func(block string) bool {
		return !strings.Contains(block, text)
	})
	if len(list) == 0 {
		t.Fatalf("docs/cron.md has no recipe in %s with %q", language, text)
	}
	return list
}

// The recipes that notify do so after the budget is spent, and not before.
func TestNotifyingRecipes(t *testing.T) {
	t.Parallel()
	m, recipe := newMachine(t), recipes(t, "sh", "mail -s")[0]
	if printed, calls, exit := m.run(recipe); printed+calls != "" || exit != 0 {
		t.Errorf("within the budget: exit %d: %s%s", exit, printed, calls)
	}
	m.spend()
	printed, calls, exit := m.run(recipe)
	want := "mail [-s] [OpenClaw is over its budget] [you@example.com]\n" +
		"clawctl: CL917 --fail-if-any holds for job daily-digest: estimated.cost_usd > 5\n" +
		"curl [-s] [--data-binary] [@over.txt] [https://ntfy.example.com/openclaw]\n" +
		"clawctl: CL917 --fail-if holds: estimated.cost_usd > 300\n"
	if printed != "" || exit != 0 || calls != want {
		t.Errorf("exit %d: %scalled\n%swant\n%s", exit, printed, calls, want)
	}
}

// The line for a prompt has the cost of today in dollars and cents.
func TestPromptRecipe(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("no jq here")
	}
	m, recipe := newMachine(t), recipes(t, "sh", "jq")[0]
	for _, want := range []string{"$0.04\n", "$400.04\n"} {
		if printed, _, exit := m.run(recipe); printed != want || exit != 0 {
			t.Errorf("exit %d: %q, want %q", exit, printed, want)
		}
		m.spend()
	}
}

// crontab matches a line of a crontab: five fields with the times, then the command.
var crontab = regexp.MustCompile(`(?m)^(?:[\d*/,-]+ +){5}(\S.*)$`)

// cronCommands returns the commands of the page's crontabs. cron ends a command at a percent sign.
func cronCommands(t *testing.T) (commands []string) {
	t.Helper()
	for _, block := range recipes(t, "crontab", "") {
		lines := crontab.FindAllStringSubmatch(block, -1)
		if len(lines) != strings.Count(block, "\n") || strings.Contains(block, "%") {
			t.Errorf("cron does not run this as it is meant:\n%s", block)
		}
		for _, line := range lines {
			commands = append(commands, line[1])
		}
	}
	return commands
}

// The lines for cron print nothing if all is well, so that cron sends no mail. The line with a budget prints what went
// over it.
func TestCronRecipes(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	scripts, err := filepath.Abs(filepath.Join(root, "scripts"))
	if err == nil {
		err = os.Mkdir(filepath.Join(m.home, "clawctl"), 0o700)
	}
	if err == nil {
		err = os.Symlink(scripts, filepath.Join(m.home, "clawctl/scripts"))
	}
	if err != nil {
		t.Fatal(err)
	}
	m.answer("odd", `{"output":1,"cost":{"total":1}}`) // a note about its price is no reason for a mail
	budget := ""
	for _, command := range cronCommands(t) {
		if strings.Contains(command, "shrink-store.sh") && !longtest.IsLong() {
			continue // asks about every session; append.txtar runs it on a small store
		}
		if printed, _, exit := m.run(command); printed != "" || exit > 1 {
			t.Errorf("%s: exit %d: %s", command, exit, printed)
		}
		if strings.Contains(command, "--fail-if-any") {
			budget = command
		}
	}
	m.spend()
	want := "clawctl: CL917 --fail-if-any holds for agent research: estimated.cost_usd > 20\n"
	if printed, _, exit := m.run(budget); printed != want || exit != 1 {
		t.Errorf("%s: exit %d: %s", budget, exit, printed)
	}
}

// The commands to paste run, and the one that deletes leaves files that are in no database.
func TestPastedRecipes(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	if printed, calls, exit := m.run(recipes(t, "text", "systemctl")[0]); printed != "" || exit != 0 ||
		calls != "systemctl [--user] [enable] [--now] [clawctl-import.timer]\n" {
		t.Errorf("exit %d: %s%s", exit, printed, calls)
	}
	count := func() string {
		files, _, _ := m.run(`find .openclaw -type f | wc -l`)
		return files
	}
	before := count()
	if printed, _, exit := m.run(recipes(t, "text", "xargs")[0]); exit != 0 || count() != before {
		t.Errorf("exit %d: %s", exit, printed)
	}
}

// systemd accepts the units of the page, and the service fails after the budget is spent.
func TestUnitRecipes(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	folder, files := t.TempDir(), []string{}
	for _, block := range recipes(t, "ini", "") {
		name, text, _ := strings.Cut(strings.TrimPrefix(block, "# "), "\n")
		files = append(files, filepath.Join(folder, name))
		m.write(files[len(files)-1], strings.Replace(text, "/usr/bin/notify-send", "/bin/sh", 1), 0o600)
	}
	_, line, _ := strings.Cut(recipes(t, "ini", "OnFailure=over-budget.service\n")[0], "ExecStart=")
	for _, want := range []int{0, 1} {
		if printed, _, exit := m.run(line); exit != want {
			t.Errorf("exit %d, want %d: %s", exit, want, printed)
		}
		m.spend()
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze here")
	}
	verify := exec.Command(analyze, append([]string{"verify", "--user", "--man=no"}, files...)...)
	verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+folder)
	if out, err := verify.CombinedOutput(); err != nil || strings.Contains(string(out), folder) {
		t.Errorf("%s%v", out, err)
	}
}
