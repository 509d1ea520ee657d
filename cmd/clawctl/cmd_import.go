package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

func newImportCommand() *cli.Command {
	o := &importOptions{lock: writing.NewLockOption()}
	c := &cli.Command{
		Name: "import", Group: "move", Operands: "[SOURCE]...",
		Summary: "Import sessions into a SQLite store and verify every byte",
		About: "Reads every transcript of SOURCE, live and archived, into clawctl's store: a SQLite database with the " +
			"tables sessions and messages, which any program can query. Without SOURCE, it reads your state folder. " +
			"Sources are never changed, moved or locked, and OpenClaw may keep writing to them.\n\n" +
			"A damaged line is kept in quarantine and reported with its line number. Other lines are unaffected. " +
			"A file that you name, or stdin, is refused if it is not a transcript. A transcript that is already in " +
			"the store, or is the beginning of one there, is recorded as a copy. Another version of a known session becomes " +
			"a generation of it, named KEY@GENERATION. Nothing is ever overwritten.\n\n" +
			"Run it as often as you like. Of an unchanged file, only the size and time are read. Of a file that has " +
			"grown, only the new lines are stored. An interrupted import resumes. Every session is committed, read back " +
			"and compared with its source before it is reported as imported.\n\n" +
			"The summary on stderr contains no file names or keys, so you can paste it anywhere. -v or " +
			"--format table lists what " +
			"happened to each source. --json prints an object for each, then one with the totals.\n\n" +
			"With --input pgcopy, SOURCE is a file or - with the rows of the view transcript_lines, which export --as " +
			"postgres makes. The sessions of one host come back with their keys, byte for byte.",
		Examples: []cli.Example{
			{"Import the state folder", "clawctl import"},
			{"Import a backup into a store of its own", "clawctl import ~/backup/.openclaw --to backup.db"},
			{"What would be imported?", "clawctl import --dry-run -v"},
			{"Start a new session with the history of another",
				"clawctl import --inherit agent:main:main --into goclaw:main:main"},
			{"Get the sessions of the host web1 back from PostgreSQL",
				"psql -c \"COPY (SELECT * FROM transcript_lines WHERE host = 'web1' ORDER BY session_key, record) " +
					"TO STDOUT\" | clawctl import --input pgcopy -"},
			{"Run it from cron", "clawctl import --quiet || echo 'clawctl import failed'"},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing, failure.ExitDatabase,
			failure.ExitLocked, failure.ExitInterrupted,
		},
		Outcomes: map[int]string{
			failure.ExitOK:      "everything is in the store",
			failure.ExitDamaged: "done but some input was damaged or left out",
		},
		Flags:   o.flags(),
		Formats: cli.ReportFormats,
		Plain:   "a summary",
	}
	c.Run = func(a *cli.App, operands []string) error {
		if o.inherit != "" || o.into != "" {
			return o.runInherit(a, c, operands)
		}
		return o.run(a, operands)
	}
	return c
}

// importOptions are the flags of import.
type importOptions struct {
	cli.SourceOptions
	to             string
	span           cli.RangeOptions
	dryRun, strict bool
	jobs           int
	inherit, into  string
	input          string
	lock           writing.LockOption
}

func (o *importOptions) flags() []cli.Flag {
	flags := []cli.Flag{
		cli.RequiredTextFlag(&o.to, "to", "FILE", "the store to import into").WithDefault("the store of clawctl env"),
		cli.SwitchFlag(&o.dryRun, "dry-run", "read and compare, but write nothing"),
		o.span.Since.Flag("since", "only sessions whose last record is from this time on: "+cli.TimeHelp),
		o.span.Until.Flag("until", "only sessions whose last record is before this time"),
		cli.SwitchFlag(&o.strict, "strict", "refuse transcripts with damaged lines"),
		cli.CountFlag(&o.jobs, "jobs", "N", 0, "how many transcripts to read at a time").WithDefault("4"),
		cli.RequiredTextFlag(&o.inherit, "inherit", "KEY",
			"start a session with the active path of the session KEY of SOURCE"),
		cli.RequiredTextFlag(&o.into, "into", "KEY", "the key of the session that --inherit starts"),
		cli.ChoiceFlag(&o.input, "input", "FORM", []string{inputPgcopy}, "what SOURCE is, if it is not transcripts"),
		o.lock.Flag(),
	}
	return slices.Concat(flags, o.SourceOptions.Flags())
}

func (o *importOptions) run(a *cli.App, operands []string) error {
	span, err := o.span.Resolve(a.Now())
	if err != nil {
		return err
	}
	arguments, target, err := o.ends(a, operands)
	if err != nil {
		return err
	}
	im := newImporting(a, target, o)
	find := im.find
	if o.input == inputPgcopy {
		find = im.unpack
	}
	sessions, err := find(arguments)
	if err != nil {
		return err
	}
	if len(sessions) == 0 {
		return im.finish() // without creating a store
	}
	err = im.run(sessions, migrate.Options{
		Strict: o.strict, Since: span.Since, Until: span.Until, Jobs: o.jobs, Clock: a.Now, Done: im.done,
		Undigested: func(string) { im.undigested++ },
		Indexing:   func() { a.Progress.Begin("Building an index", 0, ui.Unit{}) },
	})
	if err != nil {
		return err
	}
	return im.finish()
}

