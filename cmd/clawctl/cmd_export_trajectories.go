package main

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/showing"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
	"clawctl/pkg/trajectory"
)

// The forms for evaluation and training.
const (
	asATIF     = "atif"
	asFinetune = "openai-finetune"
)

// toTrajectories writes every session as a trajectory or an example: a line each, or a file each in a folder.
func (x *exporting) toTrajectories(out string) error {
	if x.Format != "" {
		return failure.Usage("clawctl help export", "--as %s writes JSON, and takes no --format", x.options.as)
	}
	isFolder := x.wantsFolder(out)
	m, err := x.find(x.namesOne && !isFolder)
	if err != nil {
		return err
	}
	t := &trajectoryExport{
		pageExport: &pageExport{exporting: x, folder: out, taken: map[string]bool{}}, leftOut: map[string]int{},
	}
	if x.options.dryRun {
		return t.plan(m.Sessions, isFolder)
	}
	t.family = newFamily(m.Sessions, t.nameOf)
	if !x.options.raw {
		writing.Masks(x.App)
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
func (x *exporting) wantsFolder(out string) bool {
	isFile := slices.Contains([]string{".json", ".jsonl", ".ndjson"}, filepath.Ext(out))
	return writing.IsFolderOutput(out, x.namesOne || isFile)
}

// A trajectoryExport is one run of --as atif or --as openai-finetune.
type trajectoryExport struct {
	*pageExport
	family  *family
	skipped []*skippedSession
	steps   int
	masked  int
	named   int // tools that are declared by name alone
	leftOut map[string]int
}

// plan says what would be written.
func (t *trajectoryExport) plan(sessions []*source.Session, isFolder bool) error {
	if isFolder {
		return t.list(sessions)
	}
	t.Note("would write %s", ui.Count(len(sessions), t.noun()))
	return nil
}

// noun names what a session becomes.
func (t *trajectoryExport) noun() string {
	return map[string]string{asATIF: "trajectory", asFinetune: "example"}[t.options.as]
}

// toFolder writes a file for each session.
func (t *trajectoryExport) toFolder(sessions []*source.Session) error {
	if err := t.begin(); err != nil {
		return err
	}
	for i, s := range sessions {
		t.showProgress(i, len(sessions))
		file := filepath.Join(t.folder, filepath.FromSlash(t.family.files[s]))
		if err := atomicfile.MkdirAll(filepath.Dir(file)); err != nil {
			return cli.OutputError(file, err)
		}
		sub, err := withOutput(t.pageExport.exporting.App, file)
		if err != nil {
			return err
		}
		written := t.written
		err = t.writeSession(sub, s, true)
		writing.KeepFileName(t.pageExport.exporting.App, t.family.files[s])
		if t.written == written {
			sub.Output.Abandon()
		} else if closeErr := sub.Output.Finish(nil); closeErr != nil {
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
	sub, err := withOutput(t.pageExport.exporting.App, out)
	if err != nil {
		return err
	}
	for i, s := range sessions {
		t.showProgress(i, len(sessions))
		counted := &cli.CountingWriter{Writer: &stdoutWriter{sub.Output}}
		written := t.written
		err := t.writeTo(sub, counted, s, len(sessions) == 1 && filepath.Ext(out) == ".json")
		if isHalf := t.written == written && counted.N > 0; isHalf || cli.IsClosedPipe(err) {
			sub.Output.Abandon() // whatever follows would not be JSON
			return err
		}
		if err := t.judge(err); err != nil {
			sub.Output.Abandon()
			return err
		}
	}
	if t.written == 0 {
		sub.Output.Abandon()
		return nil
	}
	return sub.Output.Finish(nil)
}

func (t *trajectoryExport) showProgress(i, n int) {
	t.Progress.Rename("Writing " + strconv.Itoa(i+1) + " of " + strconv.Itoa(n))
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
		t.Blame(t.outcome, err)
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

// writeSession writes a session to the output of a run.
func (t *trajectoryExport) writeSession(sub *cli.App, s *source.Session, lines bool) error {
	return t.writeTo(sub, &stdoutWriter{sub.Output}, s, lines)
}

// writeTo writes a session and a line end. written counts it if that was possible. The error may still say that lines
// of the session are damaged.
func (t *trajectoryExport) writeTo(sub *cli.App, w io.Writer, s *source.Session, lines bool) error {
	reading, err := openTrajectory(sub, s)
	if err != nil {
		return err
	}
	if t.options.as == asATIF {
		err = t.writeATIF(reading, w, lines)
	} else {
		err = t.writeExample(reading, w)
	}
	if err == nil {
		_, err = io.WriteString(w, "\n")
	}
	if err != nil {
		return reading.writeError(err)
	}
	t.written++
	return reading.Damage
}

// writeATIF writes a trajectory.
func (t *trajectoryExport) writeATIF(r *trajectoryReading, w io.Writer, lines bool) error {
	session, err := r.describe(t.family)
	if err != nil {
		return err
	}
	images := showing.NewImageFolder(r.App)
	result, err := trajectory.Write(w, session, trajectory.Options{Raw: t.options.raw, Lines: lines, Image: images.Add})
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
func (t *trajectoryExport) writeExample(r *trajectoryReading, w io.Writer) error {
	prompt, err := r.context.Prompt(r.AgainFor(r.context))
	if err != nil {
		return err
	}
	example := &trajectory.Example{
		Prompt: prompt, Conversation: r.context.Conversation(rebuild.LimitsOf(trajectory.ExampleForm)),
		Records: r.fromContext,
	}
	result, err := trajectory.WriteExample(w, example, t.options.raw)
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

// finish sums up.
func (t *trajectoryExport) finish(out string) error {
	if t.written == 0 && len(t.skipped) > 0 && t.outcome.OK() {
		first := t.skipped[0]
		return failure.New(first.code, "no session has anything to write").WithHint(first.hint())
	}
	unit := map[string]string{asATIF: "step", asFinetune: "message"}[t.options.as]
	t.Note("wrote %s (%s) to %s", ui.Count(t.written, t.noun()), ui.Count(t.steps, unit), cmp.Or(out, "stdout"))
	t.noteLeftOut()
	if t.masked > 0 {
		t.Note("masked %s; --raw shows what looks like a key or a password", ui.Count(t.masked, "secret"))
	}
	if t.named > 0 {
		t.Note("%s declared by name alone, because the transcripts do not say more", ui.Are(t.named, "tool"))
	}
	writing.BlameKept(t.pageExport.exporting.App, t.outcome)
	return t.outcome.Err()
}

// noteLeftOut names what is not in the output.
func (t *trajectoryExport) noteLeftOut() {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(t.leftOut)) {
		list = append(list, leftOutWords(name, t.leftOut[name]))
	}
	if len(list) > 0 {
		t.Note("left out %s", strings.Join(list, ", "))
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
