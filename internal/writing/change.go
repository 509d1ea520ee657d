package writing

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/shell"
	"clawctl/internal/ui"
	"clawctl/pkg/change"
	"clawctl/pkg/source/openclaw"
)

// ChangeOptions are the flags of commands that change files.
type ChangeOptions struct {
	Write, Yes, DryRun bool
}

// Flags describes them.
func (o *ChangeOptions) Flags() []cli.Flag {
	return []cli.Flag{
		cli.SwitchFlag(&o.Write, "write", "make the changes; asks first on a terminal"),
		YesFlag(&o.Yes),
		cli.SwitchFlag(&o.DryRun, "dry-run", "only say what would be changed; the default"),
	}
}

// Check refuses flags that exclude each other.
func (o *ChangeOptions) Check(a *cli.App) error {
	switch {
	case o.Write && o.DryRun:
		return cli.Conflict("--write", "--dry-run")
	case o.Write && !a.Output.Options.IsStdout():
		return cli.Conflict("--write", "-o")
	case o.Yes && !o.Write:
		return cli.Usage("--yes needs --write")
	}
	return nil
}

// WriteCommand is the run's own command with --write, for a hint.
func WriteCommand(a *cli.App) string { return commandWithout(a, "--dry-run").CommandLine("--write") }

// WithoutWrite is the run's own command without --write and what belongs to it, for a hint.
func WithoutWrite(a *cli.App) string {
	return commandWithout(a, "--write", "-y", "--yes").CommandLine()
}

// commandWithout is the run's own command without some flags.
func commandWithout(a *cli.App, flags ...string) *cli.App {
	return &cli.App{Args: slices.DeleteFunc(slices.Clone(a.Args), func(arg string) bool {
		return slices.Contains(flags, arg)
	})}
}

// Journal returns the receipts of this user.
func Journal(a *cli.App) (*change.Journal, error) {
	if a.Changes != nil {
		return a.Changes, nil
	}
	folder, err := cli.DataFolder(runtime.GOOS, os.Getenv)
	if err != nil {
		return nil, failure.Usage("clawctl env", "no data folder is known: %v", err)
	}
	return &change.Journal{Folder: filepath.Join(folder, "clawctl", "receipts"), Now: a.Now()}, nil
}

// BeginChanges completes what interrupted runs have left. A run that changes files calls it before it reads them. What
// cannot be completed is only named: undo --finish says more.
func BeginChanges(a *cli.App) error {
	settled, err := settle(a)
	if err != nil {
		return err
	}
	isComplete := true
	for _, s := range settled {
		noteSettled(a, s)
		isComplete = isComplete && s.Err == nil
	}
	if !isComplete {
		a.Hint("clawctl undo --finish")
	}
	return nil
}

// FinishChanges completes what interrupted runs have left, and fails if something cannot be completed.
func FinishChanges(a *cli.App) error {
	settled, err := settle(a)
	if err != nil {
		return err
	}
	for _, s := range settled {
		if s.Err != nil {
			a.Blame(pendingError(a, s))
			continue
		}
		noteSettled(a, s)
	}
	return a.Outcome.Err()
}

// settle begins the changes of this run.
func settle(a *cli.App) ([]change.Settlement, error) {
	journal, err := Journal(a)
	if err != nil {
		return nil, err
	}
	settled, err := journal.Begin()
	if err != nil {
		return nil, ChangeError(a, journal.Folder, err)
	}
	a.Changes = journal
	a.AtEnd(journal.End)
	return settled, nil
}

// noteSettled says what became of a change that an earlier run began.
func noteSettled(a *cli.App, s change.Settlement) {
	r := s.Receipt
	switch {
	case s.Err != nil:
		a.Note("%s: %s", r.Path, pendingWords(s))
	case s.Lines > 0:
		a.Note("%s: added %s that a program wrote to the old file after the %s", r.Path, ui.Count(s.Lines, "line"), r.Command)
	case s.State == change.Removed:
		a.Note("%s: completed an interrupted %s: the file is no longer in the trash", r.Path, r.Command)
	default:
		a.Note("%s: closed an interrupted %s: the file is as it was before", r.Path, r.Command)
	}
}

// pendingWords says what could not be completed.
func pendingWords(s change.Settlement) string {
	text := map[change.PendingReason]string{
		change.Interrupted: "the interrupted %s cannot be completed",
		change.Late:        "what a program wrote to the old file after the %s cannot be added",
		change.KeptOld:     "the old file of the %s cannot be removed",
	}[s.Pending]
	return fmt.Sprintf(text, s.Receipt.Command)
}

// pendingError says why something could not be completed, and what helps.
func pendingError(a *cli.App, s change.Settlement) *failure.Error {
	var late *change.LateError
	if errors.As(s.Err, &late) {
		return late.FailureAt(s.Receipt.Path)
	}
	f := ChangeError(a, s.Receipt.Path, s.Err)
	f.Text = pendingWords(s) + ": " + f.Text
	return f
}

