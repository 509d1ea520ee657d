package reading

import (
	"clawctl/internal/cli"
	"clawctl/pkg/report/doctor"
	"clawctl/pkg/report/du"
	"clawctl/pkg/source"
)

// Examine looks at a state folder, for doctor and for clawctl without a command. It adds the folder's files and
// clawctl's store to home, and to opts what the run knows. The place of the folder stays open until the run ends.
func Examine(
	a *cli.App, state string, home doctor.Home, opts doctor.Options, allowed cli.HarnessOption,
) (*source.Listing, *doctor.Report, error) {
	home.Listing = du.List(state)
	find := source.Options{Fast: true, Home: cli.ExpandHome("~")}
	if !opts.Deep {
		find.MeasureUpTo = doctor.MeasureUpTo
	}
	var err error
	if home.Place, err = source.Find(a.Ctx, state, find); err != nil {
		return nil, nil, cli.InputError(state, err)
	}
	a.Keep(home.Place)
	if len(cli.Unrecognized(home.Place)) > 0 {
		a.WatchSkipped(home.Place)
	}
	if err := cli.FindBindings(a, home.Place.Sessions, allowed); err != nil {
		return nil, nil, err
	}
	openOwnStore(a, &home)
	opts.Now = a.Now()
	opts.Reading = func(task string, sessions []*source.Session) { cli.WatchReading(a, task, sessions) }
	report, err := doctor.Examine(a.Ctx, home, opts)
	a.Progress.End()
	if err != nil {
		return nil, nil, err
	}
	return home.Place, report, nil
}

// openOwnStore opens clawctl's store. Without it, everything else can still be looked at.
func openOwnStore(a *cli.App, home *doctor.Home) {
	own, err := a.StorePath("")
	if err != nil {
		home.StoreErr = err
		return
	}
	if home.OpenStore(a.Ctx, own.Value); home.Store != nil {
		a.Keep(home.Store)
	}
}
