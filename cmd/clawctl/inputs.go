package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"clawctl/pkg/source"

	"github.com/urfave/cli/v2"
)

// eachSession opens the live sessions of one argument after the other. One that cannot be read is reported at once and
// does not stop those behind it; the worst decides the exit code.
func (a *app) eachSession(ctx *cli.Context, args []string, do func(*source.Session, *source.Input) error) error {
	if _, err := sourceFilter(ctx); err != nil {
		return err
	}
	worst := &reported{done: true}
	for _, arg := range args {
		f, err := a.find(ctx, []string{arg}, []source.Kind{source.Live}, false)
		if a.ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil {
			a.blame(worst, err)
			continue
		}
		if !f.named {
			a.blameProblems(worst, f)
		}
		for _, s := range f.sessions {
			err := a.withInput(s, do)
			if a.ctx.Err() != nil {
				return errInterrupted
			}
			if isClosedPipe(err) || errors.As(err, new(*writeFailure)) {
				return err
			}
			a.blame(worst, err)
		}
	}
	if worst.exit == exitOK {
		return nil
	}
	return worst
}

// blameProblems reports the parts of places that cannot be read.
func (a *app) blameProblems(worst *reported, f *found) {
	for _, p := range f.places {
		for _, problem := range p.Problems {
			if failed := problemFailure(problem); failed != nil {
				a.blame(worst, failed)
			}
		}
	}
}

// findSources finds what import and verify read, ready to be read more than once, and reports what is left out of it.
func (a *app) findSources(ctx *cli.Context, args []string, worst *reported) (*found, error) {
	f, err := a.findEach(ctx, args, true, worst)
	switch {
	case a.ctx.Err() != nil:
		return nil, errInterrupted
	case err != nil:
		return nil, err
	case len(f.sessions) == 0:
		return nil, worst
	}
	a.blameProblems(worst, f)
	a.blameIndexes(worst, f)
	return f, a.spool(f.sessions)
}

// blameIndexes reports damaged registrations, for those to whom the names of sessions matter.
func (a *app) blameIndexes(worst *reported, f *found) {
	for _, p := range f.places {
		for _, problem := range p.Problems {
			if problem.Code == source.IndexDamaged {
				a.blame(worst, leftOut(problem, "clawctl sessions "+shellQuote(filepath.Dir(problem.Path))))
			}
		}
	}
}

// exitRanks orders exit codes from the least to the worst.
var exitRanks = []int{exitOK, exitFindings, exitDamaged, exitNothing, exitDatabase, exitLocked, exitUsage}

// blame reports an error, unless that has been done, and remembers the worst.
func (a *app) blame(worst *reported, err error) {
	exit, done := exitOK, true
	var f *failure
	var r *reported
	switch {
	case errors.As(err, &f):
		a.complain(f)
		exit, done = f.exit, f.done
	case errors.As(err, &r):
		exit, done = r.exit, r.done
	case err != nil:
		a.complain(&failure{code: codeIO, text: err.Error()})
		exit, done = exitUsage, false
	}
	worst.done = worst.done && done
	if slices.Index(exitRanks, exit) > slices.Index(exitRanks, worst.exit) {
		worst.exit = exit
	}
}

func (a *app) withInput(s *source.Session, do func(*source.Session, *source.Input) error) error {
	in, err := s.Open()
	if err != nil {
		return inputError(s.Place(), err)
	}
	defer in.Close()
	return do(s, in)
}

// A writeFailure marks an error of the output that came up while reading.
type writeFailure struct{ err error }

func (w *writeFailure) Error() string { return w.err.Error() }
func (w *writeFailure) Unwrap() error { return w.err }

func (a *app) readError(name string, err error) error {
	var w *writeFailure
	if errors.As(err, &w) {
		return a.writeError(w.err)
	}
	return inputError(name, err)
}

// writeError describes a failed write; a closed pipe is left to report, which says nothing about it.
func (a *app) writeError(err error) error {
	if isClosedPipe(err) {
		return err
	}
	return &writeFailure{outputError(a.output.name, err)}
}

func isTerminal(stream io.Reader) bool {
	file, ok := stream.(*os.File)
	return ok && newTerminal(file).is
}
