package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change/slim"
	"clawctl/pkg/source"
)

func newSlimCommand() *cli.Command {
	return &cli.Command{
		Options:     &slimOptions{over: slim.DefaultOver},
		Formats:     cli.ReportFormats,
		OpensOutput: true,
	}
}

// slimOptions are the flags of slim.
type slimOptions struct {
	cli.SourceOptions
	restore bool
	over    int64
	drop    map[slim.Kind]bool
}

// OwnFlags makes the flags.
func (o *slimOptions) OwnFlags() []cli.Flag {
	flags := []cli.Flag{
		{Name: "drop", Value: "KINDS", Usage: "drop images, results, thinking or details for good", List: true,
			Set: o.setDrop},
		{Name: "over", Value: "SIZE", Usage: "how large a tool result may be, such as 16k", Fallback: "64k", Set: o.setOver},
		cli.SwitchFlag(&o.restore, "restore", "make the original from a copy"),
	}
	return slices.Concat(flags, o.SourceOptions.Flags())
}

func (o *slimOptions) setDrop(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		name, size, hasSize := strings.Cut(strings.TrimSpace(word), ">")
		kind := slim.Kind(name)
		if !slices.Contains(slim.Kinds, kind) || hasSize && kind != slim.Results {
			return cli.BadChoice([]string{"images", "results", "results>SIZE", "thinking", "details"}, word)
		}
		if hasSize {
			if err := o.setOver(size); err != nil {
				return err
			}
		}
		if o.drop == nil {
			o.drop = map[slim.Kind]bool{}
		}
		o.drop[kind] = true
	}
	return nil
}

// setOver reads how large a tool result may be. 0 would stand for the default.
func (o *slimOptions) setOver(text string) error {
	n, err := cli.ParseSize(text)
	if err != nil {
		return err
	}
	if n < 1 {
		return fmt.Errorf("must be at least 1 byte, got %q", text)
	}
	o.over = n
	return nil
}

// Run runs the command.
func (o *slimOptions) Run(a *cli.App, operands []string) error {
	if o.restore && o.drop != nil {
		return failure.Usage("clawctl help slim", "--restore and --drop cannot be combined")
	}
	c, err := writing.NewCopying(a, operands, o.SourceOptions, true)
	if err != nil {
		return err
	}
	if err := c.Open(); err != nil {
		return err
	}
	defer c.Root.Close()
	s := &slimRun{App: c.App, copying: c, slimOptions: o, tally: slim.Tally{}, files: slim.Files{Root: c.Root}}
	each := s.shrink
	if o.restore {
		each = s.restore
	}
	cli.WatchReading(a, map[bool]string{true: "Restoring", false: "Copying"}[o.restore], c.Match.Sessions)
	for i, session := range c.Match.Sessions {
		if err := c.BlameCopy(c.NameOf(i), each(session, c.NameOf(i), c.Items[i].Modified)); err != nil {
			return err
		}
	}
	a.Progress.End()
	return s.finish()
}

// A slimRun is one run of the command.
type slimRun struct {
	*cli.App
	copying *writing.CopyRun
	*slimOptions
	tally   slim.Tally
	written int
	added   int64 // bytes that were appended to copies
	bytes   int64
	files   slim.Files // beside the copies
}

