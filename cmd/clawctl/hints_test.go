package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/source"
	"clawctl/pkg/validate/validatetest"

	"github.com/rogpeppe/go-internal/testscript"
)

// printedHints returns the commands that a run prints as hints.
func printedHints(stderr string) (hints []string) {
	for line := range strings.Lines(stderr) {
		if hint, ok := strings.CutPrefix(line, "hint: "); ok {
			hints = append(hints, strings.TrimSuffix(hint, "\n"))
		}
	}
	return hints
}

// A pasting runs hints as a user does who pastes them. The environment of the test changes while scripts run, so
// everything it needs is looked up before.
type pasting struct {
	shell, copy, temp string
	path              string // PATH
	seen              sync.Map
}

func newPasting(t *testing.T) *pasting {
	t.Helper()
	p := &pasting{temp: t.TempDir(), path: os.Getenv("PATH")}
	p.shell, _ = exec.LookPath("sh")
	p.copy, _ = exec.LookPath("cp")
	return p
}

// notPasted matches hints that do not run here: those of programs that may be missing or only say what is wrong with a
// file, and folders of other machines.
var notPasted = regexp.MustCompile(`^(openclaw|OPENCLAW_STATE_DIR=\S+|zstd|jq|sqlite3|mv|rm|mkdir) |` +
	`\bpsql\b|^clawctl sessions '?/(srv|no-home)`)

// needsYes is said by commands that would ask on a terminal.
const needsYes = "needs -y without a terminal"

// laterFailures are what the command of a right hint may still be refused for, which the hint is not about.
var laterFailures = []string{
	"no OpenClaw state folder", // the script has no home
	"no database with sessions, and no clawctl store",
	needsYes,
	"is not empty\nhint: ",               // the script has used the example's name for a folder
	"context window is not known",        // of a session without answers
	"changed while it was being",         // by the command itself
	"--tools takes a file",               // that the script does not have
	"is not in it\nhint: clawctl import", // a file cannot be appended to; the next hint imports it
}

// try pastes the hints that a command of a script printed. One that may change something runs in a copy of the script's
// folder. A hint that is wrong usage, or names something that is not there, fails the script.
func (p *pasting) try(ts *testscript.TestScript, env []string, stderr string) {
	work := ts.Getenv("WORK")
	for _, hint := range printedHints(stderr) {
		_, tried := p.seen.LoadOrStore(kindOfHint(work, hint), true)
		words := plainWords(hint)
		switch {
		case tried || notPasted.MatchString(hint) || p.shell == "":
		case words != nil && onlyReads(words):
			p.judge(ts, hint, ts.MkAbs("."), env)
		case p.copy != "":
			folder, err := os.MkdirTemp(p.temp, "paste")
			ts.Check(err)
			ts.Check(exec.Command(p.copy, "-R", work+"/.", folder).Run())
			moved := func(text string) string { return strings.ReplaceAll(text, work, folder) }
			moving := slices.Clone(env)
			for i := range moving {
				moving[i] = moved(moving[i])
			}
			ts.Check(moveReceipts(folder, moved))
			p.judge(ts, moved(hint), moved(ts.MkAbs(".")), moving)
			if strings.HasPrefix(hint, "clawctl undo ") {
				p.judge(ts, moved(hint)+" -y", moved(ts.MkAbs(".")), moving)
			}
			ts.Check(os.RemoveAll(folder))
		}
	}
}

// moveReceipts lets the receipts in a copy of a folder name the files of the copy.
func moveReceipts(folder string, moved func(string) string) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Base(filepath.Dir(path)) != "receipts" || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(moved(string(text))), 0o600)
	})
}

// kindOfHint is the same for hints of which one is enough: in make long those of one script that are equal, and else
// all that have the same command and flags.
func kindOfHint(work, hint string) string {
	if longtest.IsLong() {
		return work + hint
	}
	words := strings.Fields(hint)
	kind := slices.Clone(words[:min(2, len(words))])
	for _, word := range words[len(kind):] {
		if strings.HasPrefix(word, "-") || word == "|" {
			kind = append(kind, word)
		}
	}
	return strings.Join(kind, " ")
}

// judge pastes a command, and fails the script if it does not work.
func (p *pasting) judge(ts *testscript.TestScript, hint, folder string, env []string) {
	status, said := p.paste(folder, env, hint)
	isLater := func(words string) bool { return strings.Contains(said, words) }
	if (status == failure.ExitUsage || status >= failure.ExitNothing) && !slices.ContainsFunc(laterFailures, isLater) {
		ts.Fatalf("the hint does not work when it is pasted: %s\nexit status %d: %s", hint, status, said)
	}
}

