package main

import (
	"os"
	"path/filepath"
	"strconv"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/showing"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/export/page"
	"clawctl/pkg/read/render"
	"clawctl/pkg/source"
)

// An exportFolder is a folder that gets a file for each session.
type exportFolder struct {
	*exportRun
	path  string
	names page.Names
	used  map[string]bool // the folders of the files
}

// folderAt returns the folder at a path. The names of its files have no secrets, unless --raw.
func (x *exportRun) folderAt(path string) *exportFolder {
	masker := &redact.Masker{Raw: x.Raw, Rules: x.rules}
	return &exportFolder{exportRun: x, path: path, names: page.Names{Mask: masker.Text}, used: map[string]bool{}}
}

// nameOf chooses the name of a session's file.
func (f *exportFolder) nameOf(s *source.Session) string { return f.names.Of(s, f.form.end) }

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
	case len(entries) > 0 && !f.Output.Options.Force:
		return failure.Usage(f.CommandLine("--force"), "the folder %s is not empty", f.path)
	}
	return nil
}

// list prints the names of the files that would be written.
func (f *exportFolder) list(sessions []*source.Session) error {
	for _, s := range sessions {
		if err := f.Print(pathBelow(f.path, f.nameOf(s)) + "\n"); err != nil {
			return err
		}
	}
	return nil
}

// open returns the run with a file of the folder as its output. Call sync after the last file.
func (f *exportFolder) open(name string) (*cli.App, error) {
	file := pathBelow(f.path, name)
	if err := atomicfile.MkdirAll(filepath.Dir(file)); err != nil {
		return nil, cli.OutputError(file, err)
	}
	f.used[filepath.Dir(file)] = true
	return outputTo(f.App, cli.OutputOptions{Path: file, FolderLater: true})
}

// sync makes the names of all files durable.
func (f *exportFolder) sync() error {
	for folder := range f.used {
		if err := atomicfile.SyncFolder(folder); err != nil {
			return cli.OutputError(folder, err)
		}
	}
	return nil
}

// withOutput returns the run with another output.
func withOutput(a *cli.App, file string) (*cli.App, error) {
	return outputTo(a, cli.OutputOptions{Path: file})
}

// outputTo is withOutput with other options. What is replaced is up to those of the run.
func outputTo(a *cli.App, o cli.OutputOptions) (*cli.App, error) {
	sub := *a
	sub.Output = cli.NewOutput(a.Output.Stdout)
	o.Force, o.ForceHint = a.Output.Options.Force, a.CommandLine("--force")
	sub.Output.Options = o
	return &sub, sub.Output.Open()
}

// showProgress says which of the sessions is being written.
func (x *exportRun) showProgress(i, n int) {
	x.Progress.Rename("Writing " + strconv.Itoa(i+1) + " of " + strconv.Itoa(n))
}

// toPages writes a page or a document of every session into a folder, and a list of the pages.
func (x *exportRun) toPages(folder string) error {
	if folder == "" {
		return failure.Usage(x.CommandLine("-o", "pages/"), "--as %s needs a folder: -o", x.form.name)
	}
	m, err := x.find(false)
	if err != nil {
		return err
	}
	f := x.folderAt(folder)
	f.names.Reserve("index")
	f.names.Reserve("report")
	if x.DryRun {
		return f.list(m.Sessions)
	}
	if err := f.begin(); err != nil {
		return err
	}
	if !x.Raw {
		writing.Masks(x.App, x.rules)
	}
	isListed := x.As == "html"
	site := &showing.Site{App: x.App, Write: x.form.page, NameOf: f.nameOf, Open: f.open,
		Options: showing.Options{
			Tools: render.ToolsFull, Thinking: true, Raw: x.Raw, Rules: x.rules, All: !isListed,
		}}
	n, err := site.WriteAll(m.Sessions, isListed, x.showProgress)
	if err != nil {
		return err
	}
	if err := f.sync(); err != nil {
		return err
	}
	x.Note("wrote %s to %s", ui.Count(n, x.form.noun), folder)
	writing.BlameKept(x.App)
	return x.Outcome.Err()
}
