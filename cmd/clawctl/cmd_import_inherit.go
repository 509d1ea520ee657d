package main

import (
	"errors"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// runInherit is `import --inherit KEY --into KEY`.
func (o *importOptions) runInherit(a *app, c *command, operands []string) error {
	if err := o.checkInherit(c); err != nil {
		return err
	}
	arguments, target, err := o.ends(a, operands)
	if err != nil {
		return err
	}
	s, err := o.inheritFrom(a, c, arguments)
	if err != nil {
		return err
	}
	records, err := o.inheritInto(a, target, s)
	if err != nil {
		return err
	}
	if a.json {
		return a.print(jsonLine(inheritReport{1, s.Name(), o.into, records}))
	}
	a.note("%s starts with the %s of the active path of %s", o.into, ui.Count(records, "record"), s.Name())
	return nil
}

// checkInherit refuses flags that do not fit --inherit.
func (o *importOptions) checkInherit(c *command) error {
	switch {
	case o.inherit == "" || o.into == "":
		return failure.Usage("clawctl import --inherit agent:main:main --into goclaw:main:main",
			"--inherit and --into must be given together")
	case isByRecency(o.into):
		return c.usage("--into must be the key of a new session, got %q", o.into)
	case o.dryRun:
		return c.conflict("--inherit", "--dry-run")
	case o.span.since.isSet():
		return c.conflict("--inherit", "--since")
	case o.span.until.isSet():
		return c.conflict("--inherit", "--until")
	case o.strict:
		return c.conflict("--inherit", "--strict")
	case o.input != "":
		return c.conflict("--inherit", "--input")
	case o.session != "":
		return c.conflict("--inherit", "--session")
	}
	return nil
}

// inheritReport is the JSON form of what was inherited.
type inheritReport struct {
	SchemaVersion int    `json:"schema_version"`
	InheritedFrom string `json:"inherited_from"`
	Session       string `json:"session"`
	Records       int64  `json:"records"`
}

// inheritFrom finds the session that is inherited.
func (o *importOptions) inheritFrom(a *app, c *command, arguments []string) (*source.Session, error) {
	if len(arguments) != 1 {
		return nil, c.usage("--inherit takes one SOURCE, got %d", len(arguments))
	}
	narrow := o.sourceOptions
	narrow.session = o.inherit
	m, err := find(a, arguments[0], search{sourceOptions: narrow, defaults: live, fast: true, exact: true})
	if err != nil {
		return nil, err
	}
	if len(m.Sessions) > 1 {
		return nil, tooManySessions("cat", m)
	}
	return m.Sessions[0], spoolStreams(a, m.Sessions)
}

// inheritInto starts the new session with the active path of another.
func (o *importOptions) inheritInto(a *app, target string, s *source.Session) (records int64, err error) {
	st, err := openStore(a, target, o.lock)
	if err != nil {
		return 0, err
	}
	defer st.Close()
	watchReading(a, "Reading", []*source.Session{s})
	defer a.progress.End()
	records, err = migrate.Inherit(a.ctx, st, s, o.into)
	switch {
	case a.ctx.Err() != nil:
		return 0, interrupted(a)
	case errors.Is(err, store.ErrConflict):
		return 0, failure.New(failure.Exists, "%s already has other records; choose another key", o.into).
			At(target).WithHint(failure.Command("clawctl", "cat", target+"#"+o.into))
	case errors.Is(err, store.ErrNotKept):
		return 0, storeError(a, target, err)
	case err != nil:
		return 0, inputError(s.Place(), err)
	}
	return records, nil
}
