package main

import (
	"errors"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// runInherit is `import --inherit KEY --into KEY`.
func (o *importOptions) runInherit(a *cli.App, operands []string) error {
	switch {
	case o.Inherit == "" || o.Into == "":
		return failure.Usage("clawctl import --inherit agent:main:main --into goclaw:main:main",
			"--inherit and --into must be given together")
	case cli.IsByRecency(o.Into):
		return cli.Usage("--into must be the key of a new session, got %q", o.Into)
	}
	if err := a.Alone("inherit", "dry-run", "since", "until", "during", "strict", "input", "session"); err != nil {
		return err
	}
	arguments, target, err := o.ends(a, operands)
	if err != nil {
		return err
	}
	s, err := o.inheritFrom(a, arguments, len(operands) > 0)
	if err != nil {
		return err
	}
	records, err := o.inheritInto(a, target, s)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(migrate.InheritReport{
			SchemaVersion: 1, InheritedFrom: s.Name(), Session: o.Into, Records: records,
		})
	}
	a.Note("%s starts with the %s of the active path of %s", o.Into, ui.Count(records, "record"), s.Name())
	return nil
}

// inheritFrom finds the session that is inherited. isNamed says that the user has named the SOURCE.
func (o *importOptions) inheritFrom(
	a *cli.App, arguments []string, isNamed bool,
) (*source.Session, error) {
	if len(arguments) != 1 {
		return nil, cli.Usage("--inherit takes one SOURCE, got %d", len(arguments))
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Fast: true, Exact: true}
	argument := o.Inherit
	if isNamed || !cli.IsPath(o.Inherit) {
		argument, s.Session = arguments[0], o.Inherit
	}
	m, err := cli.Find(a, argument, s)
	var none *failure.Error
	if errors.As(err, &none) && none.Code == failure.Nothing && !isNamed { // the store may have it
		m, err = cli.Find(a, cli.HomeArgument, s)
	}
	if err != nil {
		return nil, err
	}
	if len(m.Sessions) > 1 {
		show := func(session string) string { return failure.Command("clawctl", "cat", session) }
		return nil, reading.TooManySessions(show, m)
	}
	return m.Sessions[0], cli.SpoolStreams(a, m.Sessions)
}

// inheritInto starts the new session with the active path of another.
func (o *importOptions) inheritInto(a *cli.App, target string, s *source.Session) (records int64, err error) {
	st, err := writing.OpenStore(a, target, o.Lock)
	if err != nil {
		return 0, err
	}
	defer st.Close()
	cli.WatchReading(a, "Reading", []*source.Session{s})
	defer a.Progress.End()
	records, err = migrate.Inherit(a.Ctx, st, s, o.Into)
	switch {
	case errors.Is(err, store.ErrConflict):
		return 0, failure.New(failure.Exists, "%s already has other records; choose another key", o.Into).
			At(target).WithHint(failure.Command("clawctl", "cat", target+"#"+o.Into))
	case errors.As(err, new(*store.TriggersError)):
		return 0, writing.StoreError(a, target, err)
	case err != nil:
		return 0, cli.InputError(s.Place(), err)
	}
	return records, nil
}
