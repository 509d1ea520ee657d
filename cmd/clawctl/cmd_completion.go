package main

import (
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
)

// shellNames are the shells that a script can be made for.
var shellNames = []string{"bash", "zsh", "fish", "powershell"}

func newCompletionCommand() *cli.Command {
	return &cli.Command{
		Name: "completion", Group: "tool",
		Operands: strings.Join(shellNames, "|"), Summary: "Print a shell completion script",
		About: "Prints a script that completes commands, flags and their values, the agents and sessions of your state " +
			"folder, and after PLACE# the sessions of that place. The script asks clawctl itself, so it never goes out of date.",
		Examples: []cli.Example{
			{"For the bash you are using", "source <(clawctl completion bash)"},
			{"For zsh, when it starts again", "clawctl completion zsh > \"${fpath[1]}/_clawctl\""},
			{"For fish", "clawctl completion fish > ~/.config/fish/completions/clawctl.fish"},
		},
		Exits:  []int{failure.ExitOK, failure.ExitUsage},
		Offers: shellNames,
		Run:    runCompletion,
	}
}

func runCompletion(a *cli.App, operands []string) error {
	if len(operands) == 1 {
		switch operands[0] {
		case "bash":
			return a.Print(bashCompletion())
		case "zsh":
			return a.Print(zshCompletion())
		case "fish":
			return a.Print(fishCompletion())
		case "powershell":
			return a.Print(powershellCompletion())
		}
	}
	return failure.Usage("clawctl completion bash", "completion needs one shell: %s", strings.Join(shellNames, ", "))
}

// The scripts leave everything to `clawctl __complete`. Bash splits words at colons and other characters that keys
// contain, so its script puts them together again, and removes what bash regards as earlier words from the candidates.

func bashCompletion() string {
	return `# bash completion for clawctl
_clawctl() {
  local line=$COMP_LINE cur breaks head= word rest kind= candidate about i
  local -a words=()
  COMPREPLY=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i == 0)) || [[ $line == [[:space:]]* ]]; then
      words+=("$word")
    else
      words[${#words[@]}-1]+=$word
    fi
    line=${line#"${line%%[![:space:]]*}"}
    line=${line#"$word"}
  done
  cur=${words[${#words[@]}-1]}
  breaks=${COMP_WORDBREAKS//[^:=@]/}
  if [[ $breaks ]]; then head=${cur%"${cur##*[$breaks]}"}; fi
  {
    IFS= read -r kind
    while IFS=$'\t' read -r candidate about; do
      rest=${candidate#"$cur"}
      if [[ $rest ]]; then printf -v rest %q "$rest"; fi
      COMPREPLY+=("${cur#"$head"}$rest")
    done
  } < <(clawctl __complete -- "${words[@]:1}" 2>/dev/null)
  if [[ $kind != files ]]; then
    compopt +o default 2>/dev/null
  elif ((${#COMPREPLY[@]})) && [[ ! $head ]]; then
    while IFS= read -r word; do
      printf -v rest %q "$word"
      if [[ -d $word ]]; then rest+=/; fi
      COMPREPLY+=("$rest")
    done < <(compgen -f -- "$cur")
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi
  fi
}
complete -o default -F _clawctl clawctl
`
}

func zshCompletion() string {
	return `#compdef clawctl
_clawctl() {
  local kind line value about tail cur=$words[CURRENT]
  local -a lines values shown
  local -i head=0
  lines=("${(@f)$(clawctl __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  kind=$lines[1]
  shift lines
  if (( $#lines )) || [[ $cur == --*=* ]]; then
    tail=${cur##*[#=,]}
    head=$(( $#cur - $#tail ))
  fi
  for line in $lines; do
    value=${line%%$'\t'*}
    value=$value[head+1,-1]
    about=${line#*$'\t'}
    values+=("$value")
    if [[ $line == *$'\t'* ]]; then shown+=("$value -- $about"); else shown+=("$value"); fi
  done
  if (( head )); then compset -p $head; fi
  if (( $#values )); then compadd -d shown -a values; fi
  if [[ $kind == files ]]; then _files; fi
}
if [[ $funcstack[1] == _clawctl ]]; then
  _clawctl "$@"
else
  compdef _clawctl clawctl
fi
`
}

func fishCompletion() string {
	return `# fish completion for clawctl
function __clawctl_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l lines (clawctl __complete -- $words[2..-1] "$word" 2>/dev/null)
    set -q lines[2]; and printf '%s\n' $lines[2..-1]
    if test "$lines[1]" = files
        set -l head (string match -r -- '^--[^=]*=' "$word")
        for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$word"))
            printf '%s\n' "$head$path"
        end
    end
end
complete -c clawctl -f -a '(__clawctl_complete)'
`
}

func powershellCompletion() string {
	return `# PowerShell completion for clawctl
Register-ArgumentCompleter -Native -CommandName clawctl -ScriptBlock {
  param($word, $line, $position)
  $words = @($line.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.StartOffset -lt $position } | ForEach-Object { "$_" })
  $next = @()
  if ($word -eq '') { $next = @('--next') }
  clawctl __complete @next '--' @words 2>$null | Select-Object -Skip 1 | ForEach-Object {
    $value, $about = $_ -split "` + "`" + `t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
`
}
