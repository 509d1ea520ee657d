package main

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/showing"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
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
		return failure.Usage(x.CommandLine("-o", "pages/"), "--as %s needs a folder: -o", x.options.as)
	}
	m, err := x.find(false)
	if err != nil {
		return err
	}
	p := &pageExport{exporting: x, folder: folder, taken: map[string]bool{"index": true}}
	if x.options.dryRun {
		return p.list(m.Sessions)
	}
	if err := p.begin(); err != nil {
		return err
	}
	if !x.options.raw {
		writing.Masks(x.App)
	}
	for i, s := range m.Sessions {
		x.Progress.Rename("Writing " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(m.Sessions)))
		if err := p.write(s); err != nil {
			return err
		}
	}
	if err := p.finish(); err != nil {
		return err
	}
	x.Note("wrote %s to %s", ui.Count(p.written, map[string]string{asHTML: "page", asMarkdown: "document"}[x.options.as]),
		folder)
	writing.BlameKept(x.App, x.outcome)
	return x.outcome.Err()
}

// A pageExport is a folder of pages that is being written.
type pageExport struct {
	*exporting
	folder  string
	taken   map[string]bool // names of pages, without their ends
	listed  []page.ListedSession
	written int
}

// begin makes the folder. A folder with something in it is refused, because pages of an earlier export would mix with
// the new ones.
func (p *pageExport) begin() error {
	if err := atomicfile.MkdirAll(p.folder); err != nil {
		return cli.OutputError(p.folder, err)
	}
	entries, err := os.ReadDir(p.folder)
	switch {
	case err != nil:
		return cli.OutputError(p.folder, err)
	case len(entries) > 0 && !p.Output.Options.Force:
		return failure.Usage(p.CommandLine("--force"), "the folder %s is not empty", p.folder)
	}
	return nil
}

// list prints the names of the files that would be written.
func (p *pageExport) list(sessions []*source.Session) error {
	for _, s := range sessions {
		if err := p.Print(filepath.Join(p.folder, filepath.FromSlash(p.nameOf(s))) + "\n"); err != nil {
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
		return cli.OutputError(file, err)
	}
	sub, err := withOutput(p.exporting.App, file)
	if err != nil {
		return err
	}
	view := &showing.View{App: sub, Session: s, Options: &showing.Options{
		Tools: render.ToolsFull, Thinking: true, Raw: p.options.raw, All: p.options.as == asMarkdown,
	}}
	view.Facts.Name = s.Name()
	var totals page.Totals
	if p.options.as == asHTML {
		totals, err = view.WriteHTML()
	} else {
		err = showing.PrintMarkdown(view)
	}
	if p.Ctx.Err() != nil {
		sub.Output.Abandon()
		return cli.Interrupted(p.App)
	}
	if closeErr := sub.Output.Finish(err); failure.KeepsOutput(err) && closeErr != nil {
		return closeErr
	}
	p.Blame(p.outcome, err)
	if !failure.KeepsOutput(err) {
		return nil
	}
	p.written++
	writing.KeepFileName(p.exporting.App, name)
	p.listed = append(p.listed, page.ListedSession{
		Totals: totals, Address: name, Name: s.Name(), Agent: s.Agent, Bytes: s.Bytes,
	})
	return nil
}

// withOutput returns the run with another output.
func withOutput(a *cli.App, file string) (*cli.App, error) {
	sub := *a
	sub.Output = cli.NewOutput(a.Output.Stdout)
	sub.Output.Options = cli.OutputOptions{Path: file, Force: a.Output.Options.Force, ForceHint: a.CommandLine("--force")}
	return &sub, sub.Output.Open()
}

// nameOf chooses the name of a session's page: the agent's folder, and what identifies the session. It is the same in
// every export, so links into the page stay valid.
func (p *pageExport) nameOf(s *source.Session) string {
	name := fileSafe(s.Name())
	if s.Agent != "" {
		name = path.Join(fileSafe(s.Agent), fileSafe(strings.TrimPrefix(s.Name(), "agent:"+s.Agent+":")))
	}
	unique := name
	for i := 2; p.taken[strings.ToLower(unique)]; i++ {
		unique = name + "-" + strconv.Itoa(i)
	}
	p.taken[strings.ToLower(unique)] = true
	return unique + formEnds[p.options.as]
}

// formEnds are the ends of the names of files that have one session each.
var formEnds = map[string]string{asHTML: ".html", asMarkdown: ".md", asATIF: ".json", asFinetune: ".jsonl"}

// maxFileName is the longest name of a page, without its end.
const maxFileName = 120

// fileSafe turns a name into one that every file system takes.
func fileSafe(name string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '@' || r == '_' {
			return r
		}
		return '-'
	}, name)
	if safe = strings.Trim(safe, ".-"); safe == "" {
		return "session"
	}
	return safe[:min(len(safe), maxFileName)]
}

// finish writes the list of the pages.
func (p *pageExport) finish() error {
	if p.options.as != asHTML || p.written == 0 {
		return nil
	}
	sub, err := withOutput(p.exporting.App, filepath.Join(p.folder, "index.html"))
	if err != nil {
		return err
	}
	if err := page.WriteIndex(sub.Output, "Sessions", p.listed); err != nil {
		sub.Output.Abandon()
		return cli.OutputError(sub.Output.Name, err)
	}
	return sub.Output.Finish(nil)
}
