package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/reading"
	"clawctl/internal/spool"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/export/postgres"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

func newImportCommand() *cli.Command {
	return &cli.Command{
		Options: &importOptions{Lock: writing.NewLockOption()},
		Formats: cli.ReportFormats,
		Plain:   "a summary",
	}
}

// importOptions are the flags of import.
type importOptions struct {
	To      string           `flag:"to FILE: the store to import into" default:"the store of clawctl env"`
	DryRun  bool             `flag:"dry-run: read and compare, but write nothing"`
	Span    cli.RangeOptions `usage:"sessions whose last record is"`
	Strict  bool             `flag:"strict: refuse transcripts with damaged lines"`
	Jobs    int              `flag:"jobs N: how many transcripts to read at a time" default:"4"`
	Inherit string           `flag:"inherit KEY: start a session with the active path of the session KEY of SOURCE"`
	Into    string           `flag:"into KEY: the key of the session that --inherit starts"`
	Input   string           `flag:"input"`
	Lock    writing.LockOption
	Harness cli.HarnessOption
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *importOptions) OwnFlags() []cli.Flag {
	return cli.FlagsOf(o,
		cli.ChoiceFlag(&o.Input, "input", "FORM", []string{inputPgcopy}, "what SOURCE is, if it is not transcripts"))
}

