package main

import (
	"strings"
	"testing"

	"clawctl/internal/cli"
)

// wholeCommands are the commands of help with everything, and wholeHidden the others.
func wholeCommands() []*cli.Command { return whole(commands()) }
func wholeHidden() []*cli.Command   { return whole(hiddenCommands()) }

func whole(list []*cli.Command) []*cli.Command {
	for _, c := range list {
		c.Whole()
	}
	return list
}

// Every plausible command is one that clawctl does not have, and its hint is a command that clawctl has.
func TestPlausibleCommands(t *testing.T) {
	all := wholeCommands()
	for name, hint := range cli.Plausible {
		if c, err := cli.FindCommand(name, all); err == nil {
			t.Errorf("%s is a command, and its entry is not needed", c.Name)
		}
		words := strings.Fields(hint)
		if words[0] != "clawctl" {
			t.Errorf("%s: the hint %q is not a command of clawctl", name, hint)
		}
		if len(words) < 2 {
			continue // clawctl alone
		}
		if _, err := cli.FindCommand(words[1], all); err != nil {
			t.Errorf("%s: the hint %q names no command", name, hint)
		}
	}
}
