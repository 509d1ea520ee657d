package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"clawctl/pkg/dbfile"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"

	"github.com/urfave/cli/v2"
)

func exportCommand() *command {
	return &command{
		name: "export", group: "move", summary: "the original files, byte for byte, out of clawctl's store or OpenClaw's database",
		about: "Writes the files that were imported under their original names, each source root in its own folder: the same bytes, with damaged lines, line ends and compression as they were, which is checked on the way; a file of which import had to leave out a line is reported. Beside the live sessions stands a sessions.json whose paths fit the new place.\n\n" +
			"--from may also be a database of OpenClaw's, or a state folder: its sessions come out as the JSONL files that OpenClaw had before its migration.\n\n" +
			"With --session the one session goes to -o FILE, or to stdout, in its current generation unless the name is that of another; with -o FOLDER/ the chosen files go there. A file that is there with the same content stays; with other content it is not replaced without --force.\n\n" +
			"With --as openclaw damaged lines are left out, and reported on stderr.",
		examples: []string{
			"clawctl export -o ~/history/",
			"clawctl export --session agent:main:main | jq -c 'select(.type==\"message\")'",
			"clawctl export --from ~/.openclaw/agents/main/agent/openclaw-agent.sqlite -o main/",
		},
		exits: []int{exitOK, exitUsage, exitDamaged, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append([]cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "a store of clawctl's, a database of OpenClaw's, or a `FOLDER`; default: as clawctl env shows"},
			&cli.StringFlag{Name: "as", Usage: "`FORM` of the records: openclaw converts every dialect to OpenClaw's version 3"},
			&cli.BoolFlag{Name: "dry-run", Usage: "list the files, but write nothing"},
		}, sourceFlags()...),
		operands: []string{},
		formats:  reportFormats,
		folders:  true,
		run:      runExport,
	}
}

func runExport(a *app, ctx *cli.Context) error {
	if err := noOperands(ctx); err != nil {
		return err
	}
	if as := ctx.String("as"); as != "" && as != "openclaw" {
		return usageError("clawctl help export", "--as is openclaw, not %q", as)
	}
	from, err := a.storePath(ctx.String("from"))
	if err != nil {
		return err
	}
	x := &exporting{app: a, from: from.value, worst: &reported{done: true}, convert: ctx.String("as") != "", force: ctx.Bool("force"), dryRun: ctx.Bool("dry-run")}
	out := ctx.String("output")
	folder := isFolderOutput(out, ctx.String("session") != "")
	sessions, err := x.find(ctx, !folder)
	if err != nil {
		return err
	}
	if x.items, err = a.exportItems(from.value, sessions); err != nil {
		return err
	}
	if x.convert {
		x.items = migrate.ConvertNames(x.items)
	}
	if folder {
		return x.toFolder(out)
	}
	return x.toFile(out)
}

// isFolderOutput decides what -o means: a folder where one is there, the name ends like one, or no session is named.
func isFolderOutput(out string, oneSession bool) bool {
	info, err := os.Stat(out)
	switch {
	case out == "" || out == "-":
		return false
	case err == nil:
		return info.IsDir()
	}
	return !oneSession || strings.HasSuffix(out, "/") || strings.HasSuffix(out, string(filepath.Separator))
}

// exportItems lists the files to be written.
func (a *app) exportItems(from string, sessions []*source.Session) ([]migrate.Item, error) {
	if !dbfile.Is(from) || !store.IsStore(a.ctx, from) {
		return migrate.SourceItems(sessions), nil
	}
	r, err := store.OpenReader(a.ctx, from)
	if err != nil {
		return nil, inputError(from, err)
	}
	a.cleanup = append(a.cleanup, func() { r.Close() })
	places := map[string]string{}
	for _, s := range sessions {
		places[s.Name()] = s.Place()
	}
	items, err := migrate.StoreItems(a.ctx, &r.View, func(key string) bool { return places[key] != "" })
	if err != nil {
		return nil, inputError(from, err)
	}
	for i := range items {
		items[i].Place = places[items[i].Session]
	}
	return items, nil
}

// An exporting is one run of the command.
type exporting struct {
	*app
	from    string
	worst   *reported
	items   []migrate.Item
	convert bool
	force   bool
	dryRun  bool
}

