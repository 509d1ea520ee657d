package main

import (
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/completion"
	"clawctl/internal/failure"
)

func newCompletionCommand() *cli.Command {
	return &cli.Command{
		Operands: strings.Join(completion.Shells, "|"),
		About: "Prints a script that completes commands, flags and their values, the agents and sessions of your state " +
			"folder, and after PLACE# the sessions of that place. The script asks clawctl itself, so it never goes out of date.",
		Examples: []cli.Example{
			{"For the bash you are using", "source <(clawctl completion bash)"},
			{"For zsh, when it starts again", "clawctl completion zsh > \"${fpath[1]}/_clawctl\""},
			{"For fish", "clawctl completion fish > ~/.config/fish/completions/clawctl.fish"},
		},
		Exits:  []int{failure.ExitOK, failure.ExitUsage},
		Offers: func() []string { return completion.Shells },
		Run:    runCompletion,
	}
}

func runCompletion(a *cli.App, operands []string) error {
	if len(operands) == 1 {
		if script, ok := completion.Script(operands[0]); ok {
			return a.Print(script)
		}
	}
	return failure.Usage("clawctl completion bash", "completion needs one shell: %s",
		strings.Join(completion.Shells, ", "))
}

func newCompleteCommand() *cli.Command {
	next := false
	newWord := cli.SwitchFlag(&next, "next", "a new word begins: for shells that drop empty arguments")
	return &cli.Command{
		Operands: "WORD...",
		Exits:    []int{failure.ExitOK}, Flags: func() []cli.Flag { return []cli.Flag{newWord} },
		Run: func(a *cli.App, words []string) error {
			if next || len(words) == 0 {
				words = append(words, "")
			}
			return a.Print(completion.Complete(a, words))
		},
	}
}
