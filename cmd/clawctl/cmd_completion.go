package main

import (
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/completion"
	"clawctl/internal/failure"
)

func newCompletionCommand() *cli.Command {
	return &cli.Command{

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
	return &cli.Command{Operands: "WORD...", Options: &completeOptions{}}
}

// completeOptions are the flags of __complete.
type completeOptions struct {
	Next bool `flag:"next: a new word begins: for shells that drop empty arguments"`
}

// Run prints what a shell may complete.
func (o *completeOptions) Run(a *cli.App, words []string) error {
	if o.Next || len(words) == 0 {
		words = append(words, "")
	}
	return a.Print(completion.Complete(a, words))
}
