package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/bundle"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/migrate"
	"clawctl/pkg/redact"
	"clawctl/pkg/source"
)

// asBundle is the form that moves to another machine.
const asBundle = "bundle"

// checkBundleFlags refuses flags that have a meaning only for bundles.
func (x *exporting) checkBundleFlags() error {
	if len(x.options.maps) > 0 && !x.isBundle() {
		return failure.Usage("clawctl export --from FILE.tar.zst -o FOLDER --map OLD=NEW",
			"--map needs --from and a bundle, all of it")
	}
	return nil
}

// toBundle writes the sessions to a bundle. It is complete, or it is not written.
func (x *exporting) toBundle(out string) error {
	if out == "" {
		return failure.Usage(x.CommandLine("-o", "sessions"+bundle.Suffix), "--as bundle needs a file: -o")
	}
	m, err := x.find(false)
	if err != nil {
		return err
	}
	if x.items, err = x.list(m); err != nil {
		return err
	}
	p := &packing{exporting: x, match: m}
	if err := p.collect(); err != nil {
		return err
	}
	if x.options.dryRun {
		return p.plan()
	}
	return p.write(out)
}

// A packing is a bundle that is being made.
type packing struct {
	*exporting
	match    *source.Match
	sources  []bundle.Source
	redactor *redact.Redactor
}

// collect lists what goes into the bundle, sorted by path.
func (p *packing) collect() error {
	indexes, err := migrate.Registrations(p.items)
	if err != nil {
		return failure.Internal(err)
	}
	if p.options.redact {
		if err := p.survey(indexes); err != nil {
			return err
		}
	}
	for i := range p.items {
		p.addTranscript(&p.items[i])
	}
	for _, index := range indexes {
		p.addIndex(index)
	}
	if err := p.collectMedia(); err != nil {
		return err
	}
	for i := range p.sources {
		p.keepName(p.sources[i].Path)
	}
	slices.SortFunc(p.sources, func(a, b bundle.Source) int { return cmp.Compare(a.Path, b.Path) })
	return nil
}

// survey looks for secrets in everything that is packed.
func (p *packing) survey(indexes []migrate.Index) error {
	survey := redact.NewSurvey()
	for i := range p.items {
		in, err := p.items[i].OpenText(p.Ctx)
		if err == nil {
			_, err = survey.Session(in, p.readOptions())
			in.Close()
		}
		if err != nil {
			return p.failed(&p.items[i], err)
		}
	}
	for _, index := range indexes {
		survey.Add(index.Text)
	}
	p.redactor = survey.Redactor()
	return nil
}

// keepName notes the name of a file in a redacted bundle.
func (p *packing) keepName(path string) {
	if p.redactor != nil {
		p.redactor.KeepName(redact.FileName, path)
	}
}

func (p *packing) readOptions() jsonl.Options {
	return jsonl.Options{Jobs: parallel.Share(0, 1, 1), BeforeRead: p.Ctx.Err}
}

func (p *packing) addTranscript(item *migrate.Item) {
	p.blameMissing(item)
	p.sources = append(p.sources, bundle.Source{
		Path: item.Path, Kind: bundle.Transcript, Modified: item.Modified,
		WriteTo: func(ctx context.Context, w io.Writer) error {
			if p.redactor == nil {
				_, err := item.WriteTo(ctx, w)
				return err
			}
			in, err := item.OpenText(ctx)
			if err != nil {
				return err
			}
			defer in.Close()
			return p.redactor.Session(in, w, p.readOptions())
		},
	})
}

func (p *packing) addIndex(index migrate.Index) {
	text := index.Text
	if p.redactor != nil {
		text = p.redactor.JSON(text, true)
	}
	p.sources = append(p.sources, bundle.Source{
		Path: index.Path, Kind: bundle.Index, WriteTo: func(_ context.Context, w io.Writer) error {
			_, err := w.Write(text)
			return err
		},
	})
}

// collectMedia adds the media files that the sessions mention. Nobody can tell whether there are secrets in them, so a
// redacted bundle has none.
func (p *packing) collectMedia() error {
	rest := p.match.Sessions
	for _, place := range p.match.Places {
		var sessions []*source.Session
		sessions, rest = split(rest, place.Sessions)
		media, err := place.Media()
		if err != nil {
			return cli.InputError(place.Path, err)
		}
		if len(sessions) == 0 || len(media) == 0 {
			continue
		}
		mentioned, err := p.mentioned(sessions, media)
		if err != nil {
			return err
		}
		if p.options.redact {
			p.Note("left %s out of the redacted bundle", ui.Count(len(mentioned), "media file"))
			continue
		}
		p.addMedia(p.folderOf(sessions), mentioned)
	}
	return nil
}

