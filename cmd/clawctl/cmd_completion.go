package main

import (
	"fmt"
	"slices"
	"strings"

	"clawctl/internal/failure"
)

// shellNames are the shells that a script can be made for.
var shellNames = []string{"bash", "zsh", "fish", "powershell"}

func newCompletionCommand() *command {
	return &command{
		name: "completion", group: "tool",
		operands: strings.Join(shellNames, "|"), summary: "Print a shell completion script",
		about: "Prints a script that completes commands and flags in a shell. It is made from the same table as this help.",
		examples: []example{
			{"For this bash", "source <(clawctl completion bash)"},
			{"For zsh, from the next start on", "clawctl completion zsh > \"${fpath[1]}/_clawctl\""},
			{"For fish", "clawctl completion fish > ~/.config/fish/completions/clawctl.fish"},
		},
		exits:  []int{failure.ExitOK, failure.ExitUsage},
		offers: shellNames,
		run:    runCompletion,
	}
}

func runCompletion(a *app, operands []string) error {
	if len(operands) == 1 {
		switch operands[0] {
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
	return failure.Usage("clawctl completion bash", "completion needs one shell: %s", strings.Join(shellNames, ", "))
}

// flagWords returns all flags of a command as they are typed.
func (c *command) flagWords() (words []string) {
	for _, f := range c.allFlags() {
		if !f.hidden {
			words = append(words, "--"+f.name)
		}
	}
	return append(words, "--help")
}

// operandWords returns what completion offers as an operand; nil stands for files.
func (c *command) operandWords() []string {
	if c.name == "help" {
		return append(commandNames(), "sources")
	}
	return c.offers
}

// valueFlags returns every flag that takes a value, as it is typed.
func valueFlags() (words []string) {
	for _, c := range commands() {
		for _, f := range c.allFlags() {
			if f.value != "" {
				words = append(words, f.names()...)
			}
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func bashCompletion() string {
	var cases strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&cases, "    %s) flags=%q words=%q ;;\n",
			c.name, strings.Join(c.flagWords(), " "), strings.Join(c.operandWords(), " "))
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
		fmt.Fprintf(&list, "    %s\n", failure.Quote(c.name+":"+c.summary))
		fmt.Fprintf(&cases, "    %s) words_for=(%s); flags_for=(%s) ;;\n",
			c.name, strings.Join(c.operandWords(), " "), strings.Join(c.flagWords(), " "))
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
		fmt.Fprintf(&b, "complete -c clawctl -n __fish_use_subcommand -f -a %s -d %s\n", c.name, failure.Quote(c.summary))
		seen := "'__fish_seen_subcommand_from " + c.name + "'"
		for _, word := range c.operandWords() {
			fmt.Fprintf(&b, "complete -c clawctl -n %s -f -a %s\n", seen, word)
		}
		for _, f := range c.allFlags() {
			line := fmt.Sprintf("complete -c clawctl -n %s -l %s", seen, f.name)
			if f.short != "" {
				line += " -s " + f.short
			}
			if f.value != "" {
				line += " -r"
			}
			b.WriteString(line + " -d " + failure.Quote(f.usage) + "\n")
		}
	}
	return b.String()
}

func powershellCompletion() string {
	var cases strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&cases, "    '%s' { '%s' }\n", c.name, strings.Join(append(c.flagWords(), c.operandWords()...), "', '"))
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
