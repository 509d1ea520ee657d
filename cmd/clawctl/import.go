package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"clawctl/pkg/dbfile"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"

	"github.com/urfave/cli/v2"
)

func importCommand() *command {
	return &command{
		name: "import", group: "move", args: "[SOURCE]...", summary: "bring sessions into SQLite, exactly, and compare what was written",
		about: "Reads every transcript of SOURCE, live and archived, into clawctl's store: a database with the tables sessions and messages, which any program can query. Without SOURCE it reads your state folder. " +
			"Nothing of a source is changed, moved or locked; a gateway may go on writing.\n\n" +
			"A damaged line costs that line alone: it is kept in quarantine and located. A file that you name, or stdin, is refused where none of its lines is a record. A transcript whose text the store has, or has the beginning of, is noted as a copy. Other text of a known session becomes a generation of it, KEY@GENERATION; nothing is ever overwritten.\n\n" +
			"Run it as often as you like: an unchanged file costs a look at its size and time, an appended one its new lines, and an interrupted import goes on where it was. " +
			"Before a session is reported as done, it is committed, read back and compared with its source.\n\n" +
			"The summary on stderr names no file and no key, so that it can be pasted. -v or --format table lists what became of each source; --json gives an object for each, then one with the sums.",
		examples: []string{
			"clawctl import",
			"clawctl import ~/backup/.openclaw --to backup.db",
			"clawctl import --inherit agent:main:main --into goclaw:main:main",
			"clawctl import --quiet || echo 'clawctl import needs a look' # from cron",
		},
		exits: []int{exitOK, exitUsage, exitDamaged, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append([]cli.Flag{
			&cli.StringFlag{Name: "to", Usage: "the store, a `FILE`; default: as clawctl env shows"},
			&cli.BoolFlag{Name: "dry-run", Usage: "read and compare, but write nothing"},
			&cli.StringFlag{Name: "since", Usage: "only sessions whose last record is from this `TIME` on"},
			&cli.BoolFlag{Name: "strict", Usage: "refuse a transcript that has a damaged line"},
			&cli.IntFlag{Name: "jobs", Usage: "read `N` transcripts at a time; default: 4"},
			&cli.StringFlag{Name: "inherit", Usage: "begin a session with what the session `KEY` of SOURCE led to: the records of its active path"},
			&cli.StringFlag{Name: "into", Usage: "the `KEY` of the session that --inherit begins"},
			lockFlag(),
		}, sourceFlags()...),
		formats: reportFormats,
		run:     runImport,
	}
}

func runImport(a *app, ctx *cli.Context) error {
	if ctx.IsSet("inherit") || ctx.IsSet("into") {
		return a.inherit(ctx)
	}
	since, err := a.parseMoment(ctx, "since")
	if err != nil {
		return err
	}
	args, target, err := a.importEnds(ctx)
	if err != nil {
		return err
	}
	worst := &reported{done: true}
	f, err := a.findSources(ctx, args, worst)
	if err != nil {
		return err
	}
	sessions := a.onlyTranscripts(f, worst)
	if err := notIntoItself(sessions, target); err != nil {
		return err
	}
	im := &importing{app: a, target: target, worst: worst, begun: a.now(), sums: importSums{SchemaVersion: 1, Summary: true, Outcomes: map[migrate.Verdict]int{}}}
	im.sums.DryRun = ctx.Bool("dry-run")
	if len(sessions) == 0 {
		return im.finish() // and makes no store
	}
	return im.run(sessions, ctx.Duration("lock-timeout"), migrate.Options{
		Strict: ctx.Bool("strict"), Since: since, Jobs: ctx.Int("jobs"), Clock: a.now,
	})
}

// importEnds are where an import reads, and the store that it writes.
func (a *app) importEnds(ctx *cli.Context) (args []string, target string, err error) {
	if args, err = a.importSources(ctx); err != nil {
		return nil, "", err
	}
	own, err := a.storePath(ctx.String("to"))
	if err != nil {
		return nil, "", err
	}
	if info, err := os.Stat(own.value); err == nil && info.IsDir() {
		return nil, "", usageError(a.commandLine("--to", filepath.Join(own.value, "sessions.db")), "%s is a folder, and the store is a file", own.value)
	}
	return args, own.value, nil
}

// importSources are the arguments, else what the configuration says, else the state folder.
func (a *app) importSources(ctx *cli.Context) ([]string, error) {
	if args := ctx.Args().Slice(); len(args) > 0 {
		return args, nil
	}
	c, err := a.configuration()
	if err != nil {
		return nil, err
	}
	switch {
	case !c.Session.Inherit.Enabled:
		return nil, usageError("clawctl import ~/.openclaw", "the configuration turns inheriting off: name what to import")
	case c.Session.InheritSource() != "":
		return []string{expandHome(c.Session.InheritSource())}, nil
	}
	return a.stateDir()
}

// notIntoItself refuses to import a store into itself.
func notIntoItself(sessions []*source.Session, target string) error {
	for _, s := range sessions {
		if s.InDatabase && isSameFile(s.Path, target) {
			return usageError("clawctl env", "%s is both source and target", target)
		}
	}
	return nil
}

// An importing is one run of the command.
type importing struct {
	*app
	target string
	worst  *reported
	begun  time.Time
	rows   report
	sums   importSums
	total  int64
	read   int64
}

// importSums is the last object of --json.
type importSums struct {
	SchemaVersion int                     `json:"schema_version"`
	Summary       bool                    `json:"summary"`
	Sources       int                     `json:"sources"`
	Outcomes      map[migrate.Verdict]int `json:"outcomes"`
	Records       int64                   `json:"records"`
	Damaged       int64                   `json:"damaged"`
	Bytes         int64                   `json:"bytes"`
	Seconds       float64                 `json:"seconds"`
	DryRun        bool                    `json:"dry_run,omitempty"`
}

func (im *importing) run(sessions []*source.Session, timeout time.Duration, opts migrate.Options) error {
	defer collectLess()()
	for _, s := range sessions {
		im.total += s.Bytes
	}
	im.rows.columns = []column{{"verdict", false}, {"records", true}, {"damaged", true}, {"size", true}, {"session", false}, {"source", false}}
	opts.Done = im.done
	opts.Progress = func(n int64) {
		im.read += n
		im.progress.show("importing", im.read, im.total)
	}
	var err error
	if im.sums.DryRun {
		err = im.rehearse(sessions, opts)
	} else {
		err = im.bringIn(sessions, timeout, opts)
	}
	im.progress.clear()
	switch {
	case err == nil:
		return im.finish()
	case im.ctx.Err() != nil:
		return errInterrupted
	}
	return targetError(im.app, im.target, err)
}

// bringIn imports into the store.
func (im *importing) bringIn(sessions []*source.Session, timeout time.Duration, opts migrate.Options) error {
	st, err := store.Open(im.ctx, im.target, store.Options{LockTimeout: max(timeout, time.Millisecond)})
	if err != nil {
		return err
	}
	return errors.Join(migrate.Import(im.ctx, st, sessions, opts), st.Close())
}

// rehearse is a dry run. It only reads the store, if there is one.
func (im *importing) rehearse(sessions []*source.Session, opts migrate.Options) error {
	if info, err := os.Stat(im.target); errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return migrate.Rehearse(im.ctx, nil, sessions, opts)
	}
	r, err := store.OpenReader(im.ctx, im.target)
	if err != nil {
		return err
	}
	defer r.Close()
	return migrate.Rehearse(im.ctx, &r.View, sessions, opts)
}

