package completion

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// No PowerShell runs in the tests, so a small parser checks the script: strings, comments and brackets end, commands
// and operators exist, and variables have a value before they are used.
func TestPowerShell(t *testing.T) {
	script, ok := Script("powershell")
	if !ok {
		t.Fatal("no script")
	}
	if err := checkPowerShell(script); err != nil {
		t.Fatal(err)
	}
	for at := range len(script) {
		if !strings.ContainsAny(script[at:at+1], "(){}[]'\"") || strings.HasPrefix(script[at:], "''") {
			continue
		}
		if checkPowerShell(script[:at]+script[at+1:]) == nil {
			t.Errorf("a script without its %q at byte %d is accepted", script[at], at)
		}
	}
	for right, wrong := range map[string]string{
		"Where-Object": "Where-Objects", "-lt": "-less", "$encoding =": "$coding =", "finally": "final",
		"param($word,": "param($words,", "'--'": "@'--'", "\"`t\"": "\"`t`\"",
	} {
		if text := strings.Replace(script, right, wrong, 1); text == script || checkPowerShell(text) == nil {
			t.Errorf("%s instead of %s is accepted", wrong, right)
		}
	}
}

// powerShellToken matches one token. The parts of a string in double quotes are not looked at.
var powerShellToken = regexp.MustCompile(`^(?s:(?P<space>[ \t]+|` + "`\r?\n" + `|#[^\n]*|<#.*?#>)|` +
	`(?P<string>@'\r?\n.*?\n'@|@"\r?\n.*?\n"@|'(?:[^'\n]|'')*'|"(?:[^"` + "`" + `\n]|` + "`." + `|"")*")|` +
	`(?P<open>@\(|@\{|\$\(|[({])|(?P<close>[)}])|(?P<end>\n|;|\|\|?|&&)|` +
	`(?P<type>\[[A-Za-z][\w.]*\](?:::[A-Za-z]+)?)|(?P<variable>[$@][A-Za-z_]+)|` +
	`(?P<operator>-[A-Za-z]+|2>|=|,)|(?P<member>\.[A-Za-z]+)|(?P<number>[0-9]+)|(?P<word>[A-Za-z_][\w-]*))`)

// Names that PowerShell has, and clawctl.
var (
	powerShellCommands = []string{
		"Register-ArgumentCompleter", "Select-Object", "Where-Object", "ForEach-Object", "clawctl",
		"param", "if", "try", "catch", "finally",
	}
	powerShellOperators = []string{
		"-Native", "-CommandName", "-ScriptBlock", "-Skip", "-lt", "-eq", "-ne", "-not", "-split", "2>", "=", ",",
	}
	powerShellVariables = []string{"_", "null"}
)

// A powerShellParser has what is known before the next token.
type powerShellParser struct {
	open    []byte   // brackets
	known   []string // variables
	pending []string // variables at the beginning of a statement, which may be an assignment
	begins  bool     // a statement or a part of a pipeline
	command string   // of the statement
}

// checkPowerShell returns the first error of a script.
func checkPowerShell(text string) error {
	p := powerShellParser{known: powerShellVariables, begins: true}
	for rest := text; rest != ""; {
		match := powerShellToken.FindStringSubmatch(rest)
		if match == nil {
			return fmt.Errorf("no token at %q", rest[:min(len(rest), 20)])
		}
		group := 1 + slices.IndexFunc(match[1:], func(part string) bool { return part != "" })
		if err := p.take(powerShellToken.SubexpNames()[group], match[0]); err != nil {
			return err
		}
		rest = rest[len(match[0]):]
	}
	if len(p.open) > 0 {
		return fmt.Errorf("%q is not closed", p.open)
	}
	return nil
}

func (p *powerShellParser) take(kind, token string) error {
	begins := p.begins
	if kind != "space" {
		p.begins = kind == "open" || kind == "end" || token == "}" || token == "="
	}
	switch kind {
	case "open":
		p.open = append(p.open, token[len(token)-1])
	case "close":
		return p.close(token)
	case "word":
		return p.word(token, begins)
	case "operator":
		return p.operator(token)
	case "variable":
		return p.variable(token[1:], begins)
	}
	if kind == "end" || kind == "open" {
		return p.endTargets()
	}
	return nil
}

func (p *powerShellParser) close(token string) error {
	opening := map[string]byte{")": '(', "}": '{'}[token]
	if len(p.open) == 0 || p.open[len(p.open)-1] != opening {
		return fmt.Errorf("%s closes nothing", token)
	}
	p.open = p.open[:len(p.open)-1]
	if p.command == "param" {
		p.known, p.pending, p.command = append(p.known, p.pending...), nil, ""
	}
	return p.endTargets()
}

// word checks a command. Other words are arguments.
func (p *powerShellParser) word(token string, begins bool) error {
	if begins && !slices.Contains(powerShellCommands, token) {
		return fmt.Errorf("unknown command %s", token)
	}
	if begins {
		p.command = token
	}
	return nil
}

func (p *powerShellParser) operator(token string) error {
	switch {
	case !slices.Contains(powerShellOperators, token):
		return fmt.Errorf("unknown operator %s", token)
	case token == "=":
		p.known, p.pending = append(p.known, p.pending...), nil
	}
	return nil
}

// variable checks that a variable is known, or may get a value here: at the beginning of a statement, or after another
// such variable and a comma.
func (p *powerShellParser) variable(name string, begins bool) error {
	if slices.Contains(p.known, name) {
		return nil
	}
	if !begins && len(p.pending) == 0 {
		return fmt.Errorf("$%s has no value", name)
	}
	p.pending = append(p.pending, name)
	return nil
}

// endTargets refuses variables that did not get the value that they could get.
func (p *powerShellParser) endTargets() error {
	if len(p.pending) > 0 && p.command != "param" {
		return fmt.Errorf("%q have no value", p.pending)
	}
	return nil
}
