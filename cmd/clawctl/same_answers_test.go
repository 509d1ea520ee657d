package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/internal/ui"
)

// Every command that reads gives the same answer each time, however many workers it has.
func TestSameAnswers(t *testing.T) {
	asked := map[string]bool{}
	for _, q := range questions {
		asked[strings.Fields(q)[0]] = true
	}
	for _, c := range wholeCommands() {
		if !asked[c.Name] && !slices.Contains(writers, c.Name) {
			t.Errorf("no question for %s", c.Name)
		}
	}
	for name, home := range answerHomes(t) {
		t.Run(name, func(t *testing.T) { askAll(t, home) })
	}
}

// An answerHome is what the words in capitals stand for.
type answerHome struct{ folder, one, other string }

// answerHomes returns the homes to ask about: one with doubled, forked and archived sessions. In make long they also
// include the example and the real transcripts.
func answerHomes(t *testing.T) map[string]answerHome {
	example := filepath.Join(t.TempDir(), "home")
	if err := os.CopyFS(example, os.DirFS("../../testdata/home")); err != nil {
		t.Fatal(err)
	}
	id := filepath.Join(example, "agents", "main", "sessions", "e062545a-58d4-4c17-a35c-7cb0f9f71a36")
	homes := map[string]answerHome{"copies": homeOfCopies(t)}
	if !longtest.IsLong() {
		return homes
	}
	homes["example"] = answerHome{
		example, id + ".jsonl", id + ".checkpoint.579372de-7836-4f3f-ae5e-612549d55682.jsonl",
	}
	if _, err := os.Stat(sharedTranscripts); err == nil {
		real := filepath.Join(t.TempDir(), "real")
		if err := os.CopyFS(real, os.DirFS(filepath.Join(sharedTranscripts, "openclaw-jsonl"))); err != nil {
			t.Fatal(err)
		}
		homes["real"] = answerHome{real, homes["example"].one, homes["example"].other}
	}
	return homes
}

// homeOfCopies writes a home in which every kind of copy occurs: a session with all its lines twice, a fork, a reset, a
// backup, and sessions that only share ids. Prices have many digits, so that the order of additions matters.
func homeOfCopies(t *testing.T) answerHome {
	home := filepath.Join(t.TempDir(), "home")
	sessions := filepath.Join(home, "agents", "main", "sessions")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name string, lines ...string) string {
		path := filepath.Join(sessions, name)
		testkit.Write(t, path, strings.Join(lines, ""))
		at := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	id := func(n int) string { return fmt.Sprintf("aaaaaaaa-0000-4000-8000-%012d", n) }
	body, twice := answerLines(0, 200), answerLines(7, longtest.Rounds(t, "CLAWCTL_ANSWERS", 300, 800))
	one := write(id(1)+".jsonl", slices.Concat(headerLine(id(1), ""), body)...)
	other := write(id(2)+".jsonl", slices.Concat(headerLine(id(2), one), body[50:150])...)
	write(id(1)+".jsonl.reset.2026-05-04T14-58-56.795Z", slices.Concat(headerLine(id(1), ""), body[:80])...)
	write(id(1)+".jsonl.bak-1-1777899690089", slices.Concat(headerLine(id(1), ""), body[:120])...)
	write(id(3)+".jsonl", slices.Concat(headerLine(id(3), ""), twice, twice)...)
	for n := 4; n < 12; n++ {
		write(id(n)+".jsonl", slices.Concat(headerLine(id(n), ""), answerLines(n*70, 20+n))...)
	}
	return answerHome{home, one, other}
}

func headerLine(id, parent string) []string {
	const form = `{"type":"session","version":3,"id":%q,"timestamp":"2026-05-01T00:00:00.000Z","cwd":"/w",` +
		`"parentSession":%q}` + "\n"
	return []string{fmt.Sprintf(form, id, parent)}
}

