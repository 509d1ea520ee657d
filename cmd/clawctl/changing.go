package main

// How commands change files of other programs:
//
//   - Without --write a command only says what it would do. It exits 1 if that is anything.
//   - --write asks on a terminal, unless -y is given. Without a terminal it does not ask.
//   - Every change goes through pkg/change and leaves a receipt in the data folder. `clawctl undo` reads it.

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/change"
)

// changeOptions are the flags of commands that change files.
type changeOptions struct {
	write, yes, dryRun bool
}

func (o *changeOptions) flags() []flag {
	return []flag{
		switchFlag(&o.write, "write", "make the changes; asks first on a terminal"),
		yesFlag(&o.yes),
		switchFlag(&o.dryRun, "dry-run", "only say what would be changed; the default"),
	}
}

func yesFlag(dst *bool) flag { return switchFlag(dst, "yes", "do not ask").withShort("y") }

// check refuses flags that exclude each other.
func (o *changeOptions) check(a *app, c *command) error {
	switch {
	case o.write && o.dryRun:
		return c.conflict("--write", "--dry-run")
	case o.write && !a.output.options.isStdout():
		return c.conflict("--write", "-o")
	case o.yes && !o.write:
		return c.usage("--yes needs --write")
	}
	return nil
}

// writeCommand is the run's own command with --write, for a hint.
func (a *app) writeCommand() string {
	args := slices.DeleteFunc(slices.Clone(a.args), func(arg string) bool { return arg == "--dry-run" })
	return (&app{args: args}).commandLine("--write")
}

// journal returns the receipts of this user.
func (a *app) journal() (*change.Journal, error) {
	if a.changes != nil {
		return a.changes, nil
	}
	folder, err := dataFolder(runtime.GOOS, os.Getenv)
	if err != nil {
		return nil, failure.Usage("clawctl env", "no data folder is known: %v", err)
	}
	return &change.Journal{Folder: filepath.Join(folder, "clawctl", "receipts"), Now: a.now()}, nil
}

// beginChanges completes what interrupted runs have left. A run that changes files calls it before it reads them. What
// cannot be completed is only named: undo --finish says more.
func (a *app) beginChanges() error {
	settled, err := a.settle()
	if err != nil {
		return err
	}
	isComplete := true
	for _, s := range settled {
		a.noteSettled(s)
		isComplete = isComplete && s.Err == nil
	}
	if !isComplete {
		a.hint("clawctl undo --finish")
	}
	return nil
}

// finishChanges completes what interrupted runs have left, and fails if something cannot be completed.
func (a *app) finishChanges() error {
	settled, err := a.settle()
	if err != nil {
		return err
	}
	outcome := &failure.Tally{}
	for _, s := range settled {
		if s.Err != nil {
			a.blame(outcome, a.pendingError(s))
			continue
		}
		a.noteSettled(s)
	}
	return outcome.Err()
}

// settle begins the changes of this run.
func (a *app) settle() ([]change.Settled, error) {
	journal, err := a.journal()
	if err != nil {
		return nil, err
	}
	settled, err := journal.Begin()
	if err != nil {
		return nil, a.changeError(journal.Folder, err)
	}
	a.changes = journal
	a.atEnd(journal.End)
	return settled, nil
}

// noteSettled says what became of a change that an earlier run began.
func (a *app) noteSettled(s change.Settled) {
	r := s.Receipt
	switch {
	case s.Err != nil:
		a.note("%s: %s", r.Path, pendingWords(s))
	case s.Lines > 0:
		a.note("%s: added %s that a program wrote to the old file after the %s", r.Path, ui.Count(s.Lines, "line"), r.Command)
	case s.State == change.Removed:
		a.note("%s: completed an interrupted %s: the file is no longer in the trash", r.Path, r.Command)
	default:
		a.note("%s: closed an interrupted %s: the file is as it was before", r.Path, r.Command)
	}
}

// pendingWords says what could not be completed.
func pendingWords(s change.Settled) string {
	text := map[change.Pending]string{
		change.Interrupted: "the interrupted %s cannot be completed",
		change.Late:        "what a program wrote to the old file after the %s cannot be added",
		change.KeptOld:     "the old file of the %s cannot be removed",
	}[s.Pending]
	return fmt.Sprintf(text, s.Receipt.Command)
}

// pendingError says why something could not be completed, and what helps.
func (a *app) pendingError(s change.Settled) *failure.Error {
	var late *change.LateError
	if errors.As(s.Err, &late) {
		return late.FailureAt(s.Receipt.Path)
	}
	f := a.changeError(s.Receipt.Path, s.Err)
	f.Text = pendingWords(s) + ": " + f.Text
	return f
}

