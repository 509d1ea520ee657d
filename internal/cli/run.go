package cli

// How a run begins and ends:
//
//   - Run is all of clawctl: arguments and three streams in, an exit status out. Nothing below it calls os.Exit.
//   - Ctrl-C, SIGTERM and SIGHUP cancel the context. A command that cannot notice, because it waits for a read or a
//     write, is left running after a grace period, and its temporary files are removed. Both end with 130 and say how
//     to resume. Until then, a second signal changes nothing: timeout(1) sends each twice. After it, one ends at once.
//   - help and version alone print from memory what a pipe or a file takes at once. Signals end them as they end any
//     program: waiting for signals would be an eighth of their time.
//   - If a pager shows the output, Ctrl-C and the end of the pager end the run quietly and successfully (pager.go).
//   - A closed pipe after stdout ends the run quietly and successfully: the reader has what it wanted.
//   - A panic is a bug. It is reported as an error in one line, with exit 2, never as a stack trace.

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/shell"
)

// grace is how long a cancelled command may take to end by itself; Ctrl-C must work within a second.
const grace = 500 * time.Millisecond

// Run runs the command that the arguments name and returns the exit status.
func Run(args []string, s Setup) int {
	signal.Ignore(syscall.SIGPIPE) // a write to a closed pipe returns an error instead of ending the process
	shell.Use(usualShell)
	a := newApp(s)
	a.Args = args[min(1, len(args)):]
	if !shellExpands {
		a.Args = expandWords(a.Args)
	}
	if a.isInstant() {
		return a.run(context.Background())
	}
	return a.runUntilSignal()
}

// isInstant reports whether a run has nothing that a signal would have to stop or to clean up.
func (a *App) isInstant() bool {
	if len(a.Args) != 1 || a.Output.Term.Is {
		return false
	}
	parsed, err := Normalize(a.Args, slices.Concat(a.Commands, a.hidden))
	if err != nil || !slices.Equal(parsed.Args, []string{"--"}) {
		return false
	}
	c, err := FindCommand(parsed.Command, a.Commands)
	return err == nil && c.Instant
}

// runUntilSignal runs the command, and ends it if a signal comes.
func (a *App) runUntilSignal() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer func() {
		if ctx.Err() == nil { // otherwise a second Ctrl-C that comes late would change the status
			stop()
		}
	}()
	done := make(chan int, 1)
	go func() { done <- a.run(ctx) }()
	select {
	case status := <-done:
		return status
	case <-ctx.Done():
	}
	paged := a.Output.currentPager().wait()
	select {
	case status := <-done:
		return status
	case <-time.After(grace):
		if paged {
			a.abandon()
			return failure.ExitOK
		}
		stop()
		a.abandon()
		return a.last.Load().finish(Interrupted(a))
	}
}

// usualShell finds out once which shell started this process. Programs of a POSIX shell on Windows know it by SHELL.
var usualShell = sync.OnceValue(func() shell.Shell {
	if os.Getenv("SHELL") != "" {
		return shell.OfAncestors(shell.POSIX)
	}
	return shell.OfAncestors(shell.Cmd)
})

// Interrupted is the failure of a run that Ctrl-C stopped. Running the same command again resumes it.
func Interrupted(a *App) *failure.Error {
	return failure.New(failure.Interrupted, "").WithHint(a.CommandLine())
}
