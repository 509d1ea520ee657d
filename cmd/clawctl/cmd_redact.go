package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/scrub"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
)

func newRedactCommand() *cli.Command {
	return &cli.Command{
		Missing:     func() string { return strconv.Itoa(len(secrets.Rules())) },
		Options:     &redactOptions{},
		Formats:     cli.ReportFormats,
		OpensOutput: true,
	}
}

// redactOptions are the flags of redact.
type redactOptions struct {
	Check    bool     `flag:"check: only report what would be removed"`
	Values   string   `flag:"values"`
	Patterns []string `flag:"pattern"`

	Keep bool `flag:"keep-checkpoints: keep the checkpoints of providers, although they may hold what was replaced"`

	Emails    bool     `flag:"emails: also remove mail addresses"`
	Phones    bool     `flag:"phones: also remove phone numbers"`
	IPs       bool     `flag:"ips: also remove IP addresses"`
	Users     bool     `flag:"paths: also remove user names: in the paths of home folders, and wherever they stand"`
	Enabled   bool     `flag:"in-place: remove chosen values from a home and from clawctl's own data, for good"`
	Only      []string `flag:"only"`
	Originals string   `flag:"keep-originals FOLDER: with --in-place: copy the old files to FOLDER first"`
	writing.ChangeOptions
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *redactOptions) OwnFlags() []cli.Flag {
	pattern := cli.ListFlag(&o.Patterns, "pattern", "REGEX", "also remove what matches, or its first group", false)
	only := cli.ListFlag(&o.Only, "only", "FINGERPRINT", "with --in-place: remove this value; repeat it for several",
		false)
	return cli.FlagsOf(o,
		cli.TextFlag(&o.Values, "values", "FILE", "also remove the texts in FILE, one per line"),
		pattern.Checked(func() error {
			_, err := regexp.Compile(o.Patterns[len(o.Patterns)-1])
			return err
		}),
		only.Checked(func() error {
			if last := o.Only[len(o.Only)-1]; !scrub.IsFingerprint(last) {
				return fmt.Errorf("must be a fingerprint of 12 hexadecimal digits, got %q", last)
			}
			return nil
		}))
}

// rules returns the rules that the flags ask for.
func (o *redactOptions) rules(a *cli.App) (list []*secrets.Rule, err error) {
	values, err := cli.ReadFilledFile(a, "values", o.Values)
	if err != nil {
		return nil, err
	}
	more := redact.MoreRules{Values: values, Patterns: o.Patterns, Emails: o.Emails, Phones: o.Phones, IPs: o.IPs,
		Users: o.Users, User: filepath.Base(cli.ExpandHome("~"))}
	if list, err = more.List(); err != nil {
		return nil, failure.Usage("", "--values: %s: %v", o.Values, err)
	}
	return list, nil
}

// Run runs the command.
func (o *redactOptions) Run(a *cli.App, operands []string) error {
	if err := o.checkInPlace(a); err != nil {
		return err
	}
	if o.Enabled {
		return o.runInPlace(a, operands)
	}
	if o.Check && !a.Output.Options.IsStdout() {
		return failure.Usage("clawctl help redact", "--check and -o cannot be combined")
	}
	rules, err := o.rules(a)
	if err != nil {
		return err
	}
	c, err := writing.NewCopying(a, operands, o.SourceOptions, !o.Check)
	if err != nil {
		return err
	}
	r := &redactRun{App: c.App, copying: c, survey: redact.NewSurvey(rules...), keep: o.Keep}
	if err := r.look(); err != nil {
		return err
	}
	if o.Check {
		return r.finishCheck()
	}
	return r.write()
}

// A redactRun is one run of the command.
type redactRun struct {
	*cli.App
	copying  *writing.CopyRun
	survey   *redact.Survey
	keep     bool // the checkpoints of providers
	redactor *redact.Redactor
	found    []foundText // sessions
	listed   []foundText // indexes
	indexes  []migrate.Index
	written  int
	bytes    int64
}

// A foundText is a session or an index with secrets.
type foundText struct {
	place  string
	places int
}

// look reads everything once.
func (r *redactRun) look() error {
	search := func(_ context.Context, o *source.Opened) (*redact.Survey, error) {
		own := r.survey.Another()
		_, err := own.Session(o.Input.Reader, o.Options)
		return own, err
	}
	sessions := r.copying.Match.Sessions
	take := func(i int, own *redact.Survey, err error) error {
		if places := r.survey.Join(own); places > 0 {
			r.found = append(r.found, foundText{sessions[i].Place(), places})
		}
		r.Blame(err)
		return nil
	}
	err := cli.ReadAll(r.App, "Searching", sessions, 0, search, take)
	if err != nil {
		return err
	}
	if r.indexes, err = migrate.Indexes(r.copying.Items, "", true); err != nil {
		return failure.Internal(err)
	}
	for _, index := range r.indexes {
		if places := r.survey.Add(index.Text); places > 0 {
			r.listed = append(r.listed, foundText{index.Path, places})
		}
	}
	return nil
}

