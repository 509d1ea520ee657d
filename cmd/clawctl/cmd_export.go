package main

import (
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

func newExportCommand() *cli.Command {
	return &cli.Command{
		Options:     &exportOptions{},
		Formats:     cli.ReportFormats,
		Plain:       "the files",
		OpensOutput: true,
	}
}

// exportOptions are the flags of export.
type exportOptions struct {
	From      []string `flag:"from PATH"` // the same as operands, but never names of sessions
	Encrypt   bool     `flag:"encrypt"`   // is refused
	As        string   `flag:"as"`
	Raw       bool     `flag:"raw: do not mask keys and passwords"`
	Redact    bool     `flag:"redact: replace keys and passwords, and leave media out"`
	Keep      bool     `flag:"keep-checkpoints"`
	Values    cli.ValuesOption
	Harness   cli.HarnessOption
	Maps      []bundle.Mapping `flag:"map"`
	DryRun    bool             `flag:"dry-run: list the files, but write nothing"`
	Host      string           `flag:"host"`
	RawLines  bool             `flag:"raw-lines: also write every line as it is, copies too"`
	NoContent bool             `flag:"no-content: write figures only, no texts"`
	Jobs      int              `flag:"jobs N: how many groups of sessions to read at a time" default:"one per core"`
	cli.SourceOptions

	rules []*secrets.Rule // of --values
}

// OwnFlags makes the flags.
func (o *exportOptions) OwnFlags() []cli.Flag {
	flags := cli.FlagsOf(o,
		cli.ChoiceFlag(&o.As, "as", "FORM", exportFormNames(), "convert every session to this form"),
		cli.SwitchFlag(&o.Keep, "keep-checkpoints",
			"with --redact: keep the checkpoints of providers, although they may hold what was replaced"),
		o.mapFlag(),
		cli.TextFlag(&o.Host, "host", "NAME", "the name of this host among many").Checked(func() (err error) {
			o.Host, err = cli.CheckHost(o.Host)
			return err
		}))
	for i := range flags {
		if forms := formsWith(flags[i].Name); forms != nil {
			flags[i].Usage = strings.Join(forms, ", ") + ": " + flags[i].Usage
		}
	}
	return flags
}

// Run runs the command.
func (o *exportOptions) Run(a *cli.App, operands []string) error {
	out := a.Output.Options.Path
	if a.Output.Options.IsStdout() {
		out = ""
	}
	x := &exportRun{App: a, exportOptions: o, form: exportFormNamed(o.As)}
	if o.Encrypt {
		return failure.Usage("clawctl help show",
			"export does not encrypt: its pages link to each other; show --encrypt writes one session as an encrypted page")
	}
	if err := x.choose(operands); err != nil {
		return err
	}
	if err := x.form.check(a); err != nil {
		return err
	}
	switch {
	case o.Values.File != "" && !o.Redact && slices.Contains(formsWith("redact"), o.As):
		// a form that masks nothing by itself
		return failure.Usage(a.CommandLine("--redact"), "--values needs --redact with --as %s", o.As)
	case o.Keep && !o.Redact:
		return failure.Usage(a.CommandLine("--redact"), "--keep-checkpoints needs --redact")
	}
	var err error
	if o.rules, err = o.Values.Rules(a, o.Raw); err != nil {
		return err
	}
	isBundle := o.As == "" && len(x.arguments) == 1 && !o.Narrows() && bundle.Is(cli.ExpandHome(x.arguments[0]))
	if len(o.Maps) > 0 && !isBundle {
		return cli.Usage("--map needs --from and a bundle, all of it")
	}
	if isBundle {
		return x.unpack(x.arguments[0], out)
	}
	return x.form.write(x, out)
}

// toFiles writes the original files, or those of another program.
func (x *exportRun) toFiles(out string) error {
	isFolder := writing.IsFolderOutput(out, x.namesOne)
	if out == "" && x.Format != "" && !x.DryRun {
		return failure.Usage(x.CommandLine("-o", "session.jsonl"),
			"--format and --json need -o: without it, stdout gets the session itself")
	}
	m, err := x.find(!isFolder)
	if err != nil {
		return err
	}
	if x.items, err = x.list(m); err != nil {
		return err
	}
	switch {
	case isFolder:
		return x.toFolder(out)
	case out == "":
		return x.toStdout(migrate.Fullest(x.items))
	}
	return x.toFile(out, migrate.Fullest(x.items))
}

// An exportRun is one run of the command.
type exportRun struct {
	*cli.App
	*exportOptions
	form      *exportForm
	arguments []string
	namesOne  bool // they name one session or file
	items     []migrate.Item
	linked    []*source.Session // the files of those that did the work of the sessions
}

// choose decides what is exported: the operands, or clawctl's store.
func (x *exportRun) choose(operands []string) error {
	for _, path := range x.From {
		path = cli.ExpandHome(path)
		if _, _, _, err := source.SplitPlace(path); err != nil {
			return cli.LookupError(x.App, path, err, true) // it is a place, never the name of a session
		}
		x.arguments = append(x.arguments, path)
	}
	x.arguments = append(x.arguments, operands...)
	x.namesOne = x.Session != "" || len(x.arguments) == 1 && writing.IsOneSession(x.arguments[0])
	if len(x.arguments) == 0 {
		x.arguments = []string{cli.HomeArgument}
	}
	return nil
}

// find returns the sessions to export. One output takes one session: of those with a name, the one that cat prints.
func (x *exportRun) find(one bool) (*source.Match, error) {
	s := cli.Search{SourceOptions: x.SourceOptions, Defaults: cli.EveryKind, Store: true, OrHome: true,
		OrState: x.form.takesHome}
	if one && x.namesOne {
		s.Defaults = cli.LiveOnly
	}
	if slices.Contains(x.form.flags, "harness") {
		s.Harness, s.Linked = &x.Harness, !x.form.joins
	}
	m, err := cli.FindTranscripts(x.App, x.arguments, s)
	switch {
	case err != nil:
		return nil, err
	case len(m.Sessions) == 0:
		return nil, x.Outcome.Err()
	case !m.ByName:
		cli.BlameProblems(x.App, m.Places)
	case one:
		m.Sessions = writing.CurrentOf(m.Sessions)
	}
	if s.Linked {
		x.linked = m.TakeLinked()
	}
	if one && len(m.Sessions) > 1 {
		hint, n := x.CommandLine("-o", "history/"), len(m.Sessions) // a folder takes them all
		if m.ByName {
			return nil, failure.Usage(hint, "%d sessions match the name: give the whole name of one, or -o a folder:", n).
				WithList(reading.NameList(m.Sessions))
		}
		return nil, failure.Usage(hint, "cannot write %d sessions to one output: name one of them, or give -o a folder", n)
	}
	return m, nil
}

// list returns the files to be written: those of each place, then the files that were named one by one.
func (x *exportRun) list(m *source.Match) ([]migrate.Item, error) {
	var groups []migrate.Items
	for p, sessions := range m.ByPlace() {
		if p == nil {
			groups = append(groups, migrate.Items{List: migrate.SourceItems(sessions)})
			continue
		}
		items, err := x.itemsOf(p, sessions)
		if err != nil {
			return nil, err
		}
		groups = append(groups, migrate.Items{Place: cli.Absolute(p.Path), List: items})
	}
	items := migrate.JoinItems(groups, x.linked)
	if x.form.converts || x.Redact {
		items = migrate.ConvertNames(items)
	}
	if x.form.isPortable {
		items = migrate.PortableItems(items)
	}
	for i := range items {
		item := &items[i]
		if other := item.SameButCase; other != "" {
			x.Note("%s is in a folder of its own, because %s is the same name on some systems", item.Path, other)
		}
		if old := item.RenamedFrom; old != "" {
			x.Note("%s was renamed to %s: %s", ui.EscapeLine(old), item.Path, item.RenameReason)
		}
	}
	return items, nil
}

// itemsOf returns the files of one place.
func (x *exportRun) itemsOf(p *source.Listing, sessions []*source.Session) ([]migrate.Item, error) {
	items, faults, err := migrate.PlaceItems(x.Ctx, p, sessions)
	writing.BlameDamage(x.App, p.Path, faults) // a damaged receipt may belong to any file
	if slices.ContainsFunc(faults, func(f store.Problem) bool { return f.Kind == store.Unsealed }) {
		x.Note("%s has no checksums of its receipts yet; the next import adds them", p.Path)
	}
	if err != nil {
		return nil, cli.InputError(p.Path, err)
	}
	return items, nil
}
