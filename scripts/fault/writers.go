//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"clawctl/scripts/fault/disk"
)

// A writer is a command that changes files or the store, and how to check what an interruption of it has left.
type writer struct {
	name    string
	share   int                       // of all states, in percent
	prepare [][]string                // commands that run before it
	lose    func(folder string) error // what happens after these
	args    []string                  // inFolder begins those that name a file
	back    []string                  // the command that takes it back
	done    string                    // what it prints when it is complete
	check   func(f *fault, s *scene, at interruption) error
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
)

// writers are the commands that R7, R8 and R9 interrupt.
var writers = []*writer{
	{name: "repair", share: 20, args: repairArgs, back: undoArgs, done: "made ", check: (*fault).checkFiles},
	{name: "undo of a repair", share: 20, prepare: [][]string{repairArgs}, args: undoArgs, back: repairArgs,
		done: "undone", check: (*fault).checkFiles},
	{name: "prune", share: 20, args: pruneArgs, back: undoArgs, done: "moved 2 files", check: (*fault).checkFiles},
	{name: "undo of a prune", share: 15, prepare: [][]string{pruneArgs}, args: undoArgs, back: pruneArgs,
		done: "undone", check: (*fault).checkFiles},
	{name: "append", share: 5, args: []string{"append", liveKey, "hello", "--role", "user", "-y"}, done: "_",
		check: (*fault).checkStore},
	{name: "restore", share: 5, prepare: [][]string{{"delete", liveKey, "-y"}}, args: []string{"restore", liveKey, "-y"},
		back: []string{"delete", liveKey, "-y"}, done: "restored", check: (*fault).checkStore},
	{name: "restore of an archive", share: 4, args: []string{"restore", inFolder + firstArchive, "-y"}, done: "restored",
		check: (*fault).checkStore},
	{name: "redact -o", share: 3, args: []string{"redact", inFolder + firstArchive, "-o", inFolder + "out.jsonl"},
		done: "Wrote", check: (*fault).checkCopy},
	{name: "slim -o", share: 3, args: []string{"slim", inFolder + firstArchive, "--over", "1k", "-o",
		inFolder + "out.jsonl"}, done: "Wrote", check: (*fault).checkCopy},
	{name: "redact --in-place", share: 5, prepare: [][]string{repairArgs}, args: eraseArgs,
		done: "searched everything again", check: (*fault).checkErased},
	{name: "prune --archive", share: 50, args: archiveArgs, back: undoArgs, done: "moved 3 sessions",
		check: (*fault).checkArchived},
	{name: "undo of an archive", share: 50, prepare: [][]string{archiveArgs}, args: undoArgs, back: archiveArgs,
		done: "undone", check: (*fault).checkArchived},
	{name: "import without its archive", share: 20, prepare: [][]string{archiveArgs}, lose: loseArchive,
		args: importArgs, done: "came back from the sources", check: (*fault).checkHealed},
}

// A scene is the folder of a writer before and after an uninterrupted run.
type scene struct {
	writer                *writer
	recording             *recording
	before, after         disk.State
	rowsBefore, rowsAfter rows           // of the store
	calls                 map[string]int // how many system calls of each kind the writer makes
}

// scenes traces every writer once.
func (f *fault) scenes() ([]*scene, error) {
	if f.staged != nil {
		return f.staged, nil
	}
	var list []*scene
	for _, w := range writers {
		if !strings.Contains(w.name, f.writerName) {
			continue
		}
		s, err := f.newScene(w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		list = append(list, s)
	}
	f.staged = list
	return list, nil
}

func (f *fault) newScene(w *writer) (*scene, error) {
	s := &scene{writer: w}
	var err error
	s.recording, err = f.trace(w.name, func(folder string) error {
		if err := f.prepareScene(w, folder); err != nil {
			return err
		}
		s.rowsBefore, err = readRows(filepath.Join(folder, storeName))
		return err
	}, f.clawctl, w.args...)
	if err != nil {
		return nil, err
	}
	s.recording.share = w.share
	record := s.recording.record
	s.before, s.after = record.Without(func(disk.Op) bool { return true }).Final(), record.Final()
	if printed := record.PrintedBefore(record.Moments); !strings.Contains(printed, w.done) {
		return nil, fmt.Errorf("it printed %q", printed)
	}
	s.recording.check = func(folder, printed string, _ int) error {
		return w.check(f, s, interruption{folder, strings.Contains(printed, w.done), true})
	}
	s.rowsAfter, err = readRows(filepath.Join(s.recording.base, storeName))
	return s, err
}

// prepareScene writes a home with a damaged session and two archives, imports it, and runs what the writer needs.
func (f *fault) prepareScene(w *writer, folder string) error {
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
	imported := f.runAt(folder, "import", inFolder+"home", "--to", inFolder+storeName)
	if imported.code != 0 {
		return fmt.Errorf("%v", imported)
	}
	if err := os.WriteFile(filepath.Join(folder, damagedFile), damagedText(), 0o600); err != nil {
		return err
	}
	for _, args := range append(w.prepare, []string{"undo", "--finish"}) { // which forgets the originals of a repair
		if ended := f.runAt(folder, args...); ended.code != 0 {
			return fmt.Errorf("%s: %v", args[0], ended)
		}
	}
	if w.lose != nil {
		return w.lose(folder)
	}
	return nil
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

// runAt runs clawctl with everything in a folder.
func (f *fault) runAt(folder string, args ...string) ending {
	return executeWith(placeOf(folder), f.clawctl, expand(folder, args)...)
}
