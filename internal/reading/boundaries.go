package reading

import (
	"context"

	"clawctl/internal/cli"
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
// They can be opened again. Those that cannot be read are handed to unreadable.
func CollectBoundaries(
	a *cli.App, sessions []*source.Session, span cli.TimeRange, jobs int, unreadable func(error),
) (*boundary.Report, error) {
	report, originals := boundary.NewReport(), stats.NewOriginals(&stats.Family{})
	take := func(i int, found []boundary.Boundary, err error) error {
		if err != nil {
			unreadable(err)
			return nil
		}
		var list []boundary.Boundary
		originals.Begin(int32(i))
		for _, b := range found {
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
	if err := cli.ReadAll(a, "Reading", sessions, jobs, findBoundaries, take); err != nil {
		return nil, err
	}
	return report, nil
}

// findBoundaries reads one session twice.
func findBoundaries(_ context.Context, o *source.Opened) ([]boundary.Boundary, error) {
	index, err := rebuild.ScanBy(rebuild.Author{Folder: o.Session.FolderOwner()}, o.Lines(), nil)
	if err != nil {
		return nil, err
	}
	c, err := index.Context("")
	if err != nil {
		return nil, nil // no path leads to the end
	}
	records := func(yield func(*jsonl.Record, error) bool) {
		in, err := o.Session.Open()
		if err != nil {
			yield(nil, err)
			return
		}
		defer in.Close()
		o.LinesOf(in).All()(yield)
	}
	return boundary.List(c, records, boundary.Options{Counter: tokens.CL100K})
}