// report lists what the rules found, the most frequent first.
func (r *redactRun) report(counts *redact.Counts) error {
	columns := []ui.Column{ui.Words("rule"), ui.Numbers("secrets"), ui.Numbers("places")}
	if counts.TotalKept() > 0 {
		columns = append(columns, ui.Numbers("in ids"))
	}
	list := cli.NewReport(columns...)
	for _, row := range r.survey.Rows(counts) {
		cells := []string{row.Rule, strconv.Itoa(row.Secrets), strconv.Itoa(row.Places), strconv.Itoa(row.Kept)}
		list.Add(row, cells[:len(columns)]...)
	}
	if len(list.Objects) == 0 && !r.WantsJSON() {
		return nil
	}
	return r.PrintReport(list)
}

// finishCheck reports what was found.
func (r *redactRun) finishCheck() error {
	counts := &redact.Counts{Places: r.survey.Places()}
	if err := r.report(counts); err != nil {
		return err
	}
	if counts.Total() == 0 {
		r.Note("No secret found in %s.", ui.Count(len(r.copying.Match.Sessions), "session"))
		return r.Outcome.Err()
	}
	all, out, and := slices.Concat(r.found, r.listed), "redacted.jsonl", ""
	if len(r.copying.Match.Sessions) > 1 {
		out = "redacted/"
		const shown = 20
		for _, f := range all[:min(shown, len(all))] {
			r.Note("%s: %s", f.place, ui.Count(f.places, "place"))
		}
		if more := len(all) - shown; more > 0 {
			r.Note("and %d more", more)
		}
	}
	if len(r.listed) > 0 {
		and = " and in sessions.json"
	}
	r.Say("Found %s with a secret in %d of %s%s.", ui.Count(counts.Total(), "place"), len(r.found),
		ui.Count(len(r.copying.Match.Sessions), "session"), and)
	args := slices.DeleteFunc(slices.Clone(r.Args), func(arg string) bool { return arg == "--check" })
	r.Hint(failure.Command(append(append([]string{"clawctl"}, args...), "-o", out)...))
	r.Blame(failure.Findings)
	return r.Outcome.Err()
}

// write writes the copies.
func (r *redactRun) write() error {
	if err := r.copying.Open(); err != nil {
		return err
	}
	defer r.copying.Root.Close()
	r.redactor = r.survey.Redactor()
	r.redactor.KeepCheckpoints = r.keep
	cli.WatchReading(r.App, "Writing", r.copying.Match.Sessions)
	for i, s := range r.copying.Match.Sessions {
		if r.copying.Folder {
			r.redactor.KeepName(redact.FileName, r.copying.NameOf(i))
		}
		r.redactor.LeftOut = writing.BlameLine(r.App, s.Place())
		err := r.put(r.copying.NameOf(i), r.copying.Items[i].Modified, func(w io.Writer) error {
			return r.copying.Read(s, func(in *source.Input) error { return r.redactor.Session(in, w, r.copying.ReadOptions()) })
		})
		if err != nil {
			return err
		}
	}
	r.Progress.End()
	if r.copying.Folder {
		for _, index := range r.indexes {
			err := r.put(index.Path, time.Time{}, func(w io.Writer) error {
				_, err := w.Write(r.redactor.JSON(index.Text, true))
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return r.finish()
}

// put writes one file, and searches it again while it is written.
func (r *redactRun) put(name string, modified time.Time, write func(io.Writer) error) error {
	kept := r.redactor.Counts.TotalKept()
	_, n, err := writing.Place(r.App, r.copying.Root, name, modified, func(w io.Writer) (int64, error) {
		again := r.redactor.Again(r.copying.ReadOptions())
		counted := &cli.CountingWriter{To: io.MultiWriter(w, again)}
		err := write(counted)
		left, searchErr := again.Finish()
		if err = cmp.Or(err, searchErr); err != nil {
			return counted.N, err
		}
		if left > r.redactor.Counts.TotalKept()-kept {
			return counted.N, failure.New(failure.Differs, "the copy still has %s", ui.Count(left, "secret"))
		}
		return counted.N, nil
	})
	if err == nil {
		r.written++
		r.bytes += n
	}
	return r.copying.BlameCopy(name, err)
}

// finish reports what was replaced.
func (r *redactRun) finish() error {
	counts := &r.redactor.Counts
	if r.written == 0 {
		return r.Outcome.Err()
	}
	if err := r.report(counts); err != nil {
		return err
	}
	writing.BlameLost(r.App, counts)
	r.Note("Replaced secrets in %s. Wrote %s (%s) to %s, and searched the copy again.",
		ui.Count(counts.Total(), "place"), ui.Count(r.written, "file"), ui.Bytes(r.bytes), r.copying.Out)
	writing.BlameLeft(r.App, counts.Left())
	return r.Outcome.Err()
}
