package main

import (
	"io"
	"os"
	"path/filepath"
	"strconv"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/showing"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/page"
	"clawctl/pkg/redact"
	"clawctl/pkg/render"
	"clawctl/pkg/source"
	"clawctl/pkg/stats"
)

// An exportFolder is a folder that gets a file for each session.
type exportFolder struct {
	run   *exportRun
	path  string
	names page.Names
}

// folderAt returns the folder at a path. The names of its files have no secrets, unless --raw.
func (x *exportRun) folderAt(path string) *exportFolder {
	masker := &redact.Masker{Raw: x.options.raw, Rules: x.options.rules}
	return &exportFolder{run: x, path: path, names: page.Names{Mask: masker.Text}}
}

// nameOf chooses the name of a session's file.
func (f *exportFolder) nameOf(s *source.Session) string { return f.names.Of(s, f.run.form.end) }

// begin makes the folder. A folder with something in it is refused, because files of an earlier export would mix with
// the new ones.
func (f *exportFolder) begin() error {
	if err := atomicfile.MkdirAll(f.path); err != nil {
		return cli.OutputError(f.path, err)
	}
	entries, err := os.ReadDir(f.path)
	switch {
	case err != nil:
		return cli.OutputError(f.path, err)
	case len(entries) > 0 && !f.run.app.Output.Options.Force:
		return failure.Usage(f.run.app.CommandLine("--force"), "the folder %s is not empty", f.path)
	}
	return nil
}

// list prints the names of the files that would be written.
func (f *exportFolder) list(sessions []*source.Session) error {
	for _, s := range sessions {
		if err := f.run.app.Print(pathBelow(f.path, f.nameOf(s)) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// open returns the run with a file of the folder as its output.
func (f *exportFolder) open(name string) (*cli.App, error) {
	file := pathBelow(f.path, name)
	if err := atomicfile.MkdirAll(filepath.Dir(file)); err != nil {
		return nil, cli.OutputError(file, err)
	}
	return withOutput(f.run.app, file)
}

// withOutput returns the run with another output.
func withOutput(a *cli.App, file string) (*cli.App, error) {
	sub := *a
	sub.Output = cli.NewOutput(a.Output.Stdout)
	sub.Output.Options = cli.OutputOptions{Path: file, Force: a.Output.Options.Force, ForceHint: a.CommandLine("--force")}
	return &sub, sub.Output.Open()
}

// showProgress says which of the sessions is being written.
func (x *exportRun) showProgress(i, n int) {
	x.app.Progress.Rename("Writing " + strconv.Itoa(i+1) + " of " + strconv.Itoa(n))
}

// toHTML writes a page of every session, and a list of the pages.
func (x *exportRun) toHTML(folder string) error {
	return x.toPages(folder, true, func(s *showing.View) (page.Totals, error) { return s.WriteHTML() })
}

// toMarkdown writes a document of every session.
func (x *exportRun) toMarkdown(folder string) error {
	return x.toPages(folder, false, func(s *showing.View) (page.Totals, error) {
		return page.Totals{}, showing.PrintMarkdown(s)
	})
}

// toPages writes a page or a document of every session into a folder.
func (x *exportRun) toPages(folder string, isListed bool, write func(*showing.View) (page.Totals, error)) error {
	if folder == "" {
		return failure.Usage(x.app.CommandLine("-o", "pages/"), "--as %s needs a folder: -o", x.form.name)
	}
	m, err := x.find(false)
	if err != nil {
		return err
	}
	p := &pageExport{run: x, folder: x.folderAt(folder), write: write, pages: map[*source.Session]int{}}
	p.folder.names.Reserve("index")
	p.folder.names.Reserve("report")
	if x.options.dryRun {
		return p.folder.list(m.Sessions)
	}
	if err := p.folder.begin(); err != nil {
		return err
	}
	if !x.options.raw {
		writing.Masks(x.app, x.options.rules)
	}
	for i, s := range m.Sessions {
		x.showProgress(i, len(m.Sessions))
		if err := p.writeSession(s, !isListed); err != nil {
			return err
		}
	}
	if isListed && len(p.listed) > 0 {
		if err := p.writeList(m.Sessions); err != nil {
			return err
		}
	}
	x.app.Note("wrote %s to %s", ui.Count(len(p.listed), x.form.noun), folder)
	writing.BlameKept(x.app, x.outcome)
	return x.outcome.Err()
}

// A pageExport is a folder of pages that is being written.
type pageExport struct {
	run    *exportRun
	folder *exportFolder
	write  func(*showing.View) (page.Totals, error)
	listed []page.ListedSession
	pages  map[*source.Session]int // the places of sessions in listed
}

// writeSession writes the page of a session. A session that cannot be read is reported and left out.
func (p *pageExport) writeSession(s *source.Session, all bool) error {
	name, a := p.folder.nameOf(s), p.run.app
	sub, err := p.folder.open(name)
	if err != nil {
		return err
	}
	view := &showing.View{App: sub, Session: s, Options: &showing.Options{
		Tools: render.ToolsFull, Thinking: true, Raw: p.run.options.raw, Rules: p.run.options.rules, All: all,
	}}
	view.Facts.Name = s.Name()
	totals, err := p.write(view)
	if a.Ctx.Err() != nil {
		sub.Output.Abandon()
		return cli.Interrupted(a)
	}
	if closeErr := sub.Output.Finish(err); failure.KeepsOutput(err) && closeErr != nil {
		return closeErr
	}
	a.Blame(p.run.outcome, err)
	if !failure.KeepsOutput(err) {
		return nil
	}
	mask := p.folder.names.Mask
	p.pages[s] = len(p.listed)
	p.listed = append(p.listed, page.ListedSession{
		Totals: totals, Address: name, Name: mask(s.Name()), Agent: mask(s.Agent), Bytes: s.Bytes,
	})
	return nil
}

// writeList writes the list of the pages, and the report. Sessions may share records, so all are read again for their
// sum.
func (p *pageExport) writeList(sessions []*source.Session) error {
	a := p.run.app
	masker := &redact.Masker{Raw: p.run.options.raw, Rules: p.run.options.rules}
	catalogue, err := a.Catalogue()
	if err != nil {
		return err
	}
	opts := stats.Options{Zone: a.Zone, Catalogue: catalogue}
	report, all, err := showing.CollectReport(a, sessions, opts, masker)
	if err != nil {
		return err
	}
	report.Home, report.Page = "index.html", p.pageOf
	if err := p.writeFile("report.html", func(w io.Writer) error { return page.WriteReport(w, report) }); err != nil {
		return err
	}
	return p.writeFile("index.html", func(w io.Writer) error {
		return page.WriteIndex(w, "Sessions", p.listed, &all.Total, a.Zone, "report.html")
	})
}

// pageOf returns the title of a session and the address of its page, or nothing if it has none.
func (p *pageExport) pageOf(s *source.Session) (title, address string) {
	at, ok := p.pages[s]
	if !ok {
		return "", ""
	}
	return p.listed[at].Title, p.listed[at].Address
}

// writeFile writes a file of the folder that is not the page of a session.
func (p *pageExport) writeFile(name string, write func(io.Writer) error) error {
	sub, err := p.folder.open(name)
	if err != nil {
		return err
	}
	if err := write(sub.Output); err != nil {
		sub.Output.Abandon()
		return cli.OutputError(sub.Output.Name, err)
	}
	return sub.Output.Finish(nil)
}
