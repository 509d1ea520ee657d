package answering

import (
	"context"
	"io"
	"path/filepath"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/pkg/source"
)

// locate finds the session that a path names in the sources. It returns the source and the name of the session there,
// or "" if it is in none of them. Nothing else is opened, whatever the path.
func (s *Service) locate(ctx context.Context, path string) (place []string, name string) {
	s.look(ctx, func(argument string, m *source.Match) bool {
		i := slices.IndexFunc(m.Sessions, isAt(path, argument))
		if i < 0 {
			return false
		}
		name = m.Sessions[i].Name()
		if argument != cli.HomeArgument {
			place = []string{argument}
		}
		return true
	})
	return place, name
}

// look hands on what each source leads to, until one is found. Sources that lead nowhere are failures of the run.
func (s *Service) look(ctx context.Context, found func(argument string, m *source.Match) bool) *cli.Inner {
	in := &cli.Inner{Stdout: io.Discard}
	in.Commands = []*cli.Command{{Name: "sources", Operands: "[SOURCE]..."}}
	in.Commands[0].Run = func(a *cli.App, operands []string) error {
		search := cli.Search{Defaults: cli.EveryKind, Fast: true}
		arguments, err := cli.ArgumentsOf(a, operands, search)
		if err != nil {
			return err
		}
		for _, argument := range arguments {
			m, err := cli.Find(a, argument, search)
			if err != nil {
				a.Blame(err)
			} else if found(argument, m) {
				return nil
			}
		}
		return a.Outcome.Err()
	}
	s.app.RunInner(ctx, slices.Concat([]string{"sources", "--"}, s.sources), in)
	return in
}

func isAt(path, argument string) func(*source.Session) bool {
	absolute := func(path string) string {
		full, err := filepath.Abs(cli.ExpandHome(path))
		if err != nil {
			return path
		}
		return full
	}
	return func(s *source.Session) bool {
		return path == s.Name() || path == s.Place() || path == argument+"#"+s.Name() ||
			!s.InDatabase && !s.InBundle() && absolute(path) == absolute(s.Path)
	}
}

// outside refuses a path that is in none of the sources. It does not say whether there is such a file.
func (s *Service) outside(path string) *failure.Error {
	hint := failure.Command(slices.Concat([]string{"clawctl", "sessions"}, s.sources)...)
	return failure.New(failure.Nothing, "the sources of this server have no session %q", path).WithHint(hint)
}
