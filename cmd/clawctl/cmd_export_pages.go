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

// The forms that are made to be read.
const (
	asHTML     = "html"
	asMarkdown = "markdown"
)

// toPages writes a page or a document of every session into a folder, and a list of the pages.
func (x *exporting) toPages(folder string) error {
	if folder == "" {
		return failure.Usage(x.commandLine("-o", "pages/"), "--as %s needs a folder: -o", x.options.as)
	}
	m, err := x.find(false)
	if err != nil {
		return err
	}
	p := &pageExport{exporting: x, folder: folder}
	p.names.Reserve("index")
	if x.options.dryRun {
		return p.list(m.Sessions)
	}
	if err := p.begin(); err != nil {
		return err
	}
	if !x.options.raw {
		x.masks()
	}
	for i, s := range m.Sessions {
		x.progress.Rename("Writing " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(m.Sessions)))
		if err := p.write(s); err != nil {
			return err
		}
	}
	if err := p.finish(); err != nil {
		return err
	}
	x.note("wrote %s to %s", ui.Count(p.written, map[string]string{asHTML: "page", asMarkdown: "document"}[x.options.as]),
		folder)
	x.blameKept(x.outcome)
	return x.outcome.Err()
}

// A pageExport is a folder of pages that is being written.
type pageExport struct {
	*exporting
	folder  string
	names   page.Names
	listed  []page.ListedSession
	written int
}

// begin makes the folder. A folder with something in it is refused, because pages of an earlier export would mix with
// the new ones.
func (p *pageExport) begin() error {
	if err := atomicfile.MkdirAll(p.folder); err != nil {
		return outputError(p.folder, err)
	}
	entries, err := os.ReadDir(p.folder)
	switch {
	case err != nil:
		return outputError(p.folder, err)
	case len(entries) > 0 && !p.output.options.force:
		return failure.Usage(p.commandLine("--force"), "the folder %s is not empty", p.folder)
	}
	return nil
}

// list prints the names of the files that would be written.
func (p *pageExport) list(sessions []*source.Session) error {
	for _, s := range sessions {
		if err := p.print(filepath.Join(p.folder, filepath.FromSlash(p.nameOf(s))) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// write writes the page of a session. A session that cannot be read is reported and left out.
func (p *pageExport) write(s *source.Session) error {
	name := p.nameOf(s)
	file := filepath.Join(p.folder, filepath.FromSlash(name))
	if err := atomicfile.MkdirAll(filepath.Dir(file)); err != nil {
		return outputError(file, err)
	}
	sub, err := p.withOutput(file)
	if err != nil {
		return err
	}
	showing := &showing{app: sub, session: s, options: &showOptions{
		tools: render.ToolsFull, thinking: true, raw: p.options.raw, all: p.options.as == asMarkdown,
	}}
	showing.facts.name = s.Name()
	var totals page.Totals
	if p.options.as == asHTML {
		totals, err = showing.writeHTML()
	} else {
		err = printMarkdown(showing)
	}
	if p.ctx.Err() != nil {
		sub.output.abandon()
		return interrupted(p.app)
	}
	if closeErr := sub.output.finish(err); failure.KeepsOutput(err) && closeErr != nil {
		return closeErr
	}
	p.blame(p.outcome, err)
	if !failure.KeepsOutput(err) {
		return nil
	}
	p.written++
	p.keepFileName(name)
	p.listed = append(p.listed, page.ListedSession{
		Totals: totals, Address: name, Name: s.Name(), Agent: s.Agent, Bytes: s.Bytes,
	})
	return nil
}

// withOutput returns the run with another output.
func (a *app) withOutput(file string) (*app, error) {
	sub := *a
	sub.output = newOutput(a.output.stdout)
	sub.output.options = outputOptions{path: file, force: a.output.options.force, forceHint: a.commandLine("--force")}
	return &sub, sub.output.open()
}

// nameOf chooses the name of a session's file.
func (p *pageExport) nameOf(s *source.Session) string { return p.names.Of(s, formEnds[p.options.as]) }

// formEnds are the ends of the names of files that have one session each.
var formEnds = map[string]string{asHTML: ".html", asMarkdown: ".md", asATIF: ".json", asFinetune: ".jsonl"}

// finish writes the list of the pages.
func (p *pageExport) finish() error {
	if p.options.as != asHTML || p.written == 0 {
		return nil
	}
	sub, err := p.withOutput(filepath.Join(p.folder, "index.html"))
	if err != nil {
		return err
	}
	if err := page.WriteIndex(sub.output, "Sessions", p.listed); err != nil {
		sub.output.abandon()
		return outputError(sub.output.name, err)
	}
	return sub.output.finish(nil)
}