// NoteInterrupted names the changes that were interrupted in the places that were read. Only a command that changes
// files completes them.
func NoteInterrupted(a *cli.App) {
	journal, err := Journal(a)
	if err != nil || a.Changes != nil || len(a.Read) == 0 || !journal.HasInterrupted() {
		return
	}
	unsettled := Unsettled(a, a.Read...)
	for _, r := range unsettled {
		if r.Stuck() != nil {
			a.Note("%s: a program wrote to the old file after the %s", r.Path, r.Command)
			continue
		}
		a.Note("%s: %s %s was interrupted; the next command that changes files completes it", r.Path, article(r.Command),
			r.Command)
	}
	if len(unsettled) > 0 {
		a.Hint("clawctl undo --finish")
	}
}

// Unsettled returns the receipts of changes to the given folders that were interrupted, or whose old file somebody
// wrote to later.
func Unsettled(a *cli.App, folders ...string) []*change.Receipt {
	journal, err := Journal(a)
	if err != nil {
		return nil
	}
	list, err := journal.Unsettled()
	if err != nil {
		return nil // a command that changes files says why
	}
	return slices.DeleteFunc(list, func(r *change.Receipt) bool {
		return !slices.ContainsFunc(folders, func(folder string) bool { return IsOf(r, []string{folder}) })
	})
}

// Created returns the receipts of files that clawctl has made in a folder, and that nobody has changed since.
func Created(a *cli.App, folder string) []*change.Receipt {
	return receiptsOf(a, folder, func(r *change.Receipt) bool {
		if !r.Created {
			return false
		}
		state, err := r.State()
		return err == nil && state == change.Undoable
	})
}

// Trashed returns the receipts of files of a folder that are in the trash.
func Trashed(a *cli.App, folder string) []*change.Receipt {
	return receiptsOf(a, folder, (*change.Receipt).InTrash)
}

// receiptsOf returns the receipts of a folder that are wanted. If they cannot be read, a command that changes files
// says why.
func receiptsOf(a *cli.App, folder string, isWanted func(*change.Receipt) bool) []*change.Receipt {
	journal, err := Journal(a)
	if err != nil {
		return nil
	}
	list, err := journal.Receipts()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(list, func(r *change.Receipt) bool { return !IsOf(r, []string{folder}) || !isWanted(r) })
}

func article(word string) string {
	if strings.ContainsAny(word[:1], "aeiou") {
		return "an"
	}
	return "a"
}

// Receipts reads all receipts, and names those that cannot be read.
func Receipts(a *cli.App, journal *change.Journal) ([]*change.Receipt, error) {
	list, unread, err := journal.ReadReceipts()
	if err != nil {
		return nil, ChangeError(a, journal.Folder, err)
	}
	for _, e := range unread {
		a.Note("%s: %v; the other receipts are not affected", e.Path, e)
	}
	return list, nil
}

// ChangeError gives an error of a change its code and hint.
func ChangeError(a *cli.App, path string, err error) *failure.Error {
	f := failure.From(path, err)
	switch {
	case f != nil:
		return f
	case errors.Is(err, fs.ErrNotExist) && !openfile.IsThere(path):
		return cli.InputError(path, err)
	}
	if journal, journalErr := Journal(a); journalErr == nil {
		if folder := cli.ReceiptsFolder(journal.Folder); folder.Blocks(err) {
			return folder.Failure(err)
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
	f = cli.OutputError(path, err)
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

// IsOf reports whether a receipt is about a file of the place that the user named.
func IsOf(r *change.Receipt, operands []string) bool {
	if len(operands) == 0 {
		return true
	}
	return openfile.IsBelow(r.Path, openfile.WithoutLinks(cli.ExpandHome(operands[0])))
}

// ImportCommand is OpenClaw's own command that imports the files of an agent of the state folder that a file is in.
func ImportCommand(a *cli.App, path, agent string) string {
	return openClawCommand(a, path, "doctor", "--session-sqlite", "import", "--session-sqlite-agent", agent)
}

// DeleteCommand is OpenClaw's own command that deletes a session from its database. It needs a running gateway.
func DeleteCommand(a *cli.App, path, agent, key string) string {
	return openClawCommand(a, path, "sessions", "delete", key, "--agent", agent)
}

// CompactCommand is OpenClaw's own command that removes what was deleted from the file of its database.
func CompactCommand(a *cli.App, path, agent string) string {
	return openClawCommand(a, path, "doctor", "--session-sqlite", "compact", "--session-sqlite-agent", agent)
}

// openClawCommand is a command of OpenClaw for the state folder that a file is in.
func openClawCommand(a *cli.App, path string, args ...string) string {
	command := failure.Command(append([]string{"openclaw"}, args...)...)
	folder := openclaw.StateFolderOf(path)
	if state, _ := a.StateDir(); openfile.IsSame(folder, state.Path) {
		return command
	}
	return shell.Current().With("OPENCLAW_STATE_DIR", cli.Absolute(folder), command)
}
