package reading

import (
	"errors"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/source/hold"
)

// OpenTarget opens what sources are compared with: the path of --against, else clawctl's store, else the databases at
// sourcePath. other is the target that could have been chosen instead; its path is "" if there was no choice.
func OpenTarget(a *cli.App, against, sourcePath string) (t *migrate.Target, other migrate.Location, err error) {
	if against == "" {
		own, err := a.StorePath("")
		if err != nil {
			return nil, other, err
		}
		choice := migrate.ChooseTarget(a.Ctx, own.Value, sourcePath, cli.ExpandHome("~"))
		against, other = choice.Chosen.Path, choice.Other
		if against == "" {
			return nil, other, noDatabase(sourcePath)
		}
	}
	if t, err = migrate.OpenTarget(a.Ctx, cli.ExpandHome(against), cli.ExpandHome("~")); err != nil {
		return nil, other, targetError(a, against, err)
	}
	a.Keep(t)
	return t, other, nil
}

// targetError is the failure of a target that cannot be opened. A database that cannot be read may be the fault of the
// folder for private copies, which only a run knows.
func targetError(a *cli.App, path string, err error) error {
	var none *migrate.NoSessionsError
	switch {
	case errors.As(err, &none) && none.Problem != nil:
		return cli.ProblemFailure(*none.Problem)
	}
	return a.MissingPath(path, err, "clawctl env")
}

// noDatabase is the failure of sources without anything to compare them with.
func noDatabase(path string) *failure.Error {
	if path == "-" {
		path = cli.StdinName
	}
	return (&migrate.NoSessionsError{}).FailureAt(path)
}

// TargetPath is the path at which the databases of sources are looked for: what the first argument names, or the place
// in which a name was found.
func TargetPath(m *source.Match, arguments []string) string {
	path, _, _, err := source.SplitPlace(arguments[0])
	if err != nil && len(m.Places) > 0 && arguments[0] != "-" {
		return m.Places[0].Path
	}
	return path
}

// CompareWith compares sessions with a target. homes are folders whose indexes may name the sessions.
func CompareWith(a *cli.App, sessions []*source.Session, target *migrate.Target, jobs int,
	homes []string) ([]migrate.Proof, error) {
	defer CollectLess(150)()
	cli.WatchReading(a, "Comparing", sessions)
	defer a.Progress.End()
	opts := migrate.VerifyOptions{
		Jobs: jobs, Holds: hold.Options{Homes: homes, UserHome: cli.ExpandHome("~"), Now: a.Now()},
	}
	proofs, err := migrate.Verify(a.Ctx, sessions, target, opts)
	if err != nil {
		return nil, cli.InputError(target.Path, err)
	}
	return proofs, nil
}