// paste runs a command and returns its exit status and what it said on stderr: in this process, or in a shell.
func (p *pasting) paste(folder string, env []string, command string) (status int, said string) {
	var stderr bytes.Buffer
	if words := plainWords(command); words != nil {
		status, err := runInside(folder, env, words[1:], strings.NewReader(""), io.Discard, &stderr)
		if err != nil {
			stderr.WriteString(err.Error())
		}
		return status, stderr.String()
	}
	cmd := exec.Command(p.shell, "-c", command)
	cmd.Dir, cmd.Env, cmd.Stderr = folder, append(slices.Clone(env), "PATH="+p.path), &stderr
	_ = cmd.Run() // its status says it
	return cmd.ProcessState.ExitCode(), stderr.String()
}

// plainWords splits a command of clawctl into words. It returns nil for what only a shell understands.
func plainWords(command string) (words []string) {
	word, inQuotes, isOpen := "", false, false
	for _, r := range command {
		switch {
		case r == '\'':
			inQuotes, isOpen = !inQuotes, true
		case inQuotes:
			word += string(r)
		case r == ' ':
			if isOpen {
				words, word, isOpen = append(words, word), "", false
			}
		case strings.ContainsRune("|&;<>\\\"$~*", r):
			return nil
		default:
			word, isOpen = word+string(r), true
		}
	}
	if isOpen {
		words = append(words, word)
	}
	if len(words) == 0 || words[0] != "clawctl" {
		return nil
	}
	return words
}

// onlyReads reports whether a command changes nothing.
func onlyReads(words []string) bool {
	name, _ := cli.SplitCommand(words[1:], wholeCommands())
	return slices.Contains(readers, name) && !slices.Contains(words, "-o")
}

// placeholders are what stands for the words of commands that explain prints. They are names in the folder of
// TestExplainedCommands.
var placeholders = map[string]string{
	"FILE": "talk.jsonl", "FILE.tar.zst": "all.tar.zst", "FOLDER": ".openclaw", "SOURCE": ".openclaw",
	"SESSION": "agent:main:main", "KEY": "agent:main:main", "ID": "3e7630fe", "LINE": "1", "NAME": "web1",
	"COMMAND": "sessions", "HOME": ".openclaw",
}

// otherPlaceholders are those of codes whose commands write a file, or are about one kind of command.
var otherPlaceholders = map[failure.Code]map[string]string{
	failure.UsageCode:    {"COMMAND": "cat"},
	failure.Exists:       {"COMMAND": "export -q --session agent:main:main -o out/one.jsonl"},
	failure.Locked:       {"COMMAND": "import -q"},
	failure.Corrupt:      {"FILE": ".local/share/clawctl/sessions.db"},
	failure.Unrecognized: {"FILE": ".local/share/clawctl/sessions.db"},
	failure.NotWritable:  {"FILE": "out/repaired.jsonl"},
	failure.OtherDataset: {"FOLDER": "out/data"},
	failure.BadManifest:  {"FOLDER": "out/data"},
	failure.Declined:     {"COMMAND": "delete agent:research:main"},
	"CL961":              {"FILE": "values"},
	"CL516":              {"FILE": ".openclaw"},
	"CL521":              {"FILE": ".openclaw"},
}

// explainedWords matches the placeholders in a command.
var explainedWords = regexp.MustCompile(`\b(FILE\.tar\.zst|[A-Z]{2,})\b`)

// Every command that explain prints works when it is pasted, with names for its placeholders.
func TestExplainedCommands(t *testing.T) {
	p := newPasting(t)
	if p.shell == "" {
		t.Skip("no shell here")
	}
	setup := inFreshFolder(t, "cp testdata/transcripts/damaged.jsonl talk.jsonl && mkdir out && "+
		"echo hunter22 > values && "+
		"clawctl import -q && clawctl export -q --as bundle .openclaw -o all.tar.zst")
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	tried := map[string]bool{}
	for _, e := range failure.Table() {
		command := explainedWords.ReplaceAllStringFunc(e.Run, func(word string) string {
			return cmp.Or(otherPlaceholders[e.Code][word], placeholders[word], word)
		})
		program, _, _ := strings.Cut(command, " ")
		if _, err := exec.LookPath(program); tried[command] || err != nil {
			continue // such as openclaw
		}
		tried[command] = true
		status, said := p.paste(setup.Dir, setup.Env, command)
		isAsked := strings.Contains(said, needsYes)
		if strings.Contains(said, "not found") || program == "clawctl" && !isAsked &&
			(status == failure.ExitUsage || status >= failure.ExitNothing) {
			t.Errorf("%s: %s\nexit status %d: %s", e.Code, command, status, said)
		}
	}
	if len(tried) < 40 {
		t.Errorf("only %d commands", len(tried))
	}
}