// targetError gives an error of the store its report.
func targetError(a *app, path string, err error) error {
	var f *failure
	errors.As(inputError(path, err), &f)
	switch {
	case errors.Is(err, dbfile.ErrLocked):
		f.hint = a.commandLine("--lock-timeout", "10m")
	case errors.Is(err, dbfile.ErrForeign):
		f.text = "not a store of clawctl's, and left as it is" // OpenClaw's own are read, never written
	case f.code == codeIO && (strings.Contains(err.Error(), "full") || errors.Is(err, syscall.ENOSPC)):
		f.text, f.hint = "the disk is full; what was reported as done is safe", "df -h "+shellQuote(filepath.Dir(path))
	}
	return f
}

// An importRow is the JSON form of an outcome.
type importRow struct {
	SchemaVersion int             `json:"schema_version"`
	Verdict       migrate.Verdict `json:"verdict"`
	Session       string          `json:"session,omitempty"`
	Source        string          `json:"source"`
	Kind          source.Kind     `json:"kind"`
	Records       int64           `json:"records"`
	Lines         int64           `json:"lines"`
	Bytes         int64           `json:"bytes"`
	Damaged       int64           `json:"damaged"`
	DamagedLine   int64           `json:"damaged_line,omitempty"`
	Error         *errorBody      `json:"error,omitempty"`
}

