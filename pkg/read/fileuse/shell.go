package fileuse

import (
	"strings"

	"clawctl/internal/regex"
	"clawctl/pkg/jsonl"
)

// shells are the tools that run commands, under the names of OpenClaw, pi, claw0, Claude Code and Codex.
var shells = map[string]bool{
	"bash": true, "exec": true, "exec_command": true, "shell": true, "shell_command": true, "local_shell": true,
	"local_shell_call": true, "run_command": true, "run_shell_command": true,
}

// maxCommand is how much of a command is looked at.
const maxCommand = 64 << 10

// Named returns the words of a shell command that look like the paths of files, each once. What the command does to
// them is not known.
func Named(call jsonl.ToolCall) []string {
	var paths []string
	if !shells[ToolName(call.Name)] {
		return nil
	}
	seen := map[string]bool{}
	for _, word := range commandWords(jsonl.Value(call.Arguments)) {
		if looksLikeFile(word) && !seen[word] {
			seen[word] = true
			paths = append(paths, word)
		}
	}
	return paths
}

// commandWords returns the words of the command in the arguments of a call.
func commandWords(arguments jsonl.Value) []string {
	var words []string
	if arguments.IsString() { // some providers write them as a string
		text := jsonl.Value(strings.TrimSpace(arguments.String()))
		if !text.IsObject() {
			return splitCommand(string(text))
		}
		arguments = text
	}
	for _, key := range []string{"command", "cmd", "script"} {
		command := arguments.Get(key)
		words = append(words, splitCommand(command.String())...)
		for _, word := range command.Strings() { // a program and its arguments, of which one may be a script
			words = append(words, splitCommand(word)...)
		}
	}
	return words
}

// splitCommand splits a command at blanks and at the marks of a shell, without quotes.
func splitCommand(command string) []string {
	if len(command) > maxCommand {
		command = command[:maxCommand]
	}
	return strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\r\n;|&<>()'\"`", r) })
}

// fileName matches a path whose last part has a suffix, or that begins with a folder. What has marks of patterns,
// variables or options is not one.
var fileName = regex.Lazy(`^(?:~?/|\.{1,2}/)?(?:[\pL\pN_.@+-]+/)*[\pL\pN_@+-][\pL\pN_.@+-]*` +
	`\.[A-Za-z][A-Za-z0-9]{0,7}$|` +
	`^(?:~/|\.{1,2}/|(?:[\pL\pN_.@+-]+/)+)[\pL\pN_.@+-]*[\pL\pN]$`)

// looksLikeFile reports whether a word of a command is probably a path. Folders of the system are not.
func looksLikeFile(word string) bool {
	return len(word) < 400 && !strings.HasPrefix(word, "-") && !strings.Contains(word, "//") &&
		!strings.HasPrefix(word, "/dev/") && !strings.HasPrefix(word, "/proc/") && fileName().MatchString(word)
}
