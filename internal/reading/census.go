package reading

import (
	"context"

	"clawctl/internal/cli"
	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/census"
	"clawctl/pkg/source"
)

// A sessionCensus is what is unknown in a session.
type sessionCensus struct {
	result *census.Result
	err    error
}

// TakeCensus adds what is unknown in sessions to a census, in the order of the sessions. Several are read at the same
// time. blame is called for those that cannot be read to their end.
func TakeCensus(
	a *cli.App, sessions []*source.Session, jobs int, forced rebuild.Program, c *census.Census, blame func(error),
) error {
	cli.WatchReading(a, "Reading", sessions)
	defer a.Progress.End()
	newReader := func() *jsonl.Reader { return &jsonl.Reader{} }
	total := source.TotalBytes(sessions)
	count := func(ctx context.Context, reader *jsonl.Reader, i int) sessionCensus {
		opts := jsonl.Options{BeforeRead: ctx.Err, Jobs: parallel.Share(jobs, sessions[i].Bytes, total)}
		return countSession(reader, sessions[i], opts)
	}
	err := parallel.Ordered(a.Ctx, len(sessions), jobs, newReader, count, func(i int, found sessionCensus) error {
		if found.err != nil {
			blame(found.err)
		}
		if found.result != nil {
			c.Add(sessions[i], rebuild.Author{Forced: forced, Folder: sessions[i].FolderOwner()}, found.result)
		}
		return nil
	})
	if a.Ctx.Err() != nil {
		return cli.Interrupted(a)
	}
	return err
}

func countSession(r *jsonl.Reader, s *source.Session, opts jsonl.Options) sessionCensus {
	in, err := s.Open()
	if err != nil {
		return sessionCensus{nil, cli.InputError(s.Place(), err)}
	}
	defer in.Close()
	r.Reset(in.Reader, opts)
	result, err := census.Read(r, s)
	if err != nil {
		return sessionCensus{result, cli.InputError(in.Name, err)}
	}
	return sessionCensus{result, nil}
}
