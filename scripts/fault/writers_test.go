//go:build linux

package fault

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"clawctl/scripts/fault/disk"
)

// A writer is a program that changes files or the store, and how to check what an interruption of it has left.
type writer struct {
	name   string
	cuts   string                              // the check that cuts its power, or "" if it renames folders
	share  int                                 // of all states of that check, in percent
	setUp  func(f *fault, folder string) error // makes the folder that it changes
	isPart bool                                // it is one of the parts of this program, and not clawctl
	args   []string                            // see expand
	back   []string                            // the command that takes it back
	done   string                              // what it prints when it is complete
	check  func(*fault, *scene, interruption) error
}

// The files of a scene, and the command lines that several writers share.
const (
	sessionsFolder = "home/agents/main/sessions/"
	damagedID      = "11111111-1111-4111-8111-111111111111"
	damagedFile    = sessionsFolder + damagedID + ".jsonl"
	firstArchive   = sessionsFolder + "22222222-1111-4111-8111-111111111111.jsonl.deleted.2026-01-01T00-00-00.000Z"
	secondArchive  = sessionsFolder + "33333333-1111-4111-8111-111111111111.jsonl.deleted.2026-01-02T00-00-00.000Z"
	liveKey        = "agent:main:main"
)

var (
	repairArgs = []string{"repair", "--write", "-y", inFolder + damagedFile}
	undoArgs   = []string{"undo", "-y"}
	pruneArgs  = []string{"prune", inFolder + "home", "--write", "-y", "--older", "2099-01-01", "--against",
		inFolder + storeName}
	deleteArgs  = []string{"delete", liveKey, "-y"}
	partialArgs = []string{"import", strconv.Itoa(oftenBytes / 4), smallCorpus, inFolder + storeName}
)

// writers are what R6 to R9 interrupt.
var writers = []*writer{
	{name: "import into a new store", cuts: "R6", share: 30, setUp: inNothing, isPart: true, args: partialArgs,
		done: partDone, check: (*fault).checkImport},
	{name: "import into a new folder", cuts: "R6", share: 10, setUp: inNothing, args: []string{"import", smallCorpus,
		"--to", inFolder + "new/deep/" + storeName}, done: "Imported", check: (*fault).checkImport},
	{name: "import into a store", cuts: "R6", share: 40, setUp: inStore(3), isPart: true, args: partialArgs,
		done: partDone, check: (*fault).checkImport},
	{name: "export", cuts: "R6", share: 10, setUp: inStore(0), args: []string{"export", inFolder + storeName, "-o",
		inFolder + "out"}, done: "Exported", check: (*fault).checkOutput},
	{name: "cat -o over a file", cuts: "R6", share: 10, setUp: inStoreWithReport, args: []string{"cat",
		inFolder + storeName, "--kind", "all", "--force", "-o", inFolder + "out.json"}, check: (*fault).checkOutput},

	{name: "repair", cuts: "R7", share: 20, setUp: inHome(), args: repairArgs, back: undoArgs, done: "made ",
		check: (*fault).checkFiles},
	{name: "undo of a repair", cuts: "R7", share: 20, setUp: inHome(repairArgs), args: undoArgs, back: repairArgs,
		done: "undone", check: (*fault).checkFiles},
	{name: "prune", cuts: "R7", share: 20, setUp: inHome(), args: pruneArgs, back: undoArgs, done: "moved 2 files",
		check: (*fault).checkFiles},
	{name: "undo of a prune", cuts: "R7", share: 15, setUp: inHome(pruneArgs), args: undoArgs, back: pruneArgs,
		done: "undone", check: (*fault).checkFiles},
	{name: "append", cuts: "R7", share: 5, setUp: inHome(), args: []string{"append", liveKey, "hello", "--role", "user",
		"-y"}, done: "_", check: (*fault).checkStore},
	{name: "delete", cuts: "R7", share: 5, setUp: inHome(), args: deleteArgs, done: "moved to the trash",
		check: (*fault).checkStore},
	{name: "new", cuts: "R7", share: 5, setUp: inHome(), args: []string{"new", liveKey, "-y"}, done: liveKey,
		check: (*fault).checkStore},
	{name: "restore", cuts: "R7", share: 5, setUp: inHome(deleteArgs), args: []string{"restore", liveKey, "-y"},
		done: "restored", check: (*fault).checkStore},
	{name: "restore of an archive", cuts: "R7", share: 4, setUp: inHome(), args: []string{"restore",
		inFolder + firstArchive, "-y"}, done: "restored", check: (*fault).checkStore},
	{name: "restore -o", setUp: inHome(), args: []string{"restore", inFolder + firstArchive, "-o",
		inFolder + "out"}, done: "restored", check: (*fault).checkFolder},
	{name: "redact -o", cuts: "R7", share: 3, setUp: inHome(), args: []string{"redact", inFolder + firstArchive, "-o",
		inFolder + "out.jsonl"}, done: "Wrote", check: (*fault).checkCopy},
	{name: "slim -o", cuts: "R7", share: 3, setUp: inHome(), args: []string{"slim", inFolder + firstArchive, "--over",
		"1k", "-o", inFolder + "out.jsonl"}, done: "Wrote", check: (*fault).checkCopy},
	{name: "redact --in-place", cuts: "R7", share: 5, setUp: inHome(repairArgs), args: eraseArgs,
		done: "searched everything again", check: (*fault).checkErased},
	{name: "prune --archive", cuts: "R7", share: 50, setUp: inHome(), args: archiveArgs, back: undoArgs,
		done: "moved 3 sessions", check: (*fault).checkArchived},
	{name: "undo of an archive", cuts: "R7", share: 50, setUp: inHome(archiveArgs), args: undoArgs, back: archiveArgs,
		done: "undone", check: (*fault).checkArchived},
	{name: "import without its archive", cuts: "R7", share: 20, setUp: inHomeWithoutArchive, args: importArgs,
		done: "came back from the sources", check: (*fault).checkHealed},
}