// shrink writes the small copy of a session. The content comes first, then the manifest, then the copy itself.
func (s *slimRun) shrink(session *source.Session, name string, modified time.Time) error {
	isOther := s.files.Has(name) && !s.files.Has(name+slim.ManifestSuffix) // it is no copy, and must get no manifest
	if isOther && s.drop == nil && !s.Output.Options.Force {
		return writing.ErrExists
	}
	folder := name + ".slim" // for the content, in the folder of the copies
	if s.copying.Folder {
		folder = "slim"
	}
	atomicfile.RemoveStale(filepath.Join(s.copying.Root.Name(), filepath.FromSlash(folder)))
	copier := &slim.Copier{Options: slim.Options{Over: s.over, Drop: s.drop,
		Keep: func(file string, content []byte) error {
			if err := s.Ctx.Err(); err != nil { // each is synced, so an interrupted run does not go on to the next one
				return err
			}
			return s.files.Keep(path.Join(folder, file), content)
		}}}
	_, n, err := writing.Place(s.App, s.copying.Root, name, modified, func(w io.Writer) (int64, error) {
		manifest := &slim.Manifest{}
		err := s.copying.Read(session, func(in *source.Input) (err error) {
			below, _ := filepath.Rel(filepath.FromSlash(path.Dir(name)), filepath.FromSlash(folder))
			manifest, err = copier.Copy(in, w, filepath.ToSlash(below), s.copying.ReadOptions())
			return err
		})
		if err != nil || s.drop != nil {
			return copier.Size(), err
		}
		return copier.Size(), s.putManifest(name+slim.ManifestSuffix, manifest)
	})
	s.files.End(folder, err != nil)
	if err != nil {
		return err
	}
	s.written++
	s.bytes += n
	s.tally.Add(copier.Tally)
	return nil
}

func (s *slimRun) putManifest(name string, manifest *slim.Manifest) error {
	isNew := !s.files.Has(name)
	verdict, _, err := writing.Place(s.App, s.copying.Root, name, time.Time{}, func(w io.Writer) (int64, error) {
		return 0, json.NewEncoder(w).Encode(manifest)
	})
	if err != nil {
		return err
	}
	if verdict == "written" && isNew {
		s.files.Note(name)
	}
	return nil
}

// restore writes the original of a copy.
func (s *slimRun) restore(session *source.Session, name string, modified time.Time) error {
	manifest, err := slim.ReadManifest(session.Near(path.Base(session.Below) + slim.ManifestSuffix))
	if err != nil {
		if errors.Is(err, slim.ErrNoManifest) {
			return failure.From(session.Path, err)
		}
		return cli.InputError(session.Path+slim.ManifestSuffix, err)
	}
	added := int64(0)
	_, n, err := writing.Place(s.App, s.copying.Root, name, modified, func(w io.Writer) (int64, error) {
		err := s.copying.Read(session, func(in *source.Input) (err error) {
			added, err = manifest.Restore(in, w, manifest.Open(session.Near(manifest.Folder)))
			if f := failure.From(session.Path, err); f != nil {
				return f
			}
			return err
		})
		return manifest.Original.Bytes + added, err
	})
	if err != nil {
		return err
	}
	s.written++
	s.bytes += n
	s.added += added
	return nil
}

// finish writes the indexes, and reports the sizes.
func (s *slimRun) finish() error {
	if s.written == 0 {
		return s.Outcome.Err()
	}
	if err := s.copying.PutIndexes(); err != nil {
		return err
	}
	if s.slimOptions.restore {
		s.Note("Restored %s (%s) to %s. All have the SHA-256 of the original.", ui.Count(s.written, "session"),
			ui.Bytes(s.bytes), s.copying.Out)
		if s.added > 0 {
			s.Note("%s after the original were appended to the copy, and are kept.", ui.Bytes(s.added))
		}
		return s.Outcome.Err()
	}
	if err := s.report(); err != nil {
		return err
	}
	return s.Outcome.Err()
}

// report lists the sizes by kind, and their sum.
func (s *slimRun) report() error {
	verb := "moved"
	if s.drop != nil {
		verb = "dropped"
	}
	r := cli.NewReport(ui.Words("kind"), ui.Numbers(verb), ui.Numbers("before"),
		ui.Numbers("after"))
	rows := s.tally.Rows()
	for _, row := range rows {
		r.Add(row, row.Kind, ui.Thousands(int64(row.Pieces)), ui.Bytes(row.Before), ui.Bytes(row.After))
	}
	total := rows[len(rows)-1]
	if err := s.PrintReport(r); err != nil {
		return err
	}
	if total.Pieces == 0 {
		s.Note("Wrote %s to %s. They have nothing to be %s.", ui.Count(s.written, "session"), s.copying.Out, verb)
		return nil
	}
	s.Note("Wrote %s to %s: %s instead of %s.", ui.Count(s.written, "session"), s.copying.Out, ui.Bytes(total.After),
		ui.Bytes(total.Before))
	return nil
}
