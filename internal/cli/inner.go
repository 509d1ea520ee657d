package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"clawctl/internal/failure"
)

// An Inner is a run inside another one, for a program that clawctl serves. Its output and what it says go to that
// program. It masks whatever it shows unless Raw is set, and reads only what its arguments name: no setting of the user
// widens that.
type Inner struct {
	Commands []*Command // that it may run
	Raw      bool
	Stdout   io.Writer

	Failures []*failure.Error // what it complained about
	Notes    []string         // its remarks
}

// RunInner runs a command with the configuration and the time zone of this run. Several can run at a time. It returns
// the exit status.
func (a *App) RunInner(ctx context.Context, args []string, in *Inner) int {
	setup := Setup{
		Stdin: strings.NewReader(""), Stdout: in.Stdout, Stderr: io.Discard, Now: a.Now, Commands: in.Commands,
		Afterwards: func(*App) {},
	}
	inner := newApp(setup)
	inner.Args = slices.Concat(args[:1], a.handedOn(), args[1:])
	inner.inner = in
	inner.settleConsole()
	return inner.run(ctx)
}

// handedOn are the flags of every command that an inner run takes over.
func (a *App) handedOn() []string {
	var flags []string
	if a.configFlag != "" {
		flags = append(flags, "--config="+a.configFlag)
	}
	if a.zoneFlag != "" {
		flags = append(flags, "--timezone="+a.zoneFlag)
	}
	return flags
}
