// Package shell writes commands for the shell that a user has: a POSIX shell, cmd or PowerShell. It quotes words, and
// knows what the few commands of Unix that appear in hints are called elsewhere. Everything is written for a POSIX
// shell first, and [Shell.Local] translates it.
package shell

import (
	"strings"
	"sync/atomic"
)

// A Shell is a kind of command line.
type Shell int

// The shells. Documents and most users have the first.
const (
	POSIX Shell = iota
	Cmd
	PowerShell
)

// current returns the shell in use, or is nil for POSIX.
var current atomic.Pointer[func() Shell]

// Current returns the shell in use. Without Use that is POSIX.
func Current() Shell {
	if which := current.Load(); which != nil {
		return (*which)()
	}
	return POSIX
}

// Use says how to find out which shell is in use, when somebody wants to know.
func Use(which func() Shell) { current.Store(&which) }

// Command joins words into a command that the shell reads unchanged.
func (s Shell) Command(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = s.Quote(word)
	}
	return s.Local(strings.Join(quoted, " "))
}

// Quote quotes a word if necessary.
func (s Shell) Quote(word string) string {
	if word != "" && strings.IndexFunc(word, s.needsQuoting) < 0 {
		return word
	}
	switch s {
	case Cmd:
		return quoteForCmd(word)
	case PowerShell:
		return s.quoteValue(word)
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// plain are the characters besides letters and digits that mean themselves, wherever they are in a word.
var plain = map[Shell]string{POSIX: "/._-+:@%,=", Cmd: `/\._-+:@,=`, PowerShell: `/\._-+:=`}

func (s Shell) needsQuoting(r rune) bool {
	isPlain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	return !isPlain && !strings.ContainsRune(plain[s], r)
}

// quoteForCmd quotes a word for cmd, and for the programs that it starts: they split the line themselves, and to them a
// backslash before a quote means the quote.
func quoteForCmd(word string) string {
	var b strings.Builder
	b.WriteByte('"')
	slashes := 0
	for _, r := range word {
		switch r {
		case '\\':
			slashes++
		case '"':
			b.WriteString(strings.Repeat(`\`, slashes+1))
			slashes = 0
		default:
			slashes = 0
		}
		b.WriteRune(r)
	}
	return b.String() + strings.Repeat(`\`, slashes) + `"`
}

// With returns a command that runs with a variable of the environment.
func (s Shell) With(variable, value, command string) string {
	switch s {
	case Cmd:
		return `set "` + variable + "=" + value + `" && ` + command
	case PowerShell:
		return "$env:" + variable + "=" + s.quoteValue(value) + "; " + command
	}
	return variable + "=" + s.Quote(value) + " " + command
}

// quoteValue quotes a value even if it is plain, because PowerShell would take it for a command.
func (s Shell) quoteValue(value string) string {
	return "'" + strings.ReplaceAll(value, "'", "''") + "'"
}

// InFolder returns a command that changes to a folder and then runs another command.
func (s Shell) InFolder(folder, command string) string {
	change := map[Shell]string{POSIX: "cd", Cmd: "cd /d", PowerShell: "Set-Location"}[s]
	return s.Then(change+" "+s.Quote(folder), command)
}

// Then returns a command that runs a second one if the first succeeded. Only the newest PowerShell knows &&.
func (s Shell) Then(first, second string) string {
	if s == PowerShell {
		return first + "; if ($?) { " + second + " }"
	}
	return first + " && " + second
}