// Run runs the command.
func (o *importOptions) Run(a *cli.App, operands []string) error {
	if o.Inherit != "" || o.Into != "" {
		return o.runInherit(a, operands)
	}
	span, err := o.Span.Resolve(a)
	if err != nil {
		return err
	}
	arguments, target, err := o.ends(a, operands)
	if err != nil {
		return err
	}
	im := &importRun{App: a, importOptions: o, target: target, begun: a.Now(), sums: migrate.NewImportSums(o.DryRun)}
	im.rows = cli.NewReport(ui.Words("verdict"), ui.Numbers("records"), ui.Numbers("damaged", 3), ui.Numbers("size", 2),
		ui.Middle("session", 16), ui.Middle("source", 16))
	find := im.find
	if o.Input == inputPgcopy {
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
		Strict: o.Strict, Since: span.Since, Until: span.Until, Jobs: o.Jobs, Clock: a.Now, Done: im.done,
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
	own, err := a.StorePath(o.To)
	if err != nil {
		return nil, "", err
	}
	if info, err := os.Stat(own.Value); err == nil && info.IsDir() {
		hint := a.CommandLine("--to", filepath.Join(own.Value, "sessions.db"))
		return nil, "", failure.Usage(hint, "the store must be a file, got the folder %s", own.Value)
	}
	return arguments, own.Value, nil
}

// An importRun is one run of the command.
type importRun struct {
	*cli.App
	*importOptions
	target string
	begun  time.Time
	rows   *cli.Report
	sums   migrate.ImportSums

	undigested int // sessions of the store without a digest
	reclaimed  int // sessions whose text came back although their archive is lost
}

// find returns the transcripts of the arguments, and reports what cannot be imported.
func (im *importRun) find(arguments []string) ([]*source.Session, error) {
	s := cli.Search{SourceOptions: im.SourceOptions, Defaults: cli.EveryKind, Fast: true, Exact: true,
		Harness: &im.Harness, Linked: true}
	m, err := cli.FindTranscripts(im.App, arguments, s)
	if err != nil {
		return nil, err
	}
	cli.BlameProblems(im.App, m.Places)
	cli.BlameIndexes(im.App, m.Places)
	for _, s := range m.Sessions {
		if s.InDatabase && openfile.IsSame(s.Path, im.target) {
			return nil, failure.Usage("clawctl env", "%s is both the source and the target", im.target)
		}
	}
	m.Sessions = append(m.Sessions, source.Linked(m.Sessions)...)
	sessions := im.dropEmptyStreams(m.Sessions)
	links := migrate.LinksToStore(sessions, im.target)
	for _, s := range links {
		im.Note("skipped %s: it is the store that is being written", s.Path)
	}
	return slices.DeleteFunc(sessions, func(s *source.Session) bool { return slices.Contains(links, s) }), nil
}

// dropEmptyStreams leaves out what came through a pipe and holds nothing. An empty file may grow, a stream will not.
func (im *importRun) dropEmptyStreams(sessions []*source.Session) []*source.Session {
	return slices.DeleteFunc(sessions, func(s *source.Session) bool {
		if s.OpensAgain() {
			return false
		}
		empty, err := s.IsEmpty(im.Ctx)
		if err != nil || !empty {
			return false // the import will say why it cannot be read
		}
		im.Note("%s is empty", s.Path)
		return true
	})
}

// run imports the sessions, or only says what would be imported.
func (im *importRun) run(sessions []*source.Session, opts migrate.Options) error {
	var err error
	defer reading.CollectLess(150)()
	cli.WatchReading(im.App, "Importing", sessions)
	defer im.Progress.End()
	if im.DryRun {
		err = migrate.RehearseInto(im.Ctx, im.target, sessions, opts)
	} else {
		defer writing.WatchNewStore(im.App, im.target)()
		if opts.Archives, err = cli.Archives(im.App); err != nil {
			return err
		}
		opts.Adopted = func(path string, sessions int, err error) { // from an archive of the configuration
			if err != nil {
				im.Blame(cli.InputError(path, err).WithExit(failure.ExitFindings).AfterWork())
			} else if sessions > 0 {
				im.Note("added %s of the archive %s to the store", ui.Count(sessions, "session"), path)
			}
		}
		how := store.Options{LockTimeout: im.Lock.Timeout}
		err = migrate.ImportInto(im.Ctx, im.target, how, sessions, opts)
	}
	if err != nil {
		return writing.StoreError(im.App, im.target, err)
	}
	return nil
}

// done takes one outcome, which is durable and was compared.
func (im *importRun) done(o migrate.Outcome) {
	im.sums.Add(&o)
	if o.IsReclaimed {
		im.reclaimed++
	}
	if !o.Verdict.WasRead() {
		im.Progress.Advance(o.Session.Bytes) // the others are counted as they are read
	}
	row := o.Row()
	if f := o.DamageFailure(); f != nil {
		im.Blame(f)
	}
	if o.Err != nil {
		f := o.Failure(cli.InputError(o.Session.Place(), o.Err), im.target)
		im.SettleHint(f)
		body := f.Body()
		row.Error = &body
		im.Blame(f)
	}
	im.rows.Add(row, string(o.Verdict), fmt.Sprint(o.Records), fmt.Sprint(o.Damaged), ui.Bytes(o.Bytes), o.Key,
		cli.SourceName(im.App, o.Session))
}

// finish prints the report and the summary.
func (im *importRun) finish() error {
	im.sums.Seconds = im.Now().Sub(im.begun).Seconds()
	if im.Format != "" || im.Verbose {
		if im.JSON {
			im.rows.AddObject(im.sums)
		}
		if err := im.PrintReport(im.rows); err != nil {
			return err
		}
	}
	im.Note("%s", im.sums.Words(version()))
	if im.reclaimed > 0 {
		im.Note("the text of %s came back from the sources, because an archive cannot be read",
			ui.Count(im.reclaimed, "session"))
	}
	if im.undigested > 0 {
		im.Note("%s of the store without a digest; to list them: %s", ui.Count(im.undigested, "session"),
			failure.Command("clawctl", "verify", im.target))
	}
	if !im.DryRun {
		writing.BlameArchives(im.App, im.target)
	}
	return im.Outcome.Err()
}

// inputPgcopy is the form of --input that PostgreSQL writes.
const inputPgcopy = "pgcopy"

// unpack returns the sessions in the rows of transcript_lines. Their texts are kept in private files until the run
// ends, so that nothing is imported from a stream that is damaged or cut off.
func (im *importRun) unpack(arguments []string) ([]*source.Session, error) {
	if len(arguments) != 1 {
		return nil, failure.Usage(im.CommandLine(), "--input pgcopy takes one SOURCE, got %d", len(arguments))
	}
	name, stream, err := arguments[0], (*source.Input)(nil), error(nil)
	if name == "-" {
		name = cli.StdinName
		stream, err = source.Wrap(im.Stdin, name)
	} else {
		stream, err = source.Open(name)
	}
	if err != nil {
		return nil, cli.InputError(name, err)
	}
	defer stream.Close()
	var kept []*postgres.Kept
	file, err := spool.Create(os.TempDir()) // keeps all transcripts
	if err == nil {
		im.AtEnd(func() { file.Close() })
		kept, err = postgres.Keep(im.Ctx, stream, file)
	}
	switch {
	case err != nil:
		return nil, cmp.Or(failure.From(name, err), cli.InputError(name, err))
	case len(kept) == 0:
		return nil, failure.New(failure.Nothing, "no rows; a psql that fails writes none either").At(name).
			WithHint("clawctl help import")
	}
	return im.restore(name, kept)
}

// restore returns the sessions of transcripts that --session, --agent and --kind select.
func (im *importRun) restore(stream string, kept []*postgres.Kept) ([]*source.Session, error) {
	var sessions []*source.Session
	for _, k := range kept {
		s, err := k.Session(stream)
		if err != nil {
			return nil, cli.InputError(s.Path, err)
		}
		sessions = append(sessions, s)
	}
	o := &im.SourceOptions
	selected, err := source.Select(sessions,
		source.Filter{Session: o.Session, Exact: true, Agents: o.Agents, Kinds: o.Kinds}, cli.EveryKind)
	switch {
	case err != nil:
		return nil, failure.Reading(stream, err).WithHint("clawctl help import")
	case len(selected) == 0:
		return nil, failure.New(failure.Nothing, "no session in the rows matches").At(stream).WithHint("clawctl help import")
	}
	return selected, nil
}
