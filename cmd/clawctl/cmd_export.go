package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/dbfile"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

func newExportCommand() *command {
	o := &exportOptions{}
	c := &command{
		name: "export", group: "move", summary: "Export sessions from a store or database as the original files",
		about: "Writes the files that were imported, under their original names, each source folder in a folder of its " +
			"own. Every file is restored byte for byte, including damaged lines, line ends and compression, and is verified " +
			"while it is written. A file with a line that import had to leave out is reported. Live sessions " +
			"get a sessions.json with " +
			"their new paths.\n\n" +
			"--from may also be an OpenClaw database or a state folder. Their sessions are written as the JSONL files that " +
			"OpenClaw used before it moved to SQLite.\n\n" +
			"With --session, one session goes to stdout or to -o FILE. If the session has several generations, that is the " +
			"current one, unless you name another. With -o FOLDER/ the files go into that folder. A file that exists with the " +
			"same content is left alone. A file with other content is replaced only with --force.\n\n" +
			"With --as openclaw, damaged lines are left out and reported on stderr.",
		examples: []example{
			{"Export everything", "clawctl export -o ~/history/"},
			{"Print the messages of one session",
				"clawctl export --session agent:main:main | jq -c 'select(.type==\"message\")'"},
			{"Get JSONL files out of an OpenClaw database",
				"clawctl export --from ~/.openclaw/agents/main/agent/openclaw-agent.sqlite -o main/"},
		},
		exits: []int{
			failure.ExitOK, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing, failure.ExitDatabase,
			failure.ExitLocked, failure.ExitInterrupted,
		},
		flags:       o.flags(),
		offers:      []string{},
		formats:     reportFormats,
		plain:       "the files",
		opensOutput: true,
	}
	c.run = func(a *app, operands []string) error {
		if err := c.noOperands(operands); err != nil {
			return err
		}
		return o.run(a)
	}
	return c
}

// exportOptions are the flags of export.
type exportOptions struct {
	sourceOptions
	from   string
	as     string
	dryRun bool
}

func (o *exportOptions) flags() []flag {
	flags := []flag{
		requiredTextFlag(&o.from, "from", "PATH", "clawctl store, OpenClaw database, or folder to export").
			withDefault("the store of clawctl env"),
		choiceFlag(&o.as, "as", "FORM", []string{"openclaw"}, "convert every dialect to this form"),
		switchFlag(&o.dryRun, "dry-run", "list the files, but write nothing"),
	}
	return slices.Concat(flags, o.sourceOptions.flags())
}

func (o *exportOptions) run(a *app) error {
	out := a.output.options.path
	if a.output.options.isStdout() {
		out = ""
	}
	isFolder := isFolderOutput(out, o.session != "")
	if out == "" && a.format != "" && !o.dryRun {
		return failure.Usage(a.commandLine("-o", "session.jsonl"),
			"--format and --json need -o: without it, stdout gets the session itself")
	}
	from, err := a.storePath(o.from)
	if err != nil {
		return err
	}
	x := &exporting{app: a, options: o, from: from.value, outcome: &failure.Tally{}}
	sessions, err := x.find(!isFolder)
	if err != nil {
		return err
	}
	if x.items, err = x.list(sessions); err != nil {
		return err
	}
	switch {
	case isFolder:
		return x.toFolder(out)
	case out == "":
		return x.toStdout(fullest(x.items))
	}
	return x.toFile(out, fullest(x.items))
}

// isFolderOutput decides what -o means: a folder if it is one, if its name ends like one, or if no session is named.
func isFolderOutput(out string, oneSession bool) bool {
	info, err := os.Stat(out)
	switch {
	case out == "":
		return false
	case err == nil:
		return info.IsDir()
	}
	return !oneSession || strings.HasSuffix(out, "/") || strings.HasSuffix(out, string(filepath.Separator))
}

// An exporting is one run of the command.
type exporting struct {
	*app
	options *exportOptions
	from    string
	outcome *failure.Tally
	items   []migrate.Item
}

// find returns the sessions to export. One output takes one session: of those with a name, the one that cat prints.
func (x *exporting) find(one bool) ([]*source.Session, error) {
	s := search{sourceOptions: x.options.sourceOptions, defaults: everything, store: true}
	if one && x.options.session != "" {
		s.defaults = live
	}
	m, err := x.findIn(s)
	if err != nil {
		return nil, err
	}
	if !m.ByName {
		blameProblems(x.app, x.outcome, m.Places)
	}
	sessions := m.Sessions
	if one && m.ByName {
		sessions = currentOf(sessions)
	}
	if one && len(sessions) > 1 {
		return nil, x.tooMany(sessions, m.ByName)
	}
	return sessions, nil
}

// findIn looks in the place that --from names, or in clawctl's store.
func (x *exporting) findIn(s search) (*source.Match, error) {
	argument := home
	if x.options.from != "" {
		argument = x.from
		if _, _, _, err := source.SplitPlace(x.from); err != nil {
			return nil, lookupError(x.app, x.from, err) // it is a place, never the name of a session
		}
	}
	m, err := find(x.app, argument, s)
	var f *failure.Error
	if errors.As(err, &f) && f.Code == failure.UsageCode {
		f.Hint = failure.Command("clawctl", "sessions", x.from)
	}
	return m, err
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

// tooMany is the failure of several sessions for one output. A folder takes them all.
func (x *exporting) tooMany(sessions []*source.Session, byName bool) error {
	hint := x.commandLine("-o", "history/")
	if byName {
		return failure.Usage(hint, "%d sessions match the name: give --session the whole name, or -o a folder:%s",
			len(sessions), nameList(sessions))
	}
	return failure.Usage(hint, "cannot write %d sessions to one output: choose one with --session, or give -o a folder",
		len(sessions))
}

// list returns the files to be written.
func (x *exporting) list(sessions []*source.Session) (items []migrate.Item, err error) {
	if dbfile.Is(x.from) && store.IsStore(x.ctx, x.from) {
		items, err = x.storeItems(sessions)
	} else {
		items = migrate.SourceItems(sessions)
	}
	if x.options.as != "" {
		items = migrate.ConvertNames(items)
	}
	return items, err
}

// storeItems returns the files of clawctl's store.
func (x *exporting) storeItems(sessions []*source.Session) ([]migrate.Item, error) {
	r, err := store.OpenReader(x.ctx, x.from)
	if err != nil {
		return nil, inputError(x.from, err)
	}
	x.atEnd(func() { r.Close() })
	places := map[string]string{}
	for _, s := range sessions {
		places[s.Name()] = s.Place()
	}
	items, err := migrate.StoreItems(x.ctx, &r.View, func(key string) bool { return places[key] != "" })
	if err != nil {
		return nil, inputError(x.from, err)
	}
	for i := range items {
		items[i].Place = places[items[i].Session]
	}
	return items, nil
}

// fullest chooses among the files of one session: the whole session before a part, the live file before a copy.
func fullest(items []migrate.Item) *migrate.Item {
	best := &items[0]
	for i := range items {
		item := &items[i]
		if item.Whole && !best.Whole || item.Whole == best.Whole && item.Live && !best.Live {
			best = item
		}
	}
	return best
}
