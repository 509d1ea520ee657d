package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
)

// toBundle writes the sessions to a bundle. It is complete, or it is not written.
func (x *exportRun) toBundle(out string) error {
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
	p := &packRun{exportRun: x, match: m}
	if err := p.collect(); err != nil {
		return err
	}
	if x.DryRun {
		r := newExportReport()
		for i := range p.files.Sources {
			addExported(r, exportRow{Path: p.files.Sources[i].Path, Verdict: "would pack"})
		}
		return x.PrintReport(r)
	}
	return p.write(out)
}

// A packRun is a bundle that is being made.
type packRun struct {
	*exportRun
	match    *source.Match
	files    migrate.Packer
	redactor *redact.Redactor
}

// collect lists what goes into the bundle, sorted by path.
func (p *packRun) collect() error {
	indexes, err := migrate.Registrations(p.items)
	if err != nil {
		return failure.Internal(err)
	}
	p.files.Read = jsonl.Options{Jobs: parallel.Share(0, 1, 1), BeforeRead: p.Ctx.Err}
	if p.Redact {
		if err := p.survey(indexes); err != nil {
			return err
		}
		p.files.Redactor = p.redactor
	}
	for i := range p.items {
		p.blameMissing(&p.items[i])
		p.files.AddTranscript(&p.items[i])
	}
	for _, index := range indexes {
		p.files.AddIndex(index)
	}
	if err := p.collectMedia(); err != nil {
		return err
	}
	if p.redactor != nil {
		for i := range p.files.Sources {
			p.redactor.KeepName(redact.FileName, p.files.Sources[i].Path)
		}
	}
	p.files.Sort()
	return nil
}

// survey looks for secrets in everything that is packed.
func (p *packRun) survey(indexes []migrate.Index) error {
	survey := redact.NewSurvey(p.rules...)
	for i := range p.items {
		in, err := p.items[i].OpenText(p.Ctx)
		if err == nil {
			_, err = survey.Session(in, p.files.Read)
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
	p.redactor.KeepCheckpoints = p.Keep
	return nil
}

// collectMedia adds the media files that the sessions mention, and what their programs keep beside them. Nobody can
// tell whether there are secrets in them, so a redacted bundle has none.
func (p *packRun) collectMedia() error {
	for place, sessions := range p.match.ByPlace() {
		if place == nil {
			continue
		}
		media, err := place.Media()
		if err != nil {
			return cli.InputError(place.Path, err)
		}
		mentioned, err := p.mentioned(sessions, media)
		if err != nil {
			return err
		}
		mentioned = append(mentioned, place.KeptBy(sessions)...)
		if len(mentioned) == 0 {
			continue
		}
		if p.Redact {
			p.Note("left %s out of the redacted bundle", ui.Count(len(mentioned), "media file"))
			continue
		}
		folder := migrate.FolderOf(p.items, sessions)
		for _, m := range mentioned {
			if err := p.files.AddMedia(folder, m); err != nil {
				p.Note("left out %v", err)
			}
		}
	}
	return nil
}

// mentioned returns the media files that sessions mention.
func (p *packRun) mentioned(sessions []*source.Session, media []source.MediaFile) (list []source.MediaFile, err error) {
	if len(media) == 0 {
		return nil, nil
	}
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
		p.Blame(err) // a damaged archive is packed as it is
	}
	for _, m := range media {
		if found[m.Name] {
			list = append(list, m)
		}
	}
	return list, nil
}

// write writes the bundle. One that exists with the same content is left alone.
func (p *packRun) write(out string) error {
	if err := cli.MayCreate(out, true, ""); err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(out))
	if err != nil {
		return cli.OutputError(out, err)
	}
	defer root.Close()
	p.beginProgress(p.items)
	manifest, err := bundle.Measure(p.Ctx, p.files.Sources, p.Redact)
	p.Progress.End()
	if err != nil {
		return p.packError(out, err)
	}
	if p.redactor != nil {
		p.Note("replaced %s", ui.Count(p.redactor.Counts.Total(), "secret"))
		writing.BlameLost(p.App, &p.redactor.Counts)
	}
	verdict, n, err := writing.Place(p.App, root, filepath.Base(out), time.Time{}, func(w io.Writer) (int64, error) {
		counted := &cli.CountingWriter{To: w}
		_, err := bundle.Write(p.Ctx, counted, manifest, p.files.Sources)
		return counted.N, err
	})
	if err != nil {
		return p.packError(out, err)
	}
	unread, problem := 0, ""
	for i := range p.items {
		if p.problemOf(&p.items[i]) != "" {
			unread++
			problem = ui.Count(unread, "file") + " cannot be read"
		}
	}
	r := newExportReport()
	addExported(r, exportRow{Path: out, Verdict: verdict, Bytes: n, Problem: problem})
	if err := p.report(r); err != nil {
		return err
	}
	p.Note("Packed %s, %s in all, into %s (%s).", ui.Count(len(p.items), "session"),
		ui.Count(len(manifest.Files), "file"), out, ui.Bytes(n))
	if p.redactor != nil {
		writing.BlameLeft(p.App, p.redactor.Counts.Left())
	}
	return p.Outcome.Err()
}

// packError gives the error of a bundle that cannot be written its code.
func (p *packRun) packError(out string, err error) error {
	if of := (*bundle.SourceError)(nil); errors.As(err, &of) {
		out, err = of.Source.Path, of.Err
	}
	return p.failed(&migrate.Item{Path: out}, err)
}