// noteInterrupted names the changes that were interrupted in the places that were read. Only a command that changes
// files completes them.
func (a *app) noteInterrupted() {
	journal, err := a.journal()
	if err != nil || a.changes != nil || len(a.read) == 0 || !journal.HasInterrupted() {
		return
	}
	unsettled := a.unsettled(a.read...)
	for _, r := range unsettled {
		if r.Stuck() != nil {
			a.note("%s: a program wrote to the old file after the %s", r.Path, r.Command)
			continue
		}
		a.note("%s: %s %s was interrupted; the next command that changes files completes it", r.Path, article(r.Command),
			r.Command)
	}
	if len(unsettled) > 0 {
		a.hint("clawctl undo --finish")
	}
}

// unsettled returns the receipts of changes to the given folders that were interrupted, or whose old file somebody
// wrote to later.
func (a *app) unsettled(folders ...string) []*change.Receipt {
	journal, err := a.journal()
	if err != nil {
		return nil
	}
	list, err := journal.Unsettled()
	if err != nil {
		return nil // a command that changes files says why
	}
	return slices.DeleteFunc(list, func(r *change.Receipt) bool {
		return !slices.ContainsFunc(folders, func(folder string) bool { return isOf(r, []string{folder}) })
	})
}

// article returns the article of a word.
func article(word string) string {
	if strings.ContainsAny(word[:1], "aeiou") {
		return "an"
	}
	return "a"
}

// receipts reads all receipts, and names those that cannot be read.
func (a *app) receipts(journal *change.Journal) ([]*change.Receipt, error) {
	list, unread, err := journal.ReadReceipts()
	if err != nil {
		return nil, a.changeError(journal.Folder, err)
	}
	for _, e := range unread {
		a.note("%s: %v; the other receipts are not affected", e.Path, e)
	}
	return list, nil
}

// isInteractive reports whether somebody can be asked.
func (a *app) isInteractive() bool { return ui.IsTerminal(a.stdin) && a.console.term.Is }

// confirm asks a question on a terminal. Without one, the answer is yes.
func (a *app) confirm(question string, yes bool) bool {
	if yes || !a.isInteractive() {
		return true
	}
	a.progress.Print(func() { _, _ = a.console.dst.Write([]byte(ui.EscapeLine(question) + " [y/N] ")) })
	line, _ := bufio.NewReader(a.stdin).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

// declined ends a run whose question was answered with no.
func (a *app) declined() error {
	a.note("nothing was changed")
	return failure.Findings
}

// changeError gives an error of a change its code and hint.
func (a *app) changeError(path string, err error) *failure.Error {
	f := failure.From(path, err)
	switch {
	case f != nil:
		return f
	case errors.Is(err, fs.ErrNotExist) && !isThere(path):
		return inputError(path, err)
	}
	if journal, journalErr := a.journal(); journalErr == nil {
		if folder := receiptsFolder(journal.Folder); folder.blocks(err) {
			return folder.failure(err)
		}
	}
	path = failedPath(path, err)
	if errors.Is(err, fs.ErrPermission) {
		return failure.New(failure.Denied, "permission denied; nothing was changed").At(path).WithHint(
			failure.Command("ls", "-ld", filepath.Dir(path)))
	}
	if errors.Is(err, change.ErrNotFolder) {
		return failure.New(failure.Denied, "%v; nothing was changed", change.ErrNotFolder).At(path).WithHint(
			failure.Command("ls", "-ld", path))
	}
	f = outputError(path, err)
	f.Text += "; nothing was changed"
	f.Hint = failure.Command("df", "-h", filepath.Dir(path))
	return f
}

// failedPath is the path that an error is about: the file that was to be changed, unless it is in another folder, such
// as a receipt.
func failedPath(path string, err error) string {
	var failed *fs.PathError
	var unsynced *atomicfile.SyncError
	switch {
	case errors.As(err, &unsynced):
		return unsynced.Folder
	case !errors.As(err, &failed):
		return path
	}
	absolute, absErr := filepath.Abs(path)
	if absErr != nil || filepath.Dir(failed.Path) == filepath.Dir(absolute) || !filepath.IsAbs(failed.Path) {
		return path
	}
	return failed.Path
}

// isThere reports whether there is something at a path.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return path != "" && err == nil
}

// isOf reports whether a receipt is about a file of the place that the user named.
func isOf(r *change.Receipt, operands []string) bool {
	if len(operands) == 0 {
		return true
	}
	folder, err := filepath.Abs(expandHome(operands[0]))
	if real, realErr := filepath.EvalSymlinks(folder); realErr == nil {
		folder = real
	}
	below, relErr := filepath.Rel(folder, r.Path)
	return err == nil && relErr == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator))
}
