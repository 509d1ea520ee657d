package main

import (
	"cmp"
	"errors"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
	"clawctl/pkg/trajectory"
)

// toATIF writes every session as a trajectory.
func (x *exportRun) toATIF(out string) error {
	return x.toTrajectories(out, (*trajectoryExport).writeATIF)
}

// toExamples writes every session as an example for fine-tuning.
func (x *exportRun) toExamples(out string) error {
	return x.toTrajectories(out, (*trajectoryExport).writeExample)
}

// toTrajectories writes every session as a trajectory or an example: a line each, or a file each in a folder.
func (x *exportRun) toTrajectories(out string, write trajectoryWriter) error {
	if x.app.format != "" {
		return failure.Usage("clawctl help export", "--as %s writes JSON, and takes no --format", x.form.name)
	}
	isFolder := x.wantsFolder(out)
	m, err := x.find(x.namesOne && !isFolder)
	if err != nil {
		return err
	}
	t := &trajectoryExport{
		run: x, folder: &exportFolder{run: x, path: out}, write: write, leftOut: map[string]int{},
	}
	if x.options.dryRun {
		return t.plan(m.Sessions, isFolder)
	}
	t.family = trajectory.NewFamily(m.Sessions, t.folder.nameOf)
	if !x.options.raw {
		x.app.masks()
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

// wantsFolder reports whether -o names a folder. A name that ends like a file of JSON is a file.
func (x *exportRun) wantsFolder(out string) bool {
	isFile := slices.Contains([]string{".json", ".jsonl", ".ndjson"}, filepath.Ext(out))
	return isFolderOutput(out, x.namesOne || isFile)
}

// A trajectoryWriter writes a session, with every step on a line of its own if lines is set.
type trajectoryWriter func(t *trajectoryExport, sub *app, from *trajectory.Transcript, w io.Writer, lines bool) error

// A trajectoryExport is one run of --as atif or --as openai-finetune.
type trajectoryExport struct {
	run     *exportRun
	folder  *exportFolder
	write   trajectoryWriter
	family  *trajectory.Family
	skipped []*skippedSession
	written int
	steps   int
	masked  int
	named   int // tools that are declared by name alone
	leftOut map[string]int
}

// plan says what would be written.
func (t *trajectoryExport) plan(sessions []*source.Session, isFolder bool) error {
	if isFolder {
		return t.folder.list(sessions)
	}
	t.run.app.note("would write %s", ui.Count(len(sessions), t.run.form.noun))
	return nil
}

// toFolder writes a file for each session.
func (t *trajectoryExport) toFolder(sessions []*source.Session) error {
	if err := t.folder.begin(); err != nil {
		return err
	}
	for i, s := range sessions {
		t.run.showProgress(i, len(sessions))
		sub, err := t.folder.open(t.family.File(s))
		if err != nil {
			return err
		}
		written := t.written
		err = t.writeTo(sub, &stdoutWriter{sub.output}, s, true)
		t.run.app.keepFileName(t.family.File(s))
		if t.written == written {
			sub.output.abandon()
		} else if closeErr := sub.output.finish(nil); closeErr != nil {
			return closeErr
		}
		if err := t.judge(err); err != nil {
			return err
		}
	}
	return nil
}

// toLines writes a line for each session to stdout or to a file.
func (t *trajectoryExport) toLines(out string, sessions []*source.Session) error {
	sub, err := t.run.app.withOutput(out)
	if err != nil {
		return err
	}
	for i, s := range sessions {
		t.run.showProgress(i, len(sessions))
		counted := &countingWriter{Writer: &stdoutWriter{sub.output}}
		written := t.written
		err := t.writeTo(sub, counted, s, len(sessions) == 1 && filepath.Ext(out) == ".json")
		if isHalf := t.written == written && counted.n > 0; isHalf || isClosedPipe(err) {
			sub.output.abandon() // whatever follows would not be JSON
			return err
		}
		if err := t.judge(err); err != nil {
			sub.output.abandon()
			return err
		}
	}
	if t.written == 0 {
		sub.output.abandon()
		return nil
	}
	return sub.output.finish(nil)
}

// judge reports why a session was skipped or is damaged. It returns what ends the run.
func (t *trajectoryExport) judge(err error) error {
	var skipped *skippedSession
	switch {
	case t.run.app.ctx.Err() != nil:
		return interrupted(t.run.app)
	case errors.As(err, &skipped):
		t.skipped = append(t.skipped, skipped)
		t.run.app.note("%s: %s %s", ui.EscapeLine(skipped.place), skipped.code, skipped.code.Words())
	default:
		t.run.app.blame(t.run.outcome, err)
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
	case e.place == stdinName:
		return "clawctl explain " + string(e.code)
	case e.code == failure.NoSteps:
		return failure.Command("clawctl", "show", e.place, "--tree")
	}
	return failure.Command("clawctl", "rebuild", e.place, "--as", "openai")
}

// writeTo writes a session and a line end. written counts it if that was possible. The error may still say that lines
// of the session are damaged.
func (t *trajectoryExport) writeTo(sub *app, w io.Writer, s *source.Session, lines bool) error {
	from := &trajectory.Transcript{}
	reading, err := openWatched(sub, s, programOption{}, from.Visit)
	if err != nil {
		return err
	}
	if from.Context, err = reading.contextAt(""); err != nil {
		return err
	}
	from.Session, from.Index, from.All = reading.session, reading.index, reading.again
	from.Reached = func() iter.Seq2[*jsonl.Record, error] { return reading.againFor(from.Context) }
	err = t.write(t, sub, from, w, lines)
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	if err != nil {
		return trajectoryError(reading, err)
	}
	t.written++
	return reading.damage
}

// writeATIF writes a trajectory.
func (t *trajectoryExport) writeATIF(sub *app, from *trajectory.Transcript, w io.Writer, lines bool) error {
	session, err := from.Describe(t.family)
	if err != nil {
		return err
	}
	result, err := trajectory.Write(w, session, trajectory.Options{
		Raw: t.run.options.raw, Lines: lines, Image: newImageFolder(sub).add,
	})
	if err != nil {
		return err
	}
	t.steps += result.Final.Steps
	t.masked += result.Masked
	for name, n := range result.LeftOut {
		t.leftOut[name] += n
	}
	return nil
}

// writeExample writes an example for fine-tuning.
func (t *trajectoryExport) writeExample(_ *app, from *trajectory.Transcript, w io.Writer, _ bool) error {
	example, err := from.Example()
	if err != nil {
		return err
	}
	result, err := trajectory.WriteExample(w, example, t.run.options.raw)
	if err != nil {
		return err
	}
	t.steps += result.Messages
	t.masked += result.Masked
	t.named += result.NamedTools
	if result.Dropped > 0 {
		t.leftOut["message_after_the_last_answer"] += result.Dropped
	}
	return nil
}

// trajectoryError gives the error of writing a session its code.
func trajectoryError(r *transcript, err error) error {
	switch {
	case errors.Is(err, trajectory.ErrNoSteps):
		return &skippedSession{r.name, failure.NoSteps}
	case errors.Is(err, trajectory.ErrNoAnswer):
		return &skippedSession{r.name, failure.NoAnswer}
	case errors.Is(err, rebuild.ErrChanged):
		return failure.New(failure.Changed, "").At(r.name).WithHint(r.commandLine())
	}
	return r.failed(err)
}

// finish sums up.
func (t *trajectoryExport) finish(out string) error {
	if t.written == 0 && len(t.skipped) > 0 && t.run.outcome.OK() {
		first := t.skipped[0]
		return failure.New(first.code, "no session has anything to write").WithHint(first.hint())
	}
	t.run.app.note("wrote %s (%s) to %s", ui.Count(t.written, t.run.form.noun),
		ui.Count(t.steps, t.run.form.unit), cmp.Or(out, "stdout"))
	t.noteLeftOut()
	if t.masked > 0 {
		t.run.app.note("masked %s; --raw shows what looks like a key or a password", ui.Count(t.masked, "secret"))
	}
	if t.named > 0 {
		t.run.app.note("%s declared by name alone, because the transcripts do not say more", ui.Are(t.named, "tool"))
	}
	t.run.app.blameKept(t.run.outcome)
	return t.run.outcome.Err()
}

// noteLeftOut names what is not in the output.
func (t *trajectoryExport) noteLeftOut() {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(t.leftOut)) {
		list = append(list, leftOutWords(name, t.leftOut[name]))
	}
	if len(list) > 0 {
		t.run.app.note("left out %s", strings.Join(list, ", "))
	}
}

// leftOutWords says how many of something were left out. Only the first word of a name has a plural.
func leftOutWords(name string, n int) string {
	noun, rest, _ := strings.Cut(strings.ReplaceAll(name, "_", " "), " after ")
	words := ui.Count(n, noun)
	if rest != "" {
		words += " after " + rest
	}
	return words
}