// done takes one outcome.
func (im *importing) done(o migrate.Outcome) {
	im.sums.Sources++
	im.sums.Outcomes[o.Verdict]++
	im.sums.Records += o.Records
	im.sums.Damaged += o.Damaged
	im.sums.Bytes += o.Bytes
	row := importRow{SchemaVersion: 1, Verdict: o.Verdict, Session: o.Key, Source: o.Session.Place(), Kind: o.Session.Kind, Records: o.Records, Lines: o.Lines, Bytes: o.Bytes, Damaged: o.Damaged}
	if o.Damage != nil {
		row.DamagedLine = o.Damage.Line
		im.tellDamage(o)
	}
	if o.Err != nil {
		f := im.outcomeFailure(o)
		row.Error = &errorBody{f.code, f.text, f.hint, f.path, f.line}
		im.blame(im.worst, f)
	}
	im.rows.add(row, string(o.Verdict), fmt.Sprint(o.Records), fmt.Sprint(o.Damaged), byteSize(o.Bytes), o.Key, o.Session.Place())
}

// tellDamage reports the damage of one source: it is kept, and counts once, when it is new.
func (im *importing) tellDamage(o migrate.Outcome) {
	var f *failure
	errors.As(inputError(o.Session.Place(), o.Damage), &f)
	f.done = true
	if o.Damaged > 1 {
		f.text += ", and " + count(int(o.Damaged-1), "more damaged line")
	}
	if o.Damage.Code == jsonl.TooLong {
		f.text += "; it was not imported"
	}
	im.blame(im.worst, f)
}

// outcomeFailure says why a source was left out.
func (im *importing) outcomeFailure(o migrate.Outcome) *failure {
	var f *failure
	errors.As(inputError(o.Session.Place(), o.Err), &f)
	f.done = true
	switch {
	case errors.Is(o.Err, migrate.ErrSourceChanged):
		f.exit, f.code, f.text, f.hint = exitDamaged, codeChanged, migrate.ErrSourceChanged.Error()+"; it was left out", "clawctl import "+shellQuote(o.Session.Path)
	case errors.Is(o.Err, migrate.ErrDiffers):
		f.code, f.text = codeDiffers, migrate.ErrDiffers.Error()
	case f.code == codeCompression:
		f.hint = fmt.Sprintf("clawctl cat -q %s | clawctl import - --to %s", shellQuote(o.Session.Path), shellQuote(im.target)) // as far as it can be read
	case f.exit == exitUsage:
		f.exit = exitDamaged // one source that cannot be read is skipped
	}
	return f
}

// finish prints the report and the summary.
func (im *importing) finish() error {
	im.sums.Seconds = im.now().Sub(im.begun).Seconds()
	if im.format != "" || im.verbose {
		if im.json {
			im.rows.add(im.sums)
		}
		if err := im.printReport(&im.rows); err != nil {
			return err
		}
	}
	im.note("%s", im.sums.line())
	if im.worst.exit == exitOK {
		return nil
	}
	return im.worst
}

// line is the summary for people. It names nothing of theirs.
func (s importSums) line() string {
	if s.Sources == 0 {
		return "nothing to import"
	}
	var parts []string
	for _, v := range []struct {
		verdict migrate.Verdict
		words   string
	}{
		{migrate.New, "%d new"}, {migrate.Generation, "%d of another generation"}, {migrate.Grown, "%d grown"}, {migrate.Copy, "%d already there"},
		{migrate.Unchanged, "%d unchanged"}, {migrate.Older, "%d older"}, {migrate.Refused, "%d refused"},
	} {
		if n := s.Outcomes[v.verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf(v.words, n))
		}
	}
	did := "imported and compared"
	switch {
	case s.Outcomes[migrate.Unchanged]+s.Outcomes[migrate.Older] == s.Sources:
		did = "nothing to do"
	case s.Outcomes[migrate.Refused] == s.Sources:
		did = "nothing imported"
	case s.DryRun:
		did = "would import"
	}
	damaged := ""
	if s.Damaged > 0 {
		damaged = " and " + count(int(s.Damaged), "damaged line")
	}
	return fmt.Sprintf("%s: %s: %s; %s%s, %s in %.2f s (clawctl %s %s/%s)", count(s.Sources, "source"), strings.Join(parts, ", "), did, count(int(s.Records), "record"), damaged, byteSize(s.Bytes), s.Seconds, version, runtime.GOOS, runtime.GOARCH)
}
