package main

import (
	"os"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/export/postgres"
)

// hostName returns the name of --host, or that of the computer.
func (x *exportRun) hostName() (string, error) {
	if x.Host != "" {
		return x.Host, nil
	}
	name, err := os.Hostname()
	if err == nil {
		name, err = cli.CheckHost(name)
	}
	if err != nil {
		return "", failure.Usage(x.CommandLine("--host", "NAME"), "cannot use the name of the computer: %v", err)
	}
	return name, nil
}

// toPostgres writes the sessions as a stream for psql.
func (x *exportRun) toPostgres(out string) error {
	host, err := x.hostName()
	switch {
	case err != nil:
		return err
	case x.Format != "":
		return cli.Usage("--as postgres writes SQL, and takes no --format")
	}
	m, err := x.find(false)
	if err != nil {
		return err
	}
	if x.DryRun {
		x.Note("would write %s of the host %s", ui.Count(len(m.Sessions), "session"), host)
		return x.Outcome.Err()
	}
	sub, err := withOutput(x.App, out)
	if err != nil {
		return err
	}
	cli.WatchReading(x.App, "Exporting", m.Sessions)
	result, err := postgres.Write(x.Ctx, sub.Output, host, m.Sessions)
	x.Progress.End()
	if err != nil {
		sub.Output.Abandon()
		return cli.ReadError("", err) // psql changes nothing, because the stream has no end
	}
	if err := sub.Output.Finish(nil); err != nil {
		return err
	}
	for _, u := range result.Unread {
		x.Blame(cli.InputError(u.Session.Place(), u.Err).AfterWork())
	}
	damaged := ""
	if result.Damaged > 0 {
		damaged = ", " + ui.Count(result.Damaged, "damaged line") + " among them"
	}
	x.Note("Wrote %s (%s%s) of the host %s.", ui.Count(result.Sessions, "session"), ui.Count(result.Lines, "line"),
		damaged, host)
	return x.Outcome.Err()
}
