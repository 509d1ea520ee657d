package main

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"path/filepath"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/showing"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/export/trajectory"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// toTrajectories writes every session as a trajectory or an example: a line each, or a file each in a folder.
func (x *exportRun) toTrajectories(out string) error {
	if x.Format != "" {
		return cli.Usage("--as %s writes JSON, and takes no --format", x.form.name)
	}
	isFile := slices.Contains([]string{".json", ".jsonl", ".ndjson"}, filepath.Ext(out))
	isFolder := writing.IsFolderOutput(out, x.namesOne || isFile)
	m, err := x.find(x.namesOne && !isFolder)
	if err != nil {
		return err
	}
	t := &trajectoryExport{exportRun: x, folder: x.folderAt(out)}
	if x.DryRun {
		if isFolder {
			return t.folder.list(m.Sessions)
		}
		x.Note("would write %s", ui.Count(len(m.Sessions), x.form.noun))
		return nil
	}
	t.family = trajectory.NewFamily(m.Sessions, t.folder.nameOf)
	if !x.Raw {
		writing.Masks(x.App, x.rules)
	}
	if isFolder {
		err = t.toFolder(m.Sessions)
	} else {
		err = t.toLines(out, m.Sessions)
	}
	if err != nil {
		return err
	}
	return t.finish(out)
}

// A trajectoryExport is one run of --as atif or --as openai-finetune.
type trajectoryExport struct {
	*exportRun
	folder  *exportFolder
	family  *trajectory.Family
	skipped []*skippedSession
	totals  trajectory.Totals
}

// toFolder writes a file for each session.
func (t *trajectoryExport) toFolder(sessions []*source.Session) error {
	if err := t.folder.begin(); err != nil {
		return err
	}
	for i, s := range sessions {
		t.showProgress(i, len(sessions))
		sub, err := t.folder.open(t.family.File(s))
		if err != nil {
			return err
		}
		written := t.totals.Sessions
		err = t.writeTo(sub, sub.Output, s, true)
		if t.totals.Sessions == written {
			sub.Output.Abandon()
		} else if closeErr := sub.Output.Finish(nil); closeErr != nil {
			return closeErr
		}
		if err := t.judge(err); err != nil {
			return err
		}
	}
	return t.folder.sync()
}

// toLines writes a line for each session to stdout or to a file.
func (t *trajectoryExport) toLines(out string, sessions []*source.Session) error {
	sub, err := withOutput(t.App, out)
	if err != nil {
		return err
	}
	for i, s := range sessions {
		t.showProgress(i, len(sessions))
		counted := &cli.CountingWriter{To: sub.Output}
		written := t.totals.Sessions
		err := t.writeTo(sub, counted, s, len(sessions) == 1 && filepath.Ext(out) == ".json")
		if isHalf := t.totals.Sessions == written && counted.N > 0; isHalf || cli.IsClosedPipe(err) {
			sub.Output.Abandon() // whatever follows would not be JSON
			return err
		}
		if err := t.judge(err); err != nil {
			sub.Output.Abandon()
			return err
		}
	}
	if t.totals.Sessions == 0 {
		sub.Output.Abandon()
		return nil
	}
	return sub.Output.Finish(nil)
}

// judge reports why a session was skipped or is damaged. It returns what ends the run.
func (t *trajectoryExport) judge(err error) error {
	var skipped *skippedSession
	switch {
	case t.Ctx.Err() != nil:
		return cli.Interrupted(t.App)
	case errors.As(err, &skipped):
		t.skipped = append(t.skipped, skipped)
		t.Note("%s: %s %s", ui.EscapeLine(skipped.place), skipped.code, skipped.code.Words())
	default:
		t.Blame(err)
	}
	return nil
}

// A skippedSession is a session that has nothing to write.
type skippedSession struct {
	place string
	code  failure.Code
}

func (e *skippedSession) Error() string { return e.code.Words() }

// hint is the command that shows what the session has instead.
func (e *skippedSession) hint() string {
	switch {
	case e.place == cli.StdinName:
		return "clawctl explain " + string(e.code)
	case e.code == failure.NoSteps:
		return failure.Command("clawctl", "show", e.place, "--tree")
	}
	return failure.Command("clawctl", "rebuild", e.place, "--as", "openai")
}

// writeTo writes a session and a line end, with every step on a line of its own if lines is set. The totals count it if
// that was possible. The error may still say that lines of the session are damaged.
func (t *trajectoryExport) writeTo(sub *cli.App, w io.Writer, s *source.Session, lines bool) error {
	from := &trajectory.Transcript{}
	reading, err := reading.OpenWatched(sub, s, reading.ProgramOption{}, from.Visit)
	if err != nil {
		return err
	}
	if from.Context, err = reading.ContextAt(""); err != nil {
		return err
	}
	from.Session, from.Index, from.All = reading.Session, reading.Index, reading.Again
	from.Reached = func() iter.Seq2[*jsonl.Record, error] { return reading.AgainFor(from.Context) }
	o := trajectory.Options{Raw: t.Raw, Rules: t.rules, Lines: lines, Image: showing.NewImageFolder(sub).Add}
	if t.As == "atif" {
		err = t.totals.WriteTrajectory(w, from, t.family, o)
	} else {
		err = t.totals.WriteExample(w, from, o)
	}
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	if err != nil {
		return trajectoryError(reading, err)
	}
	t.totals.Sessions++
	return reading.Damage
}

// trajectoryError gives the error of writing a session its code.
func trajectoryError(r *reading.Transcript, err error) error {
	switch {
	case errors.Is(err, trajectory.ErrNoSteps):
		return &skippedSession{r.Name, failure.NoSteps}
	case errors.Is(err, trajectory.ErrNoAnswer):
		return &skippedSession{r.Name, failure.NoAnswer}
	case errors.Is(err, rebuild.ErrChanged):
		return failure.New(failure.Changed, "").At(r.Name).WithHint(r.App.CommandLine())
	}
	return r.Failed(err)
}

// finish sums up.
func (t *trajectoryExport) finish(out string) error {
	a, totals := t.App, &t.totals
	if totals.Sessions == 0 && len(t.skipped) > 0 && a.Outcome.OK() {
		first := t.skipped[0]
		return failure.New(first.code, "no session has anything to write").WithHint(first.hint())
	}
	a.Note("wrote %s (%s) to %s", ui.Count(totals.Sessions, t.form.noun), ui.Count(totals.Parts, t.form.unit),
		cmp.Or(out, "stdout"))
	if words := totals.LeftOut(); words != "" {
		a.Note("left out %s", words)
	}
	if totals.Masked > 0 {
		a.Note("masked %s; --raw shows what looks like a key or a password", ui.Count(totals.Masked, "secret"))
	}
	if totals.NamedTools > 0 {
		a.Note("%s declared by name alone, because the transcripts do not say more", ui.Are(totals.NamedTools, "tool"))
	}
	writing.BlameKept(a)
	return a.Outcome.Err()
}
