package reading

import (
	"clawctl/internal/cli"
	"clawctl/pkg/report/catalog"
	"clawctl/pkg/source"
)

// ListSessions describes sessions that were found, several at a time. What takes reading is left out if it is to be
// fast.
func ListSessions(a *cli.App, m *source.Match, jobs int, isFast bool) (*catalog.List, error) {
	var facts []catalog.Facts
	if !isFast {
		cli.WatchReading(a, "Reading", m.Sessions)
		facts = catalog.Read(a.Ctx, m.Sessions, jobs)
		a.Progress.End()
	}
	state, _ := a.StateDir()
	list := catalog.New(m, state.Path, facts, func(s *source.Session, err error) string {
		return cli.InputError(s.Place(), err).Text
	})
	list.AddCommands(facts, a.Programs())
	return list, a.Ctx.Err()
}