// Every command that validate prints for a finding works when it is pasted, for every kind of fault.
func TestFindingCommands(t *testing.T) {
	p := newPasting(t)
	if p.shell == "" {
		t.Skip("no shell here")
	}
	folder := t.TempDir()
	env := []string{"HOME=" + folder, "PATH=" + p.path}
	for i, fault := range validatetest.Faults {
		text, _ := fault.Plant(1)
		path := filepath.Join(folder, fmt.Sprintf("fault%d.jsonl", i))
		testkit.Write(t, path, text)
		p.pasteFindings(t, env, fault.Code, folder, path)
	}
	for i, fault := range validatetest.PlaceFaults {
		place := filepath.Join(folder, fmt.Sprintf("state%d", i), "home")
		if err := fault.Plant(place); err != nil {
			t.Fatal(err)
		}
		p.pasteFindings(t, env, fault.Code, place, place)
	}
}

// pasteFindings pastes the commands of the findings with a code.
func (p *pasting) pasteFindings(t *testing.T, env []string, code failure.Code, folder, path string) {
	t.Helper()
	_, printed, said := inProcess("", "validate", "--secrets", "--fail-on", "info", "--format", "ndjson", path)
	found := false
	for line := range strings.Lines(printed) {
		var row struct{ Code, Hint string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Code != string(code) || found {
			continue
		}
		found = true
		program, _, _ := strings.Cut(row.Hint, " ")
		if _, err := exec.LookPath(program); err != nil {
			continue // such as openclaw
		}
		status, said := p.paste(folder, env, row.Hint)
		isElsewhere := code == source.AgentOutside // in a folder that is not on this machine
		isCorrupt := code == source.BadDatabase && status == failure.ExitDatabase
		if (status == failure.ExitUsage || status >= failure.ExitNothing) && !isElsewhere && !isCorrupt {
			t.Errorf("%s %s\nexit status %d: %s", code, row.Hint, status, said)
		}
	}
	if !found {
		t.Errorf("%s is not reported for %s: %s", code, path, said)
	}
}

// Every command that doctor prints works when it is pasted, for homes with every kind of problem.
func TestDoctorCommands(t *testing.T) {
	p := newPasting(t)
	if p.shell == "" {
		t.Skip("no shell here")
	}
	homes := []string{"../../testdata/home"}
	if _, err := os.Stat(sharedTranscripts); err == nil {
		defects, _ := filepath.Glob(sharedTranscripts + "/defects/*/agents")
		for _, agents := range defects {
			homes = append(homes, filepath.Dir(agents))
		}
	}
	tried := map[string]bool{}
	for i, home := range homes {
		folder := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.CopyFS(filepath.Join(folder, "home"), os.DirFS(home)); err != nil {
			t.Fatal(err)
		}
		p.pasteAdvice(t, folder, tried)
	}
	for i, fault := range validatetest.PlaceFaults {
		folder := filepath.Join(t.TempDir(), fmt.Sprintf("state%d", i))
		if err := fault.Plant(filepath.Join(folder, "home")); err != nil {
			t.Fatal(err)
		}
		p.pasteAdvice(t, folder, tried)
	}
	if len(tried) < 12 {
		t.Errorf("only %d kinds of commands", len(tried))
	}
}

// pasteAdvice pastes the commands that doctor prints for the home in a folder, one of each kind.
func (p *pasting) pasteAdvice(t *testing.T, folder string, tried map[string]bool) {
	t.Helper()
	home := filepath.Join(folder, "home")
	t.Setenv("XDG_DATA_HOME", filepath.Join(folder, ".local", "share"))
	_, printed, said := inProcess("", "doctor", "--all", "--json", home)
	var report struct {
		Checks []struct{ ID, Status, Command string }
	}
	if err := json.Unmarshal([]byte(printed), &report); err != nil || len(report.Checks) == 0 {
		t.Fatalf("%v: %s", err, said)
	}
	env := []string{"HOME=" + folder, "PATH=" + p.path, "XDG_DATA_HOME=" + filepath.Join(folder, ".local", "share")}
	for _, check := range report.Checks {
		kind := check.ID + check.Status + kindOfHint(home, check.Command)
		if check.Command == "" || tried[kind] || notPasted.MatchString(check.Command) {
			continue
		}
		tried[kind] = true
		status, said := p.paste(folder, env, check.Command)
		isCorrupt := status == failure.ExitDatabase && (strings.Contains(said, "CL516") || strings.Contains(said, "CL910"))
		if (status == failure.ExitUsage || status >= failure.ExitNothing) && !isCorrupt {
			t.Errorf("%s: %s\nexit status %d: %s", check.ID, check.Command, status, said)
		}
	}
}

func TestPlainWords(t *testing.T) {
	for command, want := range map[string]string{
		"clawctl cat a":               "clawctl|cat|a",
		`clawctl cat 'it'\''s' b`:     "",
		"clawctl cat 'a b#c' ''":      "clawctl|cat|a b#c|",
		"clawctl cat a | head":        "",
		"ls -l":                       "",
		"clawctl search 'a|b' --in x": "clawctl|search|a|b|--in|x",
	} {
		if got := strings.Join(plainWords(command), "|"); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
