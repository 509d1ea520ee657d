package main

// How a run begins and ends:
//
//   - run is all of clawctl: arguments and three streams in, an exit code out. Nothing below it calls os.Exit.
//   - Ctrl-C, SIGTERM and SIGHUP cancel the context. A command that cannot notice, because it waits for a read or a write, is
//     left behind after a grace period; its temporary files are removed. Both end with 130. A second Ctrl-C ends
//     at once.
//   - A closed pipe behind stdout ends the run quietly and successfully: the reader has what it wanted.
//   - A panic is a bug; it is reported as an error in one line, with exit 2, never as a stack trace.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// grace is how long a cancelled command may take to end by itself; Ctrl-C must work within a second.
const grace = 500 * time.Millisecond

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signal.Ignore(syscall.SIGPIPE) // a write to a closed pipe returns an error instead of ending the process
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	a := newApp(stdin, stdout, stderr)
	done := make(chan int, 1)
	go func() { done <- a.run(ctx, args) }()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
	}
	stop()
	select {
	case code := <-done:
		return code
	case <-time.After(grace):
		a.abandon()
		return exitInterrupted
	}
}

// run parses the arguments, runs the command and turns its error into an exit code.
func (a *app) run(ctx context.Context, args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			a.abandon()
			code = a.report(internalError(fmt.Errorf("%v", p)))
		}
	}()
	a.ctx = ctx
	err := a.dispatch(args)
	for _, p := range a.openPlaces() {
		p.Close()
	}
	a.cleanUp()
	if ctx.Err() != nil && err != nil {
		err = errInterrupted
	}
	if closeErr := a.output.finish(err); keepsOutput(err) {
		err = errors.Join(closeErr, err)
	}
	return a.report(err)
}

// abandon removes the temporary files of a command that is left behind.
func (a *app) abandon() {
	a.output.abandon()
	for _, p := range a.openPlaces() {
		p.Abandon()
	}
}

// cleanUp removes temporary files.
func (a *app) cleanUp() {
	for _, clean := range a.cleanup {
		clean()
	}
}

// An openPlace is one that sessions are read from, such as a *source.Place.
type openPlace interface {
	Close() error
	Abandon() // removes its temporary files, if it cannot be closed
}

// keep makes sure that a place is closed when the run ends.
func (a *app) keep(p openPlace) {
	a.placesMu.Lock()
	defer a.placesMu.Unlock()
	a.places = append(a.places, p)
}

func (a *app) openPlaces() []openPlace {
	a.placesMu.Lock()
	defer a.placesMu.Unlock()
	return slices.Clone(a.places)
}
