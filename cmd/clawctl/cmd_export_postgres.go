package main

import (
	"os"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/postgres"
)

// asPostgres is the form for psql.
const asPostgres = "postgres"

// hostFlag is --host.
func hostFlag(dst *string) cli.Flag {
	return cli.TextFlag(dst, "host", "NAME", "parquet, postgres: the name of this host among many").
		Checked(func() (err error) {
			*dst, err = cli.CheckHost(*dst)
			return err
		})
}

// hostName returns the name of --host, or that of the computer.
func (x *exporting) hostName() (string, error) {
	if x.options.host != "" {
		return x.options.host, nil
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
func (x *exporting) toPostgres(out string) error {
	host, err := x.hostName()
	switch {
	case err != nil:
		return err
	case x.Format != "":
		return failure.Usage("clawctl export --as postgres | psql", "--as postgres writes SQL, and takes no --format")
	}
	m, err := x.find(false)
	if err != nil {
		return err
	}
	if x.options.dryRun {
		x.Note("would write %s of the host %s", ui.Count(len(m.Sessions), "session"), host)
		return x.outcome.Err()
	}
	sub, err := withOutput(x.App, out)
	if err != nil {
		return err
	}
	cli.WatchReading(x.App, "Exporting", m.Sessions)
	result, err := postgres.Write(x.Ctx, &stdoutWriter{sub.Output}, host, m.Sessions)
	x.Progress.End()
	if err != nil {
		sub.Output.Abandon()
		return x.postgresError(err)
	}
	return x.finishPostgres(sub, host, result)
}

// postgresError is the failure of a stream that has no end. psql then changes nothing.
func (x *exporting) postgresError(err error) error {
	if x.Ctx.Err() != nil {
		return cli.Interrupted(x.App)
	}
	return cli.ReadError(x.App, "", err)
}

// finishPostgres closes the output and sums up.
func (x *exporting) finishPostgres(sub *cli.App, host string, result *postgres.Result) error {
	if err := sub.Output.Finish(nil); err != nil {
		return err
	}
	for _, u := range result.Unread {
		x.Blame(x.outcome, cli.InputError(u.Session.Place(), u.Err).AfterWork())
	}
	damaged := ""
	if result.Damaged > 0 {
		damaged = ", " + ui.Count(result.Damaged, "damaged line") + " among them"
	}
	x.Note("Wrote %s (%s%s) of the host %s.", ui.Count(result.Sessions, "session"), ui.Count(result.Lines, "line"),
		damaged, host)
	return x.outcome.Err()
}