// find lists the sessions that are wanted. For one output that is one: of a session that is named, the one that cat
// would print.
func (x *exporting) find(ctx *cli.Context, one bool) ([]*source.Session, error) {
	kinds := source.Kinds
	if one && ctx.String("session") != "" {
		kinds = []source.Kind{source.Live}
	}
	f, err := x.app.find(ctx, []string{x.from}, kinds, false)
	if err != nil {
		return nil, err
	}
	if !f.named {
		x.blameProblems(x.worst, f)
	}
	if one && f.named {
		f.sessions = currentOf(f.sessions)
	}
	if one && len(f.sessions) > 1 {
		return nil, x.tooMany(f)
	}
	return f.sessions, nil
}

// currentOf leaves earlier generations out, unless there is nothing else.
func currentOf(sessions []*source.Session) []*source.Session {
	var current []*source.Session
	for _, s := range sessions {
		if s.Generation == "" {
			current = append(current, s)
		}
	}
	if len(current) == 0 {
		return sessions
	}
	return current
}

// tooMany is the error for sessions that do not go into one output. A folder takes them all.
func (x *exporting) tooMany(f *found) error {
	hint := x.commandLine("-o", "history/")
	if f.named {
		return usageError(hint, "the name fits %d sessions, and one output takes one: give --session the whole name of it, or name a folder.%s", len(f.sessions), nameList(f.sessions))
	}
	return usageError(hint, "%d sessions are too many for one output: name one with --session, or a folder", len(f.sessions))
}

// toFile writes the one session to a file or to stdout.
func (x *exporting) toFile(out string) error {
	item := fullest(x.items)
	if x.dryRun {
		return x.listOne(item, out)
	}
	if x.maySurvive(out) {
		return x.compareWith(out, item)
	}
	if err := x.openOutput(out, x.force); err != nil {
		return err
	}
	if _, err := x.write(x.output, item); err != nil {
		return x.failed(item, err)
	}
	return x.outcome()
}

// maySurvive reports whether -o names a file that stays where it has the same content.
func (x *exporting) maySurvive(out string) bool {
	if x.force || out == "" || out == "-" {
		return false
	}
	info, err := os.Lstat(out)
	return err == nil && info.Mode().IsRegular()
}

// compareWith makes sure that a file has the content that would be written to it.
func (x *exporting) compareWith(out string, item *migrate.Item) error {
	file, err := os.Open(out)
	if err != nil {
		return outputError(out, err)
	}
	defer file.Close()
	there := &comparingWriter{file: file}
	_, err = x.write(there, item)
	if err == nil {
		err = there.end()
	}
	if err != nil {
		return x.failed(&migrate.Item{Path: out, Session: item.Session}, err)
	}
	return x.outcome()
}

// fullest chooses among the files of one session: rather one with all of it than a part, rather the live file than a copy.
func fullest(items []migrate.Item) *migrate.Item {
	best := &items[0]
	for i := range items {
		it := &items[i]
		if it.Whole && !best.Whole || it.Whole == best.Whole && it.Live && !best.Live {
			best = it
		}
	}
	return best
}

// write writes an item in the form that is wanted. What a conversion leaves out is named, and counts as damage.
func (x *exporting) write(w io.Writer, item *migrate.Item) (n int64, err error) {
	x.tellLack(item)
	if !x.convert {
		return item.WriteTo(x.ctx, w)
	}
	damage := &damageLog{app: x.app, name: item.Place}
	if n, err = item.ConvertTo(x.ctx, w, damage.count); err != nil {
		return n, err
	}
	if err = damage.sumUp(); err == errDamaged {
		x.blame(x.worst, err)
		err = nil // the rest is written
	}
	return n, err
}

// tellLack reports a file that is not all of the original, because that was not imported wholly.
func (x *exporting) tellLack(item *migrate.Item) {
	if item.MissingBytes == 0 {
		return
	}
	x.blame(x.worst, &failure{
		exit: exitDamaged, code: codeLeftOut, path: item.Origin, hint: x.verifyHint(item), done: true,
		text: fmt.Sprintf("%d of its bytes were not imported, and are not exported", item.MissingBytes),
	})
}

// outcome is what the run ends with: the worst that was reported.
func (x *exporting) outcome() error {
	if x.worst.exit == exitOK {
		return nil
	}
	return x.worst
}