// ends are where an import reads, and the store that it writes.
func (o *importOptions) ends(a *cli.App, operands []string) (arguments []string, target string, err error) {
	if arguments, err = cli.ImportSources(a, operands); err != nil {
		return nil, "", err
	}
	own, err := a.StorePath(o.to)
	if err != nil {
		return nil, "", err
	}
	if info, err := os.Stat(own.Value); err == nil && info.IsDir() {
		hint := a.CommandLine("--to", filepath.Join(own.Value, "sessions.db"))
		return nil, "", failure.Usage(hint, "the store must be a file, got the folder %s", own.Value)
	}
	return arguments, own.Value, nil
}

// An importing is one run of the command.
type importing struct {
	app     *cli.App
	options *importOptions
	target  string
	outcome *failure.Tally
	begun   time.Time
	rows    *cli.Report
	sums    importSums

	undigested int // sessions of the store without a digest
}

func newImporting(a *cli.App, target string, o *importOptions) *importing {
	return &importing{
		app: a, options: o, target: target, outcome: &failure.Tally{}, begun: a.Now(), rows: newImportReport(),
		sums: importSums{SchemaVersion: 1, Summary: true, Outcomes: map[migrate.Verdict]int{}, DryRun: o.dryRun},
	}
}

// find returns the transcripts of the arguments, and reports what cannot be imported.
func (im *importing) find(arguments []string) ([]*source.Session, error) {
	s := cli.Search{SourceOptions: im.options.SourceOptions, Defaults: cli.EveryKind, Fast: true, Exact: true}
	m, err := cli.FindTranscripts(im.app, arguments, s, im.outcome)
	if err != nil {
		return nil, err
	}
	cli.BlameProblems(im.app, im.outcome, m.Places)
	cli.BlameIndexes(im.app, im.outcome, m.Places)
	for _, s := range m.Sessions {
		if s.InDatabase && cli.IsSameFile(s.Path, im.target) {
			return nil, failure.Usage("clawctl env", "%s is both the source and the target", im.target)
		}
	}
	return im.dropTarget(im.dropEmptyStreams(m.Sessions)), nil
}

// dropTarget leaves out files that are links to the store itself, or to a file beside it. Reading such a file as a
// transcript would release the locks on the store.
func (im *importing) dropTarget(sessions []*source.Session) []*source.Session {
	var files []os.FileInfo
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if file, err := os.Stat(realPath(im.target) + suffix); err == nil {
			files = append(files, file)
		}
	}
	if files == nil {
		return sessions
	}
	return slices.DeleteFunc(sessions, func(s *source.Session) bool {
		file, err := os.Stat(s.Path)
		isTarget := err == nil && slices.ContainsFunc(files, func(f os.FileInfo) bool { return os.SameFile(f, file) })
		if isTarget {
			im.app.Note("skipped %s: it is the store that is being written", s.Path)
		}
		return isTarget
	})
}

// realPath is a path without links, or the path itself if it does not exist.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// dropEmptyStreams leaves out what came through a pipe and holds nothing. An empty file may grow, a stream will not.
func (im *importing) dropEmptyStreams(sessions []*source.Session) []*source.Session {
	return slices.DeleteFunc(sessions, func(s *source.Session) bool {
		if reading.OpensAgain(s) {
			return false
		}
		empty, err := s.IsEmpty(im.app.Ctx)
		if err != nil || !empty {
			return false // the import will say why it cannot be read
		}
		im.app.Note("%s is empty", s.Path)
		return true
	})
}

// run imports the sessions, or only says what would be imported.
func (im *importing) run(sessions []*source.Session, opts migrate.Options) (err error) {
	defer reading.CollectLess()()
	cli.WatchReading(im.app, "Importing", sessions)
	defer im.app.Progress.End()
	if im.options.dryRun {
		err = im.rehearse(sessions, opts)
	} else {
		err = im.write(sessions, opts)
	}
	if err != nil {
		return writing.StoreError(im.app, im.target, err)
	}
	return nil
}

// write imports into the store.
func (im *importing) write(sessions []*source.Session, opts migrate.Options) error {
	st, err := store.Open(im.app.Ctx, im.target, store.Options{LockTimeout: im.options.lock.Timeout})
	if err != nil {
		return err
	}
	return errors.Join(migrate.Import(im.app.Ctx, st, sessions, opts), st.Close())
}

// rehearse is a dry run. It only reads the store, if there is one.
func (im *importing) rehearse(sessions []*source.Session, opts migrate.Options) error {
	if info, err := os.Stat(im.target); errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return migrate.Rehearse(im.app.Ctx, nil, sessions, opts)
	}
	r, err := store.OpenReader(im.app.Ctx, im.target)
	if err != nil {
		return err
	}
	defer r.Close()
	return migrate.Rehearse(im.app.Ctx, &r.View, sessions, opts)
}