// A scene is the folder of a writer before and after an uninterrupted run.
type scene struct {
	writer                *writer
	base                  string // the folder that was traced
	record                *disk.Record
	before, after         disk.State
	rowsBefore, rowsAfter *content       // of the store
	calls                 map[string]int // how many system calls of each kind the writer makes
}

// scenes traces the writers of a check, or all of them, once.
func (f *fault) scenes(cuts string) (list []*scene, err error) {
	if err := canTrace(); err != nil {
		return nil, err
	}
	for _, w := range writers {
		if !strings.Contains(w.name, f.writerName) || cuts != "" && w.cuts != cuts {
			continue
		}
		if f.staged[w] == nil {
			if f.staged[w], err = f.newScene(w); err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
		}
		list = append(list, f.staged[w])
	}
	return list, nil
}

func (f *fault) newScene(w *writer) (*scene, error) {
	folder, err := f.newFolder("traced")
	if err == nil {
		err = w.setUp(f, folder)
	}
	if err != nil {
		return nil, err
	}
	s := &scene{writer: w, base: folder}
	if s.rowsBefore, err = rowsOf(folder); err != nil {
		return nil, err
	}
	if s.before, err = stateOf(folder); err != nil {
		return nil, err
	}
	if s.record, err = f.trace(w, folder); err != nil {
		return nil, err
	}
	if s.after, err = stateOf(folder); err != nil {
		return nil, err
	}
	s.rowsAfter, err = rowsOf(folder)
	return s, err
}

// stateOf returns what a folder has now.
func stateOf(folder string) (disk.State, error) {
	record, err := disk.Snapshot(folder)
	if err != nil {
		return disk.State{}, err
	}
	return record.Final(), nil
}

// isDone reports whether a writer has printed that it is complete.
func (w *writer) isDone(printed string) bool {
	return w.done != "" && strings.Contains(printed, w.done)
}

// inNothing leaves a folder empty.
func inNothing(*fault, string) error { return nil }

// inStore makes a store with some sessions of the small corpus, or with all of them.
func inStore(most int) func(*fault, string) error {
	return func(f *fault, folder string) error {
		return importSessions(f.small.path, filepath.Join(folder, storeName), oftenBytes, most, func(string) {})
	}
}

