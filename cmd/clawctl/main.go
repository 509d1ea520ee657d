// Command clawctl is the offline toolkit for the transcripts of OpenClaw and its relatives.
package main

import (
	"io"
	"os"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
)

func main() {
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run is all of clawctl: arguments and three streams in, an exit status out.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runWith(args, cli.Setup{Stdin: stdin, Stdout: stdout, Stderr: stderr, Now: time.Now,
		Timing: ui.DefaultTiming(time.Now)})
}

// runWith is run with another clock or other timing, for tests.
func runWith(args []string, s cli.Setup) int {
	s.Commands, s.Hidden, s.Afterwards = commands(), hiddenCommands(), writing.NoteInterrupted
	return cli.Run(args, s)
}
