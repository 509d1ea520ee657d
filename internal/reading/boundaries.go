package reading

import (
	"bytes"
	"context"
	"io"
	"iter"

	"clawctl/internal/cli"
	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window/boundary"
)

// A BoundaryList is the boundaries of one session, with what it takes to read what left the context at them.
type BoundaryList struct {
	Transcript *Transcript
	Context    *rebuild.Context
	List       []boundary.Boundary
}

// OpenBoundaries reads a session for its compactions and resets, up to a leaf. mask may be nil.
func OpenBoundaries(
	a *cli.App, s *source.Session, program ProgramOption, leaf string, mask func(string) string,
) (*BoundaryList, error) {
	t, err := OpenTranscript(a, s, program)
	if err != nil {
		return nil, err
	}
	b := &BoundaryList{Transcript: t}
	if b.Context, err = t.ContextAt(leaf); err != nil {
		return nil, err
	}
	opts := boundary.Options{Counter: tokens.CL100K, Mask: mask}
	if b.List, err = boundary.List(b.Context, t.Again(), opts); err != nil {
		return nil, t.Failed(err)
	}
	return b, nil
}

// CollectBoundaries lists the compactions and resets of sessions, each once, however many copies of it there are.
// Sessions that cannot be read are handed to unreadable.
func CollectBoundaries(
	a *cli.App, sessions []*source.Session, span cli.TimeRange, jobs int, unreadable func(error),
) (*boundary.Report, error) {
	cli.WatchReading(a, "Reading", sessions)
	defer a.Progress.End()
	report, originals := boundary.NewReport(), stats.NewOriginals(&stats.Family{})
	total := source.TotalBytes(sessions)
	read := func(ctx context.Context, r *jsonl.Reader, i int) foundBoundaries {
		readOpts := jsonl.Options{BeforeRead: ctx.Err, Jobs: parallel.Share(jobs, sessions[i].Bytes, total)}
		return findBoundaries(r, sessions[i], readOpts)
	}
	take := func(i int, found foundBoundaries) error {
		if found.err != nil {
			unreadable(found.err)
			return nil
		}
		var list []boundary.Boundary
		originals.Begin(int32(i))
		for _, b := range found.list {
			switch {
			case !span.IsAll() && (b.Time == nil || !span.Contains(*b.Time)):
			case originals.IsCopy(b.ID):
				report.Totals.Copies++
			default:
				list = append(list, b)
			}
		}
		report.Add(sessions[i].Name(), sessions[i].Place(), list)
		return nil
	}
	newReader := func() *jsonl.Reader { return &jsonl.Reader{} }
	if err := parallel.Ordered(a.Ctx, len(sessions), jobs, newReader, read, take); err != nil {
		return nil, cli.Interrupted(a)
	}
	return report, nil
}

// foundBoundaries are the boundaries of one session.
type foundBoundaries struct {
	list []boundary.Boundary
	err  error
}

// findBoundaries reads one session twice. What cannot be read twice is kept.
func findBoundaries(r *jsonl.Reader, s *source.Session, opts jsonl.Options) foundBoundaries {
	var found foundBoundaries
	open := func() (io.ReadCloser, error) { return s.Open() }
	if !s.OpensAgain() {
		in, err := s.Open()
		if err != nil {
			return foundBoundaries{err: cli.InputError(s.Place(), err)}
		}
		text, err := io.ReadAll(in.Reader)
		in.Close()
		if err != nil {
			return foundBoundaries{err: cli.InputError(s.Place(), err)}
		}
		open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	}
	if found.list, found.err = listBoundaries(r, s, open, opts); found.err != nil {
		found.err = cli.InputError(s.Place(), found.err)
	}
	return found
}

func listBoundaries(
	r *jsonl.Reader, s *source.Session, open func() (io.ReadCloser, error), opts jsonl.Options,
) ([]boundary.Boundary, error) {
	first, err := open()
	if err != nil {
		return nil, err
	}
	defer first.Close()
	r.Reset(first, opts)
	index, err := rebuild.ScanBy(rebuild.Author{Folder: s.FolderOwner()}, r, nil)
	if err != nil {
		return nil, err
	}
	c, err := index.Context("")
	if err != nil {
		return nil, nil // no path leads to the end
	}
	return boundary.List(c, recordsOf(open, r, opts), boundary.Options{Counter: tokens.CL100K})
}

// recordsOf reads a session again.
func recordsOf(
	open func() (io.ReadCloser, error), r *jsonl.Reader, opts jsonl.Options,
) iter.Seq2[*jsonl.Record, error] {
	return func(yield func(*jsonl.Record, error) bool) {
		in, err := open()
		if err != nil {
			yield(nil, err)
			return
		}
		defer in.Close()
		r.Reset(in, opts)
		r.All()(yield)
	}
}
