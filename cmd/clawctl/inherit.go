package main

import (
	"errors"

	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"

	"github.com/urfave/cli/v2"
)

// inherit is `import --inherit KEY --into KEY`.
func (a *app) inherit(ctx *cli.Context) error {
	from, into := ctx.String("inherit"), ctx.String("into")
	if from == "" || into == "" {
		return usageError("clawctl import --inherit agent:main:main --into goclaw:main:main", "--inherit and --into belong together")
	}
	args, target, err := a.importEnds(ctx)
	if err != nil {
		return err
	}
	s, err := a.inheritFrom(ctx, args, from)
	if err != nil {
		return err
	}
	st, err := store.Open(a.ctx, target, store.Options{LockTimeout: ctx.Duration("lock-timeout")})
	if err != nil {
		return targetError(a, target, err)
	}
	defer st.Close()
	records, err := migrate.Inherit(a.ctx, st, s, into)
	switch {
	case a.ctx.Err() != nil:
		return errInterrupted
	case errors.Is(err, store.ErrConflict):
		return &failure{exit: exitUsage, code: codeExists, path: target, text: into + " has gone on with other records; name another key", hint: "clawctl cat " + shellQuote(target+"#"+into)}
	case err != nil:
		return inputError(s.Place(), err)
	}
	if a.json {
		return a.print(jsonLine(inheritReport{1, s.Name(), into, records}))
	}
	a.note("%s begins with the %s of the active path of %s", into, count(int(records), "record"), s.Name())
	return nil
}

// inheritReport is the JSON form of what was inherited.
type inheritReport struct {
	SchemaVersion int    `json:"schema_version"`
	InheritedFrom string `json:"inherited_from"`
	Session       string `json:"session"`
	Records       int64  `json:"records"`
}

// inheritFrom finds the one session to be inherited.
func (a *app) inheritFrom(ctx *cli.Context, args []string, name string) (*source.Session, error) {
	if len(args) != 1 {
		return nil, usageError("clawctl help import", "--inherit takes one SOURCE, not %d", len(args))
	}
	f := newFound()
	filter, err := sourceFilter(ctx)
	if err != nil {
		return nil, err
	}
	filter.Session = name
	if err := a.findOne(f, args[0], filter, []source.Kind{source.Live}, true); err != nil {
		return nil, err
	}
	if len(f.sessions) > 1 {
		return nil, manySessions(args[0], f.sessions)
	}
	return f.sessions[0], a.spool(f.sessions)
}
