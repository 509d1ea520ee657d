package main

import (
	"os"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/postgres"
)

// hostFlag is --host.
func hostFlag(dst *string) flag {
	return textFlag(dst, "host", "NAME", "the name of this host among many").
		checked(func() (err error) {
			*dst, err = checkHost(*dst)
			return err
		})
}

// hostName returns the name of --host, or that of the computer.
func (x *exportRun) hostName() (string, error) {
	if x.options.host != "" {
		return x.options.host, nil
	}
	name, err := os.Hostname()
	if err == nil {
		name, err = checkHost(name)
	}
	if err != nil {
		return "", failure.Usage(x.app.commandLine("--host", "NAME"), "cannot use the name of the computer: %v", err)
	}
	return name, nil
}

// toPostgres writes the sessions as a stream for psql.
func (x *exportRun) toPostgres(out string) error {
	host, err := x.hostName()
	switch {
	case err != nil:
		return err
	case x.app.format != "":
		return failure.Usage("clawctl export --as postgres | psql", "--as postgres writes SQL, and takes no --format")
	}
	m, err := x.find(false)
	if err != nil {
		return err
	}
	if x.options.dryRun {
		x.app.note("would write %s of the host %s", ui.Count(len(m.Sessions), "session"), host)
		return x.outcome.Err()
	}
	sub, err := x.app.withOutput(out)
	if err != nil {
		return err
	}
	watchReading(x.app, "Exporting", m.Sessions)
	result, err := postgres.Write(x.app.ctx, &stdoutWriter{sub.output}, host, m.Sessions)
	x.app.progress.End()
	if err != nil {
		sub.output.abandon()
		return x.postgresError(err)
	}
	return x.finishPostgres(sub, host, result)
}

// postgresError is the failure of a stream that has no end. psql then changes nothing.
func (x *exportRun) postgresError(err error) error {
	if x.app.ctx.Err() != nil {
		return interrupted(x.app)
	}
	return readError(x.app, "", err)
}

// finishPostgres closes the output and sums up.
func (x *exportRun) finishPostgres(sub *app, host string, result *postgres.Result) error {
	if err := sub.output.finish(nil); err != nil {
		return err
	}
	for _, u := range result.Unread {
		x.app.blame(x.outcome, inputError(u.Session.Place(), u.Err).AfterWork())
	}
	damaged := ""
	if result.Damaged > 0 {
		damaged = ", " + ui.Count(result.Damaged, "damaged line") + " among them"
	}
	x.app.note("Wrote %s (%s%s) of the host %s.", ui.Count(result.Sessions, "session"), ui.Count(result.Lines, "line"),
		damaged, host)
	return x.outcome.Err()
}