// answerLines returns answers with prices, the first of which was written so many seconds after midnight.
func answerLines(first, n int) (lines []string) {
	const form = `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-05-%02dT%02d:%02d:%02d.000Z","message":` +
		`{"role":"assistant","content":[{"type":"text","text":"answer %d to the question %s"}],"provider":"p",` +
		`"model":"m%d","stopReason":"stop","usage":{"input":10,"output":5,"totalTokens":15,"cost":{"total":%v}}}}` + "\n"
	parent := "null"
	for i := first; i < first+n; i++ {
		day, rest := 1+i/200, i%200
		lines = append(lines, fmt.Sprintf(form, i+1, parent, day, rest/3600, rest/60%60, rest%60, i,
			strings.Repeat("again ", i%50), i%7, 0.1+float64(i%97)/3e6))
		parent = fmt.Sprintf("\"%08x\"", i+1)
	}
	return lines
}

// askAll asks every question about a home.
func askAll(t *testing.T, home answerHome) {
	folder := t.TempDir()
	store, out := filepath.Join(folder, "s.db"), filepath.Join(folder, "out")
	t.Setenv("HOME", folder)
	t.Setenv("OPENCLAW_STATE_DIR", home.folder)
	t.Setenv("CLAWCTL_DB", store)
	if code, _, stderr := inProcess("", "import", "-q", home.folder, "--to", store); code != failure.ExitOK {
		t.Fatal(code, stderr)
	}
	words := strings.NewReplacer("HOME", home.folder, "ONE", home.one, "OTHER", home.other, "STORE", store, "OUT", out)
	for i, question := range questions {
		if i%longtest.Step(2) != 0 {
			continue
		}
		args := strings.Fields(question)
		for i := range args {
			args[i] = words.Replace(args[i])
		}
		var first string
		for i, more := range variants(args) {
			answer := answerOf(t, out, append(slices.Clone(args), more...))
			switch {
			case i == 0:
				first = answer
			case answer != first:
				t.Errorf("clawctl %s %v gives another answer than at first:\n%s", question, more, difference(first, answer))
			}
		}
		if strings.HasPrefix(first, "exit 2\n") {
			t.Errorf("clawctl %s is not a command:\n%s", question, first)
		}
	}
}

// variants returns the flags with which a question is asked again, more of them in make long.
func variants(args []string) [][]string {
	c, err := cli.FindCommand(args[0], wholeCommands())
	hasJobs := err == nil && slices.ContainsFunc(c.OwnFlags(), func(f cli.Flag) bool { return f.Name == "jobs" })
	if !hasJobs || args[0] == "export" && !slices.Contains(args, asParquet) {
		return [][]string{nil, nil}
	}
	if longtest.IsLong() {
		return [][]string{{"--jobs", "1"}, {"--jobs", "2"}, {"--jobs", "3"}, {"--jobs", "8"}}
	}
	return [][]string{{"--jobs", "1"}, {"--jobs", "3"}}
}

// jobsInHint is what a hint repeats of the command line.
var jobsInHint = regexp.MustCompile(` --jobs [0-9]`)

// answerOf returns everything that a command says and writes: its status, both streams, and the files in out, which are
// removed.
func answerOf(t *testing.T, out string, args []string) string {
	var stdout, stderr bytes.Buffer
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	atNoon := func() time.Time { return noon }
	code := runWith(append([]string{"clawctl"}, args...), cli.Setup{Stdin: strings.NewReader(""), Stdout: &stdout,
		Stderr: &stderr, Now: atNoon, Timing: ui.DefaultTiming(atNoon)})
	answer := fmt.Sprintf("exit %d\n%s\nstderr:\n%s\n", code, stdout.String(), stderr.String())
	answer = jobsInHint.ReplaceAllString(answer, "")
	err := filepath.WalkDir(out, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		answer += fmt.Sprintf("%s %x\n", path, sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	return answer
}

// difference returns the first lines that differ.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %.300s\n      and: %.300s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}
