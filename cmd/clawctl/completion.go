package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// shellNames are the shells that a script can be made for.
var shellNames = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand() *command {
	return &command{
		name: "completion", group: "tool", args: strings.Join(shellNames, "|"), summary: "the script that completes commands and flags in a shell",
		about:    "Prints a script for the shell to read. It is made from the same table as this help.",
		examples: []string{"source <(clawctl completion bash)", "clawctl completion zsh > \"${fpath[1]}/_clawctl\"", "clawctl completion fish > ~/.config/fish/completions/clawctl.fish"},
		exits:    []int{exitOK, exitUsage},
		operands: shellNames,
		run:      runCompletion,
	}
}

func runCompletion(a *app, ctx *cli.Context) error {
	if ctx.NArg() == 1 {
		switch ctx.Args().First() {
		case "bash":
			return a.print(bashCompletion())
		case "zsh":
			return a.print(zshCompletion())
		case "fish":
			return a.print(fishCompletion())
		case "powershell":
			return a.print(powershellCompletion())
		}
	}
	return usageError("clawctl completion bash", "completion needs one shell: %s", strings.Join(shellNames, ", "))
}

// flagWords returns all flags of a command as they are typed.
func (c *command) flagWords() (words []string) {
	for _, f := range c.allFlags() {
		for _, name := range f.Names() {
			if len(name) > 1 {
				words = append(words, "--"+name)
			}
		}
	}
	return append(words, "--help")
}

// allFlags returns a command's own flags and those of every command.
func (c *command) allFlags() []cli.Flag { return append(slices.Clone(c.flags), commonFlags()...) }

// offers returns what completion offers as an operand; nil are files.
func (c *command) offers() []string {
	if c.name == "help" {
		return commandNames()
	}
	return c.operands
}

// valueFlags returns every flag that takes a value, as it is typed.
func valueFlags() (words []string) {
	seen := map[string]bool{}
	for _, c := range commands() {
		for name, takesValue := range flagTable(c.allFlags()) {
			dashes := "--"
			if len(name) == 1 {
				dashes = "-"
			}
			if takesValue && !seen[name] {
				seen[name] = true
				words = append(words, dashes+name)
			}
		}
	}
	slices.Sort(words)
	return words
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

func bashCompletion() string {
	var cases strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&cases, "    %s) flags=%q words=%q ;;\n", c.name, strings.Join(c.flagWords(), " "), strings.Join(c.offers(), " "))
	}
	return fmt.Sprintf(`# bash completion for clawctl
_clawctl() {
  local cur=${COMP_WORDS[COMP_CWORD]} command= flags= words= word skip=
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [ -n "$skip" ]; then skip=; continue; fi
    case $word in %s) skip=1 ;; -*) ;; *) command=$word; break ;; esac
  done
  case $command in
    "") words=%q ;;
%s  esac
  case $cur in -*) words=$flags ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _clawctl clawctl
`, strings.Join(valueFlags(), "|"), strings.Join(commandNames(), " "), cases.String())
}

func zshCompletion() string {
	var list, cases strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&list, "    %s\n", shellQuote(c.name+":"+c.summary))
		fmt.Fprintf(&cases, "    %s) words_for=(%s); flags_for=(%s) ;;\n", c.name, strings.Join(c.offers(), " "), strings.Join(c.flagWords(), " "))
	}
	return fmt.Sprintf(`#compdef clawctl
_clawctl() {
  local -a list words_for flags_for
  list=(
%s  )
  if (( CURRENT == 2 )); then
    _describe command list
    return
  fi
  case $words[2] in
%s  esac
  if [[ $words[CURRENT] == -* ]]; then
    compadd -a flags_for
  elif (( $#words_for )); then
    compadd -a words_for
  else
    _files
  fi
}
if [ "$funcstack[1]" = _clawctl ]; then
  _clawctl "$@"
else
  compdef _clawctl clawctl
fi
`, list.String(), cases.String())
}

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# fish completion for clawctl\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c clawctl -n __fish_use_subcommand -f -a %s -d %s\n", c.name, shellQuote(c.summary))
		seen := "'__fish_seen_subcommand_from " + c.name + "'"
		for _, word := range c.offers() {
			fmt.Fprintf(&b, "complete -c clawctl -n %s -f -a %s\n", seen, word)
		}
		for _, f := range c.allFlags() {
			_, usage := flagText(f)
			line := fmt.Sprintf("complete -c clawctl -n %s -l %s", seen, f.Names()[0])
			for _, short := range f.Names()[1:] {
				line += " -s " + short
			}
			if flagTable([]cli.Flag{f})[f.Names()[0]] {
				line += " -r"
			}
			b.WriteString(line + " -d " + shellQuote(usage) + "\n")
		}
	}
	return b.String()
}

func powershellCompletion() string {
	var cases strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&cases, "    '%s' { '%s' }\n", c.name, strings.Join(append(c.flagWords(), c.offers()...), "', '"))
	}
	cases.WriteString("    default { '" + strings.Join(commandNames(), "', '") + "' }\n")
	return `# PowerShell completion for clawctl
Register-ArgumentCompleter -Native -CommandName clawctl -ScriptBlock {
  param($word, $line, $position)
  $command = $line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" } |
    Where-Object { -not $_.StartsWith('-') -and $_ -ne $word } | Select-Object -First 1
  $offers = switch ($command) {
` + cases.String() + `  }
  $offers | Where-Object { $_.StartsWith($word) } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`
}
