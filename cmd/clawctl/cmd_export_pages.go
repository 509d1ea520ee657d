package main

import (
	"os"
	"path/filepath"
	"strconv"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/page"
	"clawctl/pkg/render"
	"clawctl/pkg/source"
)

// An exportFolder is a folder that gets a file for each session.
type exportFolder struct {
	run   *exportRun
	path  string
	names page.Names
}

// nameOf chooses the name of a session's file.
func (f *exportFolder) nameOf(s *source.Session) string { return f.names.Of(s, f.run.form.end) }

// begin makes the folder. A folder with something in it is refused, because files of an earlier export would mix with
// the new ones.
func (f *exportFolder) begin() error {
	if err := atomicfile.MkdirAll(f.path); err != nil {
		return outputError(f.path, err)
	}
	entries, err := os.ReadDir(f.path)
	switch {
	case err != nil:
		return outputError(f.path, err)
	case len(entries) > 0 && !f.run.app.output.options.force:
		return failure.Usage(f.run.app.commandLine("--force"), "the folder %s is not empty", f.path)
	}
	return nil
}

// list prints the names of the files that would be written.
func (f *exportFolder) list(sessions []*source.Session) error {
	for _, s := range sessions {
		if err := f.run.app.print(pathBelow(f.path, f.nameOf(s)) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// open returns the run with a file of the folder as its output.
func (f *exportFolder) open(name string) (*app, error) {
	file := pathBelow(f.path, name)
	if err := atomicfile.MkdirAll(filepath.Dir(file)); err != nil {
		return nil, outputError(file, err)
	}
	return f.run.app.withOutput(file)
}

// withOutput returns the run with another output.
func (a *app) withOutput(file string) (*app, error) {
	sub := *a
	sub.output = newOutput(a.output.stdout)
	sub.output.options = outputOptions{path: file, force: a.output.options.force, forceHint: a.commandLine("--force")}
	return &sub, sub.output.open()
}

// showProgress says which of the sessions is being written.
func (x *exportRun) showProgress(i, n int) {
	x.app.progress.Rename("Writing " + strconv.Itoa(i+1) + " of " + strconv.Itoa(n))
}

// toHTML writes a page of every session, and a list of the pages.
func (x *exportRun) toHTML(folder string) error {
	return x.toPages(folder, true, func(s *showing) (page.Totals, error) { return s.writeHTML() })
}

// toMarkdown writes a document of every session.
func (x *exportRun) toMarkdown(folder string) error {
	return x.toPages(folder, false, func(s *showing) (page.Totals, error) { return page.Totals{}, printMarkdown(s) })
}

// toPages writes a page or a document of every session into a folder.
func (x *exportRun) toPages(folder string, isListed bool, write func(*showing) (page.Totals, error)) error {
	if folder == "" {
		return failure.Usage(x.app.commandLine("-o", "pages/"), "--as %s needs a folder: -o", x.form.name)
	}
	m, err := x.find(false)
	if err != nil {
		return err
	}
	p := &pageExport{run: x, folder: &exportFolder{run: x, path: folder}, write: write}
	p.folder.names.Reserve("index")
	if x.options.dryRun {
		return p.folder.list(m.Sessions)
	}
	if err := p.folder.begin(); err != nil {
		return err
	}
	if !x.options.raw {
		x.app.masks()
	}
	for i, s := range m.Sessions {
		x.showProgress(i, len(m.Sessions))
		if err := p.writeSession(s, !isListed); err != nil {
			return err
		}
	}
	if isListed && len(p.listed) > 0 {
		if err := p.writeList(); err != nil {
			return err
		}
	}
	x.app.note("wrote %s to %s", ui.Count(len(p.listed), x.form.noun), folder)
	x.app.blameKept(x.outcome)
	return x.outcome.Err()
}

// A pageExport is a folder of pages that is being written.
type pageExport struct {
	run    *exportRun
	folder *exportFolder
	write  func(*showing) (page.Totals, error)
	listed []page.ListedSession
}

// writeSession writes the page of a session. A session that cannot be read is reported and left out.
func (p *pageExport) writeSession(s *source.Session, all bool) error {
	name, a := p.folder.nameOf(s), p.run.app
	sub, err := p.folder.open(name)
	if err != nil {
		return err
	}
	showing := &showing{app: sub, session: s, options: &showOptions{
		tools: render.ToolsFull, thinking: true, raw: p.run.options.raw, all: all,
	}}
	showing.facts.name = s.Name()
	totals, err := p.write(showing)
	if a.ctx.Err() != nil {
		sub.output.abandon()
		return interrupted(a)
	}
	if closeErr := sub.output.finish(err); failure.KeepsOutput(err) && closeErr != nil {
		return closeErr
	}
	a.blame(p.run.outcome, err)
	if !failure.KeepsOutput(err) {
		return nil
	}
	a.keepFileName(name)
	p.listed = append(p.listed, page.ListedSession{
		Totals: totals, Address: name, Name: s.Name(), Agent: s.Agent, Bytes: s.Bytes,
	})
	return nil
}

// writeList writes the list of the pages.
func (p *pageExport) writeList() error {
	sub, err := p.folder.open("index.html")
	if err != nil {
		return err
	}
	if err := page.WriteIndex(sub.output, "Sessions", p.listed); err != nil {
		sub.output.abandon()
		return outputError(sub.output.name, err)
	}
	return sub.output.finish(nil)
}
