package reading

import (
	"context"

	"clawctl/internal/cli"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/census"
	"clawctl/pkg/source"
)

// TakeCensus adds what is unknown in sessions to a census, in the order of the sessions. Several are read at the same
// time. blame is called for those that cannot be read to their end.
func TakeCensus(
	a *cli.App, sessions []*source.Session, jobs int, forced rebuild.Program, c *census.Census, blame func(error),
) error {
	count := func(_ context.Context, o *source.Opened) (*census.Result, error) {
		return census.Read(o.Lines(), o.Session)
	}
	return cli.ReadAll(a, "Reading", sessions, jobs, count, func(i int, found *census.Result, err error) error {
		if err != nil {
			blame(err)
		}
		if found != nil {
			c.Add(sessions[i], rebuild.Author{Forced: forced, Folder: sessions[i].FolderOwner()}, found)
		}
		return nil
	})
}
