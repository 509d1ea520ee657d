// Command clawctl is the offline toolkit for the transcripts of OpenClaw and its relatives.
package main

import (
	"io"
	"os"
	"time"

	"clawctl/internal/ui"
)

func main() {
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run is all of clawctl: arguments and three streams in, an exit status out.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runWith(args, setup{stdin: stdin, stdout: stdout, stderr: stderr, now: time.Now,
		timing: ui.DefaultTiming(time.Now)})
}

// runWith is run with another clock or other timing, for tests.
func runWith(args []string, s setup) int {
	s.commands, s.hidden, s.afterwards = commands(), hiddenCommands(), noteInterrupted
	return start(args, s)
}
