package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// completionHome makes the example home the state folder and returns its path.
func completionHome(t testing.TB) string {
	t.Helper()
	home, err := filepath.Abs("../../testdata/home")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("OPENCLAW_STATE_DIR", home)
	t.Setenv("CLAWCTL_DB", filepath.Join(t.TempDir(), "none.db"))
	t.Setenv("CLAWCTL_CONFIG", "")
	return home
}

// The commands that change sessions of the store are offered its keys, and restore what is in the trash.
func TestCompleteKeys(t *testing.T) {
	completionHome(t)
	db := filepath.Join(t.TempDir(), "s.db")
	for _, args := range [][]string{
		{"append", "garden", "--role", "user", "x"}, {"append", "gate", "--role", "user", "x"}, {"new", "gate"},
		{"append", "gone", "--role", "user", "x"}, {"delete", "gone"},
	} {
		if status, _, stderr := inProcess("", append(args, "--store", db)...); status != 0 {
			t.Fatal(args, stderr)
		}
	}
	for _, test := range []struct{ words, want string }{
		{"delete ga", "words gate garden gate@"},
		{"delete garden ga", "words gate garden gate@"},
		{"append ga", "words gate garden"},
		{"append garden ga", "words"},
		{"new gar", "words garden"},
		{"restore g", "files gone gate@"},
		{"restore gar", "files"},
	} {
		words := append([]string{"__complete", "--"}, strings.Fields("--store "+db+" "+test.words)...)
		words[2], words[3], words[4] = words[4], "--store", db // the command comes first
		_, printed, stderr := inProcess("", words...)
		var got []string
		for _, word := range strings.Fields(printed) {
			if name, _, isGeneration := strings.Cut(word, "@"); isGeneration {
				word = name + "@" // its time differs
			}
			got = append(got, word)
		}
		if strings.Join(got, " ") != test.want || stderr != "" {
			t.Errorf("%s: %q, want %q; %s", test.words, got, test.want, stderr)
		}
	}
}

func TestCompleteWords(t *testing.T) {
	home := completionHome(t)
	for _, test := range []struct {
		words []string
		kind  string
		want  []string // among the candidates
		not   string   // not among them
	}{
		{[]string{""}, "words", []string{"cat", "sessions", "help"}, "__complete"},
		{[]string{"se"}, "words", []string{"sessions"}, "cat"},
		{[]string{"--co"}, "words", []string{"--color", "--config"}, "--since"},
		{[]string{"--color", ""}, "words", []string{"auto", "always", "never"}, "cat"},
		{[]string{"--color", "never", "ca"}, "words", []string{"cat"}, ""},
		{[]string{"--color=n"}, "words", []string{"--color=never"}, "never"},
		{[]string{"cat", "--s"}, "words", []string{"--since", "--session", "--strict"}, "--short"},
		{[]string{"stats", "--format", ""}, "words", []string{"table", "csv", "markdown"}, "sarif"},
		{[]string{"validate", "--format", "s"}, "words", []string{"sarif"}, ""},
		{[]string{"stats", "--kind", "live,re"}, "words", []string{"live,reset"}, "reset"},
		{[]string{"explain", "CL30"}, "words", []string{"CL301"}, "CL101"},
		{[]string{"validate", "--ignore", "CL3"}, "words", []string{"CL301"}, ""},
		{[]string{"cat", "--type", "mes"}, "words", []string{"message"}, ""},
		{[]string{"cat", "--agent", ""}, "words", []string{"main"}, ""},
		{[]string{"cat", "agent:main:m"}, "files", []string{"agent:main:main"}, ""},
		{[]string{"cat", home + "#agent:main:m"}, "words", []string{home + "#agent:main:main"}, ""},
		{[]string{"cat", home + "#"}, "words", []string{home + "#agent:main:main",
			home + "#agent:main:telegram:direct:1001@reset.2026-05-04T14-58-56.795Z"}, ""},
		{[]string{"restore", "agent:main:t"}, "files",
			[]string{"agent:main:telegram:direct:1001@reset.2026-05-04T14-58-56.795Z"}, "agent:main:telegram:direct:1001"},
		{[]string{"cat", "--session", "agent:main:m"}, "words", []string{"agent:main:main"}, ""},
		{[]string{"context", "--session=agent:main:m"}, "words", []string{"--session=agent:main:main"}, ""},
		{[]string{"stats", home, "--agent", ""}, "words", []string{"main"}, ""},
		{[]string{"cat", "./"}, "files", nil, "agent:main:main"},
		{[]string{"cat", "--", "--s"}, "files", nil, "--since"},
		{[]string{"stats", "--prices", ""}, "files", nil, "agent:main:main"},
		{[]string{"completion", "p"}, "words", []string{"powershell"}, "bash"},
		{[]string{"help", "so"}, "words", []string{"sources"}, "cat"},
		{[]string{"help", "co"}, "words", []string{"config", "codes", "compact"}, "cat"},
		{[]string{"env", ""}, "words", nil, ""},
	} {
		status, printed, stderr := inProcess("", append([]string{"__complete", "--"}, test.words...)...)
		lines := strings.Split(strings.TrimSuffix(printed, "\n"), "\n")
		var offered []string
		for _, line := range lines[1:] {
			candidate, _, _ := strings.Cut(line, "\t")
			offered = append(offered, candidate)
		}
		if status != 0 || stderr != "" || lines[0] != test.kind {
			t.Errorf("%q: exit %d, %s, %s", test.words, status, lines[0], stderr)
		}
		for _, want := range test.want {
			if !slices.Contains(offered, want) {
				t.Errorf("%q: %q is not offered: %q", test.words, want, offered)
			}
		}
		if slices.Contains(offered, test.not) {
			t.Errorf("%q: %q is offered", test.words, test.not)
		}
	}
}