// failed gives the error of an item its report.
func (x *exporting) failed(item *migrate.Item, err error) error {
	switch {
	case x.ctx.Err() != nil:
		return errInterrupted
	case isClosedPipe(err), errors.As(err, new(*failure)):
		return err
	case errors.Is(err, errExists):
		return &failure{exit: exitUsage, code: codeExists, path: item.Path, text: err.Error(), hint: x.commandLine("--force")}
	case errors.Is(err, migrate.ErrDiffers):
		return &failure{exit: exitDatabase, code: codeDiffers, path: item.Session, text: "what the store holds is not what was imported", hint: x.verifyHint(item)}
	}
	return inputError(item.Session, err)
}

// verifyHint is the command that compares an item with the file it came from, where that is still there.
func (x *exporting) verifyHint(item *migrate.Item) string {
	if info, err := os.Stat(item.Origin); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return "clawctl verify " + shellQuote(item.Origin) + " --against " + shellQuote(x.from)
}

// An exportRow is the JSON form of a file.
type exportRow struct {
	SchemaVersion int    `json:"schema_version"`
	Path          string `json:"path"`
	Session       string `json:"session,omitempty"`
	Verdict       string `json:"verdict"`
	Bytes         int64  `json:"bytes"`
}

// toFolder writes all files below a folder. Nothing is written outside it, whatever names a store has.
func (x *exporting) toFolder(folder string) error {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return outputError(folder, err)
	}
	if x.dryRun {
		return x.list(folder)
	}
	if err := os.MkdirAll(absolute, 0o700); err != nil {
		return outputError(folder, err)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return outputError(folder, err)
	}
	defer root.Close()
	r := newExportReport()
	total := int64(0)
	for i := range x.items {
		item := &x.items[i]
		verdict, n, err := x.place(root, item.Path, item.Modified, func(w io.Writer) (int64, error) { return x.write(w, item) })
		if x.ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil { // one that cannot be written does not stop the others
			x.blame(x.worst, x.failed(item, err))
			continue
		}
		total += n
		r.add(exportRow{1, filepath.Join(folder, filepath.FromSlash(item.Path)), item.Session, verdict, n}, verdict, byteSize(n), filepath.Join(folder, filepath.FromSlash(item.Path)), item.Session)
		x.progress.show("exporting", int64(i), int64(len(x.items)))
	}
	if err := x.placeIndexes(root, folder, absolute, r); err != nil {
		return err
	}
	return x.finish(r, folder, total)
}

func newExportReport() *report {
	return &report{columns: []column{{"verdict", false}, {"size", true}, {"file", false}, {"session", false}}}
}

// list says what would be written.
func (x *exporting) list(folder string) error {
	r := newExportReport()
	for i := range x.items {
		r.addPlanned(filepath.Join(folder, filepath.FromSlash(x.items[i].Path)), &x.items[i])
	}
	return x.printReport(r)
}

// listOne says what would be written to one output.
func (x *exporting) listOne(item *migrate.Item, out string) error {
	r := newExportReport()
	r.addPlanned(cmp.Or(out, "-"), item)
	return x.printReport(r)
}

func (r *report) addPlanned(file string, item *migrate.Item) {
	r.add(exportRow{1, file, item.Session, "would write", 0}, "would write", "", file, item.Session)
}

func (x *exporting) placeIndexes(root *os.Root, folder, absolute string, r *report) error {
	indexes, err := migrate.Indexes(x.items, absolute, x.convert)
	if err != nil {
		return internalError(err)
	}
	for _, ix := range indexes {
		verdict, n, err := x.place(root, ix.Path, time.Time{}, func(w io.Writer) (int64, error) {
			n, err := w.Write(ix.Text)
			return int64(n), err
		})
		if err != nil {
			return x.failed(&migrate.Item{Path: filepath.Join(folder, ix.Path), Session: folder}, err)
		}
		file := filepath.Join(folder, filepath.FromSlash(ix.Path))
		r.add(exportRow{1, file, "", verdict, n}, verdict, byteSize(n), file, "")
	}
	return nil
}

func (x *exporting) finish(r *report, folder string, total int64) error {
	x.progress.clear()
	if x.format != "" || x.verbose {
		if err := x.printReport(r); err != nil {
			return err
		}
	}
	x.note("%s, %s, in %s", count(len(r.rows), "file"), byteSize(total), folder)
	return x.outcome()
}
