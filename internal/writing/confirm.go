package writing

// How commands ask before they change something:
//
//   - On a terminal they ask, unless -y is given. The answer "no" ends the run with status 1.
//   - Without a terminal nobody can be asked. What can be undone proceeds, and what deletes for good needs -y.

import (
	"bufio"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

// A ChangeKind says whether a change can be undone. The name of a kind that cannot is the flag that asks for it.
type ChangeKind string

// The kinds of changes.
const (
	Reversible ChangeKind = ""
	Purge      ChangeKind = "--purge"
	EmptyTrash ChangeKind = "--empty-trash"
	InPlace    ChangeKind = "--in-place"
)

// YesFlag is --yes.
func YesFlag(dst *bool) cli.Flag { return cli.SwitchFlag(dst, "yes", "do not ask").WithShort("y") }

// Confirm asks a question before a change, unless the user has said yes already. It fails if the change may not be
// made.
func Confirm(a *cli.App, kind ChangeKind, yes bool, question string) error {
	if err := MayConfirm(a, kind, yes); err != nil {
		return err
	}
	if yes || !isInteractive(a) || ask(a, question) {
		return nil
	}
	if a.JSON {
		return failure.New(failure.Declined, "the answer was no; nothing was changed")
	}
	a.Note("nothing was changed")
	return failure.Findings
}

// MayConfirm refuses a change that cannot be undone if nobody has said yes and nobody can be asked. A command that
// works long before it asks calls it first.
func MayConfirm(a *cli.App, kind ChangeKind, yes bool) error {
	if yes || kind == Reversible || isInteractive(a) {
		return nil
	}
	return failure.Usage(a.CommandLine("-y"), "%s deletes for good and needs -y without a terminal", kind)
}

// isInteractive reports whether somebody can be asked.
func isInteractive(a *cli.App) bool { return ui.IsTerminal(a.Stdin) && a.Console.Term.Is }

// ask asks a question on the terminal, and reports whether the answer is yes.
func ask(a *cli.App, question string) bool {
	a.Progress.Print(func() { _, _ = a.Console.Dst.Write([]byte(ui.EscapeLine(question) + " [y/N] ")) })
	line, _ := bufio.NewReader(a.Stdin).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}
