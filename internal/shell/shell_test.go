package shell

import (
	"os/exec"
	"strings"
	"testing"
)

func TestQuote(t *testing.T) {
	for _, c := range []struct{ word, posix, cmd, powershell string }{
		{"a.jsonl", "a.jsonl", "a.jsonl", "a.jsonl"},
		{"", "''", `""`, "''"},
		{`C:\Users\Ada`, `'C:\Users\Ada'`, `C:\Users\Ada`, `C:\Users\Ada`},
		{`C:\My Files\`, `'C:\My Files\'`, `"C:\My Files\\"`, `'C:\My Files\'`},
		{"it's", `'it'\''s'`, `"it's"`, "'it''s'"},
		{`say "hi"`, `'say "hi"'`, `"say \"hi\""`, `'say "hi"'`},
		{`a\"b`, `'a\"b'`, `"a\\\"b"`, `'a\"b'`},
		{"@last", "@last", "@last", "'@last'"},
		{"a,b", "a,b", "a,b", "'a,b'"},
		{"a&b", "'a&b'", `"a&b"`, "'a&b'"},
		{"$HOME", "'$HOME'", `"$HOME"`, "'$HOME'"},
		{"日本", "'日本'", `"日本"`, "'日本'"},
	} {
		for s, want := range map[Shell]string{POSIX: c.posix, Cmd: c.cmd, PowerShell: c.powershell} {
			if got := s.Quote(c.word); got != want {
				t.Errorf("shell %d: Quote(%q) = %s, want %s", s, c.word, got, want)
			}
		}
	}
}

func TestLocal(t *testing.T) {
	for _, c := range []struct{ posix, cmd, powershell string }{
		{"clawctl sessions", "clawctl sessions", "clawctl sessions"},
		{"ls -l a.jsonl", "dir a.jsonl", "Get-Item a.jsonl"},
		{"ls -ld .", "dir .", "Get-Item ."},
		{"df -h", "dir", "Get-Volume"},
		{"df -h D:", "dir D:", "Get-Volume -FilePath D:"},
		{"ps -p 12", `tasklist /fi "PID eq 12"`, "Get-Process -Id 12"},
		{"rm a b", "del a b", "Remove-Item a, b"},
		{"mkdir -p a", "mkdir a", "mkdir -Force a"},
		{"clawctl cat -q a | sed -n 3p | cat -v", "clawctl cat -q a | more +2",
			"clawctl cat -q a | Select-Object -Skip 2 -First 1"},
		{"clawctl cat -q a | jq -r '.id // empty'", `clawctl cat -q a | jq -r ".id // empty"`,
			"clawctl cat -q a | jq -r '.id // empty'"},
		{`clawctl cat a | jq 'select(.id == "x | y")'`, `clawctl cat a | jq "select(.id == \"x | y\")"`,
			`clawctl cat a | jq 'select(.id == "x | y")'`},
	} {
		for s, want := range map[Shell]string{POSIX: c.posix, Cmd: c.cmd, PowerShell: c.powershell} {
			got := s.Local(c.posix)
			if got != want {
				t.Errorf("shell %d: Local(%q) = %q, want %q", s, c.posix, got, want)
			}
			if again := s.Local(got); again != got {
				t.Errorf("shell %d: %q is translated again, to %q", s, got, again)
			}
		}
	}
	if got := Cmd.Command("ls", "-l", "it's here"); got != `dir "it's here"` {
		t.Errorf("got %q", got)
	}
	if got := PowerShell.Command("rm", "it's a", "b c"); got != "Remove-Item 'it''s a', 'b c'" {
		t.Errorf("got %q", got)
	}
}

func TestVariablesAndFolders(t *testing.T) {
	for s, want := range map[Shell][2]string{
		POSIX:      {"A='x y' claude", "cd 'x y' && claude"},
		Cmd:        {`set "A=x y" && claude`, `cd /d "x y" && claude`},
		PowerShell: {"$env:A='x y'; claude", "Set-Location 'x y'; if ($?) { claude }"},
	} {
		if got := [2]string{s.With("A", "x y", "claude"), s.InFolder("x y", "claude")}; got != want {
			t.Errorf("shell %d: got %q, want %q", s, got, want)
		}
	}
}

// What is quoted for a POSIX shell reaches a program unchanged.
func FuzzQuote(f *testing.F) {
	f.Add("it's $HOME `x` \\")
	f.Add("a\nb")
	f.Fuzz(func(t *testing.T, word string) {
		if strings.ContainsRune(word, 0) {
			t.Skip("no word has a NUL")
		}
		out, err := exec.Command("sh", "-c", "printf %s "+POSIX.Quote(word)).Output()
		if err != nil {
			t.Skip(err) // there is no such shell
		}
		if string(out) != word {
			t.Errorf("got %q, want %q", out, word)
		}
	})
}