// mentioned returns the media files that sessions mention.
func (p *packing) mentioned(sessions []*source.Session, media []source.MediaFile) (list []source.MediaFile, err error) {
	names, found := map[string]bool{}, map[string]bool{}
	for _, m := range media {
		names[m.Name] = true
	}
	for _, s := range sessions {
		err := cli.WithInput(p.App, s, func(_ *source.Session, in *source.Input) error {
			return bundle.Mentions(in, names, func(name string) { found[name] = true })
		})
		if p.Ctx.Err() != nil {
			return nil, cli.Interrupted(p.App)
		}
		p.Blame(p.outcome, err) // a damaged archive is packed as it is
	}
	for _, m := range media {
		if found[m.Name] {
			list = append(list, m)
		}
	}
	return list, nil
}

// folderOf returns the folder that the files of a place have in the bundle, "." if there is one place. Files may have
// other names there, but are as deep in folders.
func (p *packing) folderOf(sessions []*source.Session) string {
	for _, s := range sessions {
		for i := range p.items {
			if p.items[i].Place == s.Place() && !s.InDatabase {
				return folderAbove(p.items[i].Path, strings.Count(s.Below, "/")+1)
			}
		}
	}
	return "."
}

// folderAbove returns the folder that is some levels above a path.
func folderAbove(name string, levels int) string {
	for range levels {
		name = path.Dir(name)
	}
	return name
}

func (p *packing) addMedia(folder string, media []source.MediaFile) {
	for _, m := range media {
		name := path.Join(folder, m.Below)
		if err := bundle.CheckName(name, bundle.Media); err != nil {
			p.Note("left out %v", err)
			continue
		}
		p.sources = append(p.sources, bundle.Source{
			Path: name, Kind: bundle.Media, Modified: m.Modified,
			WriteTo: func(_ context.Context, w io.Writer) error {
				in, err := m.Open()
				if err != nil {
					return err
				}
				defer in.Close()
				_, err = io.Copy(w, in)
				return err
			},
		})
	}
}

// plan lists the files that would be in the bundle.
func (p *packing) plan() error {
	r := newExportReport()
	for i := range p.sources {
		addExported(r, p.sources[i].Path, "", "would pack", 0)
	}
	return p.PrintReport(r)
}

// write writes the bundle. One that exists with the same content is left alone.
func (p *packing) write(out string) error {
	if err := cli.MayCreate(out, true, ""); err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(out))
	if err != nil {
		return cli.OutputError(out, err)
	}
	defer root.Close()
	p.beginProgress(p.items)
	manifest, err := bundle.Measure(p.Ctx, p.sources, p.options.redact)
	p.Progress.End()
	if err != nil {
		return p.packError(out, err)
	}
	if p.redactor != nil {
		p.Note("replaced %s", ui.Count(p.redactor.Counts.Total(), "secret"))
		writing.NoteLost(p.exporting.App, &p.redactor.Counts)
	}
	verdict, n, err := writing.Place(p.exporting.App, root, filepath.Base(out), time.Time{},
		func(w io.Writer) (int64, error) {
			counted := &cli.CountingWriter{Writer: w}
			err := bundle.Write(p.Ctx, counted, manifest, p.sources)
			return counted.N, err
		})
	if err != nil {
		return p.packError(out, err)
	}
	r := newExportReport()
	addExported(r, out, "", verdict, n)
	if err := p.report(r); err != nil {
		return err
	}
	p.Note("Packed %s, %s in all, into %s (%s).", ui.Count(len(p.items), "session"),
		ui.Count(len(manifest.Files), "file"), out, ui.Bytes(n))
	if p.redactor != nil {
		writing.BlameLeft(p.exporting.App, p.outcome, p.redactor.Counts.Left())
	}
	return p.outcome.Err()
}

// packError gives the error of a bundle that cannot be written its code.
func (p *packing) packError(out string, err error) error {
	var of *bundle.SourceError
	switch {
	case p.Ctx.Err() != nil:
		return cli.Interrupted(p.App)
	case errors.As(err, &of):
		return p.failed(&migrate.Item{Path: of.Source.Path}, of.Err)
	}
	return p.failed(&migrate.Item{Path: out}, err)
}
