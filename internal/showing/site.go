package showing

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/export/page"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// A Site is a folder with a page of each session that is being written, and a list of the pages.
type Site struct {
	App     *cli.App
	Options Options // of every session
	// Write writes a session to the output of its run. NameOf chooses its file, and Open opens a file of the folder.
	Write  func(*View) (page.Totals, error)
	NameOf func(*source.Session) string
	Open   func(name string) (*cli.App, error)

	words  *page.Words // nil: there is no list
	listed []page.ListedSession
	pages  map[*source.Session]int // the places of sessions in listed

	written []*cli.Output // of pages that are complete, but do not have their names yet
}

// pagesAtOnce is how many pages are made durable at the same time. A disk takes about as long for several as for one.
const pagesAtOnce = 16

// WriteAll writes the pages of sessions, and returns how many there are. With isListed, they get a list that can be
// searched, and a report. progress is called before each session.
func (x *Site) WriteAll(sessions []*source.Session, isListed bool, progress func(i, n int)) (int, error) {
	x.pages = map[*source.Session]int{}
	if isListed {
		x.words = page.NewWords(os.TempDir(), x.writeBytes)
		defer x.words.Close()
	}
	defer x.abandonPages()
	for i, s := range sessions {
		progress(i, len(sessions))
		if err := x.writeSession(s); err != nil {
			return 0, err
		}
	}
	if err := x.finishPages(); err != nil {
		return 0, err
	}
	if !isListed || len(x.listed) == 0 {
		return len(x.listed), nil
	}
	return len(x.listed), x.writeList(sessions)
}

// writeSession writes the page of a session. A session that cannot be read is reported and left out.
func (x *Site) writeSession(s *source.Session) error {
	name := x.NameOf(s)
	sub, err := x.Open(name)
	if err != nil {
		return err
	}
	options := x.Options
	view := &View{App: sub, Session: s, Options: &options}
	view.Facts.Name = s.Name()
	first := 0
	if x.words != nil {
		view.words, view.home = x.words, strings.Repeat("../", strings.Count(name, "/"))+listName
		first = x.words.Pieces()
	}
	totals, err := x.Write(view)
	if x.App.Ctx.Err() != nil {
		sub.Output.Abandon()
		return cli.Interrupted(x.App)
	}
	x.App.Blame(err)
	if !failure.KeepsOutput(err) {
		sub.Output.Abandon()
		return nil
	}
	x.list(s, page.ListedSession{Totals: totals, Address: name, FirstPiece: first})
	if x.written = append(x.written, sub.Output); len(x.written) < pagesAtOnce {
		return nil
	}
	return x.finishPages()
}

// finishPages makes the written pages durable, and gives them their names.
func (x *Site) finishPages() error {
	none := func() struct{} { return struct{}{} }
	finish := func(_ context.Context, _ struct{}, i int) error { return x.written[i].Finish(nil) }
	err := parallel.Run(x.App.Ctx, len(x.written), pagesAtOnce, none, finish)
	if x.App.Ctx.Err() != nil {
		return cli.Interrupted(x.App)
	}
	if err == nil {
		x.written = x.written[:0]
	}
	return err
}

// abandonPages removes the pages that have no names after an error.
func (x *Site) abandonPages() {
	for _, output := range x.written {
		output.Abandon()
	}
}

func (x *Site) list(s *source.Session, row page.ListedSession) {
	mask := x.masker().Text
	row.Name, row.Agent, row.Kind, row.Bytes = mask(s.Name()), mask(s.Agent), s.Kind, s.Bytes
	if x.words != nil {
		row.EndPiece = x.words.Pieces()
	}
	x.pages[s] = len(x.listed)
	x.listed = append(x.listed, row)
}

func (x *Site) masker() *redact.Masker {
	return &redact.Masker{Raw: x.Options.Raw, Rules: x.Options.Rules}
}

// The files of a site that are not the page of a session.
const (
	listName   = "index.html"
	reportName = "report.html"
)

// writeList writes the list of the pages, and the report. Sessions may share records, so all are read again for their
// sum.
func (x *Site) writeList(sessions []*source.Session) error {
	if err := x.words.Finish(); err != nil {
		return indexError(err)
	}
	copies := source.Originals(x.App.Ctx, sessions, 0)
	for copied, original := range copies.Folded(slices.Collect(maps.Keys(x.pages))) {
		_, x.listed[x.pages[copied]].Original = x.pageOf(original)
	}
	catalogue, err := x.App.Catalogue()
	if err != nil {
		return err
	}
	opts := stats.Options{Zone: x.App.Zone, Catalogue: catalogue}
	report, all, err := CollectReport(x.App, sessions, opts, x.masker())
	if err != nil {
		return err
	}
	report.Home, report.Page = listName, x.pageOf
	if err := x.writeFile(reportName, func(w io.Writer) error { return page.WriteReport(w, report) }); err != nil {
		return err
	}
	list := &page.List{Title: "Sessions", Sessions: x.listed, Total: &all.Total, Zone: x.App.Zone, Report: reportName,
		Words: x.words}
	return x.writeFile(listName, list.Write)
}

// indexError is the failure of the index of words: of a file of the site, or of a temporary one.
func indexError(err error) error {
	if errors.As(err, new(*failure.Error)) {
		return err
	}
	return cli.InputError(os.TempDir(), err)
}

// pageOf returns the title of a session and the address of its page, or nothing if it has none.
func (x *Site) pageOf(s *source.Session) (title, address string) {
	at, ok := x.pages[s]
	if !ok {
		return "", ""
	}
	return x.listed[at].Title, x.listed[at].Address
}

func (x *Site) writeBytes(name string, content []byte) error {
	return x.writeFile(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// writeFile writes a file of the folder that is not the page of a session.
func (x *Site) writeFile(name string, write func(io.Writer) error) error {
	sub, err := x.Open(name)
	if err != nil {
		return err
	}
	if err := write(sub.Output); err != nil {
		sub.Output.Abandon()
		return cli.OutputError(sub.Output.Name, err)
	}
	return sub.Output.Finish(nil)
}