// A session whose name could do harm on a terminal is not offered.
func TestCompleteUnsafeNames(t *testing.T) {
	completionHome(t)
	home := writeHome(t, map[string]string{"agent:main:good": "a1", "agent:main:b\nad": "b1", "agent:main:\x1b[2J": "c1"})
	_, printed, _ := inProcess("", "__complete", "--", "cat", home+"#agent")
	if printed != "words\n"+home+"#agent:main:good\n" {
		t.Errorf("%q", printed)
	}
}

// writeHome writes a state folder with a session for each key.
func writeHome(t testing.TB, sessions map[string]string) string {
	t.Helper()
	home := t.TempDir()
	folder := filepath.Join(home, "agents", "main", "sessions")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	var entries []string
	for key, id := range sessions {
		entries = append(entries, fmt.Sprintf(`%s:{"sessionId":%q,"updatedAt":1}`, jsonString(key), id))
		line := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-01T00:00:00Z"}`+"\n", id)
		testkit.Write(t, filepath.Join(folder, id+".jsonl"), line)
	}
	index := "{" + strings.Join(entries, ",") + "}"
	testkit.Write(t, filepath.Join(folder, "sessions.json"), index)
	return home
}

func jsonString(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(fmt.Sprintf("%q", text), `\x1b`, `\u001b`), `\a`, `\u0007`)
}

// Every shell completes commands, flags, values and sessions with the script that it is given.
func TestCompletionInShells(t *testing.T) {
	home := completionHome(t)
	lines := map[string]string{
		"clawctl sess":                    "sessions",
		"clawctl cat --sin":               "--since",
		"clawctl stats --format ma":       "markdown",
		"clawctl --color=ne":              "--color=never",
		"clawctl stats --kind live,res":   "live,reset",
		"clawctl explain CL30":            "CL301",
		"clawctl cat agent:main:mai":      "agent:main:main",
		"clawctl cat " + home + "#agent:": home + "#agent:main:main",
		"clawctl context --session agent": "agent:main:main",
	}
	for shell, script := range map[string]string{"bash": bashDriver, "zsh": zshDriver, "fish": fishDriver} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip(shell + " is not installed")
			}
			folder := t.TempDir()
			_, completion, _ := inProcess("", "completion", shell)
			file := filepath.Join(folder, "completion")
			driver := filepath.Join(folder, "driver")
			testkit.Write(t, file, completion)
			testkit.Write(t, driver, script)
			for line, want := range lines {
				cmd := exec.Command(shell, driver, file, line)
				cmd.Dir = folder
				cmd.Env = append(os.Environ(), "HOME="+folder, "TERM=dumb")
				printed, err := cmd.CombinedOutput()
				if err != nil || !slices.Contains(strings.Split(string(printed), "\n"), want) {
					t.Errorf("%s: %q is not offered: %v\n%s", line, want, err, printed)
				}
			}
		})
	}
}

// The drivers load a completion script, complete a line and print whole words, one per line. Bash and zsh get their
// words split as those shells split them. Fish completes by itself.
const (
	bashDriver = `source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:@'
IFS=$'\n' read -r -d '' -a COMP_WORDS < <(sed -E 's/([:=@])/\n\1\n/g; s/ +/\n/g' <<< "$2" | grep -v '^$')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_clawctl
last=${2##* }
prefix=${last%"${last##*[:=@]}"}
for word in "${COMPREPLY[@]}"; do printf '%s\n' "$prefix$word"; done
`
	zshDriver = `line=$2
compdef() { }
_files() { }
compset() { prefix=${words[CURRENT][1,$2]} }
compadd() { local word; for word in "${(@P)argv[-1]}"; do print -r -- "$prefix$word"; done }
source $1
words=(${(s: :)line})
CURRENT=$#words
_clawctl
`
	fishDriver = `source $argv[1]
complete -C $argv[2] | string replace -r '\t.*' ''
true
`
)

// Completing the sessions of a state folder with 2,000 of them takes at most 50 ms.
func BenchmarkComplete(b *testing.B) {
	completionHome(b)
	sessions := map[string]string{}
	for i := range 2000 {
		sessions[fmt.Sprintf("agent:main:telegram:direct:%d", i)] = fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
	}
	home := writeHome(b, sessions)
	b.Setenv("OPENCLAW_STATE_DIR", home)
	for _, word := range []string{"agent:main:t", home + "#"} {
		b.Run(word[:5], func(b *testing.B) {
			for b.Loop() {
				out, err := exec.Command("clawctl", "__complete", "--", "cat", word).Output()
				if err != nil || strings.Count(string(out), "\n") != 2001 {
					b.Fatal(err, len(out))
				}
			}
		})
	}
}