func inStoreWithReport(f *fault, folder string) error {
	old := bytes.Repeat([]byte("an older report\n"), 1000)
	return errors.Join(os.WriteFile(filepath.Join(folder, "out.json"), old, 0o600), inStore(0)(f, folder))
}

// inHome makes a home with a damaged session and two archives, imports it, and runs commands.
func inHome(commands ...[]string) func(*fault, string) error {
	return func(f *fault, folder string) error {
		if err := f.writeHome(folder); err != nil {
			return err
		}
		for _, args := range append(slices.Clone(commands), []string{"undo", "--finish"}) { // forgets a repair's originals
			if err := f.mustRun(folder, args...); err != nil {
				return err
			}
		}
		return nil
	}
}

func (f *fault) writeHome(folder string) error {
	sessions := filepath.Join(folder, sessionsFolder)
	err := errors.Join(os.MkdirAll(sessions, 0o700),
		os.WriteFile(filepath.Join(sessions, "sessions.json"),
			fmt.Appendf(nil, `{"%s":{"sessionId":"%s"}}`, liveKey, damagedID), 0o600),
		os.WriteFile(filepath.Join(folder, damagedFile), sceneText(damagedID), 0o600),
		os.WriteFile(filepath.Join(folder, leakedFile), []byte(leaked+"\n"), 0o600))
	for _, name := range []string{firstArchive, secondArchive} {
		id, _, _ := strings.Cut(path.Base(name), ".")
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), sceneText(id), 0o600))
	}
	if err != nil {
		return err
	}
	if err := f.mustRun(folder, importArgs...); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, damagedFile), damagedText(), 0o600)
}

// damagedText returns a transcript with three faults that repair mends.
func damagedText() []byte {
	lines := bytes.SplitAfter(sceneText(damagedID), []byte("\n"))
	lines[4] = lines[4][:20]
	lines[7] = append(bytes.Repeat([]byte{0}, 100), '\n')
	text := bytes.Join(lines, nil)
	return text[:len(text)-7]
}

// sceneText returns a transcript with secrets and large results, so that redact and slim change it.
func sceneText(id string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":"%s","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/"}`+"\n", id)
	parent := "null"
	for i := range 12 {
		record := fmt.Sprintf(`{"type":"message","id":"%.8s-%d","parentId":%s,"timestamp":"2026-01-01T10:00:%02d.000Z",`, id,
			i, parent, i)
		fmt.Fprintf(&b, `%s"message":{"role":"user","content":"password=hunter%d %s"}}`+"\n", record, i,
			strings.Repeat("some text ", 10+20*i))
		parent = fmt.Sprintf(`"%.8s-%d"`, id, i)
	}
	return b.Bytes()
}

// What the arguments of a writer stand for: inFolder begins the name of a file in its folder, and smallCorpus is the
// small corpus.
const (
	inFolder    = "FOLDER/"
	smallCorpus = "CORPUS"
)

// expand replaces what arguments stand for.
func (f *fault) expand(folder string, args []string) []string {
	var expanded []string
	for _, arg := range args {
		if name, ok := strings.CutPrefix(arg, inFolder); ok {
			arg = filepath.Join(folder, name)
		} else if arg == smallCorpus {
			arg = f.small.path
		}
		expanded = append(expanded, arg)
	}
	return expanded
}

// runAt runs clawctl with everything in a folder.
func (f *fault) runAt(folder string, args ...string) ending {
	return executeWith(placeOf(folder), "", f.clawctl, f.expand(folder, args)...)
}

// mustRun is runAt for a command that must succeed.
func (f *fault) mustRun(folder string, args ...string) error {
	if err := f.runAt(folder, args...).failure(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}

// strace runs a writer in a folder, with these options of strace.
func (f *fault) strace(folder string, w *writer, options ...string) ending {
	program := f.clawctl
	if w.isPart {
		program = f.self
	}
	args := append(append([]string{"-f", "-qq"}, options...), program)
	return executeWith(placeOf(folder), "", "strace", append(args, f.expand(folder, w.args)...)...)
}
