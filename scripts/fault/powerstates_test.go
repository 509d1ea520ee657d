//go:build linux

package fault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"clawctl/internal/parallel"
	"clawctl/scripts/fault/disk"
)

// powerStates traces the writers of a check, builds disks that a power cut at any moment may leave, and checks them.
// The controls are the same writers without some of their syncs. They must fail, or the simulation would find nothing.
func (f *fault) powerStates(cuts string) (string, error) {
	scenes, err := f.scenes(cuts)
	if err != nil {
		return "", err
	}
	var summary, found []string
	for _, s := range scenes {
		n := f.stateCount * s.writer.share / 100
		if err := f.cutEverywhere(s, n); err != nil {
			return "", fmt.Errorf("%s: %w%s", s.writer.name, err, f.keepState(s, err))
		}
		summary = append(summary, fmt.Sprintf("%d during %s", n, s.writer.name))
	}
	for _, s := range scenes {
		for _, c := range controls {
			if c.of != s.writer.name {
				continue
			}
			if err := f.mustFail(s, c); err != nil {
				return "", err
			}
			found = append(found, c.name)
		}
	}
	return fmt.Sprintf("%s: 0 corrupt, 0 lost, 0 without a receipt, every interrupted change closed and completed; "+
		"faults found in every control (%s)", strings.Join(summary, ", "), strings.Join(found, ", ")), nil
}

// A control is a writer without some of its syncs.
type control struct {
	of, name string
	without  func(disk.Op) bool
}

func isSync(op disk.Op) bool    { return op.Kind == disk.Sync || op.Kind == disk.SyncDir }
func isSyncDir(op disk.Op) bool { return op.Kind == disk.SyncDir }
func isReceipt(op disk.Op) bool { return strings.HasPrefix(op.Path, dataFolder+"/") }

var controls = []control{
	{"import into a new store", "no syncs", isSync},
	{"import into a new store", "no syncs of the log", func(op disk.Op) bool {
		return op.Kind == disk.Sync && op.Path == storeName+"-wal"
	}},
	{"import into a new store", "no syncs of folders", isSyncDir},
	{"export", "no syncs of exported files", func(op disk.Op) bool { return op.Kind == disk.Sync }},
	{"repair", "no syncs of the new text", func(op disk.Op) bool { return op.Kind == disk.Sync && !isReceipt(op) }},
	{"repair", "no syncs of receipts of repair", func(op disk.Op) bool { return isSync(op) && isReceipt(op) }},
	{"repair", "no syncs of folders by repair", isSyncDir},
	{"prune", "no syncs of receipts of prune", func(op disk.Op) bool { return isSync(op) && isReceipt(op) }},
	{"prune", "no syncs of folders by prune", isSyncDir},
	{"prune --archive", "no syncs of the archive", func(op disk.Op) bool {
		return op.Kind == disk.Sync && !isReceipt(op) && !strings.HasPrefix(op.Path, storeName)
	}},
}

// mustFail checks that the simulation finds the fault of a control.
func (f *fault) mustFail(s *scene, c control) error {
	const most = 200
	broken := *s
	broken.record = s.record.Without(c.without)
	switch err := f.cutEverywhere(&broken, most); {
	case err == nil:
		return fmt.Errorf("a program with %s passed %d states: the simulation finds no faults", c.name, most)
	case !errors.As(err, new(*stateError)):
		return err
	}
	return nil
}

// A stateError says what is wrong with a state.
type stateError struct {
	number int
	err    error
}

func (e *stateError) Error() string { return fmt.Sprintf("state %d: %v", e.number, e.err) }

// cutEverywhere checks n states of a scene, and stops at the first one that is wrong.
func (f *fault) cutEverywhere(s *scene, n int) error {
	newWorker := func() struct{} { return struct{}{} }
	return parallel.Run(context.Background(), n, 0, newWorker, func(_ context.Context, _ struct{}, i int) error {
		return f.cutOnce(s, i)
	})
}

// cutOnce builds and checks one state.
func (f *fault) cutOnce(s *scene, number int) error {
	folder, err := os.MkdirTemp(f.statesFolder(), "state-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	moment, err := f.buildState(s, number, folder)
	if err != nil {
		return err
	}
	at := interruption{folder: folder, printed: s.record.PrintedBefore(moment), isReplay: true, isQuick: number%100 > 0}
	at.isDone = s.writer.isDone(at.printed)
	if err := s.writer.check(f, s, at); err != nil {
		return &stateError{number, fmt.Errorf("cut at moment %d of %d: %w", moment, s.record.Moments, err)}
	}
	return nil
}

// buildState writes the state with a number, and returns the moment of its power cut. It is always the same.
func (f *fault) buildState(s *scene, number int, folder string) (moment int, err error) {
	dice := rand.New(rand.NewPCG(f.seed, uint64(number)))
	moment = dice.IntN(s.record.Moments + 1)
	return moment, writeState(folder, relocate(s.record.State(moment, dice), s.base, folder), dice)
}

// relocate replaces the traced folder by another one in the files of clawctl's data folder, whose receipts have
// absolute paths.
func relocate(s disk.State, from, to string) disk.State {
	moved := disk.State{Files: map[string][]byte{}, Folders: s.Folders, Links: s.Links}
	for name, data := range s.Files {
		if moved.Files[name] = data; strings.HasPrefix(name, dataFolder+"/") {
			moved.Files[name] = bytes.ReplaceAll(data, []byte(from+"/"), []byte(to+"/"))
		}
	}
	return moved
}

// keepState writes a state that is wrong to a folder that stays after the run, and says where.
func (f *fault) keepState(s *scene, err error) string {
	var wrong *stateError
	if !errors.As(err, &wrong) {
		return ""
	}
	folder, err := os.MkdirTemp("", "clawctl-state-*")
	if err == nil {
		_, err = f.buildState(s, wrong.number, folder)
	}
	if err != nil {
		return fmt.Sprintf(" (the state cannot be kept: %v)", err)
	}
	return " (the state is kept in " + folder + ")"
}

// statesFolder returns a folder in memory if there is one, because syncs there take no time.
func (f *fault) statesFolder() string {
	f.statesOnce.Do(func() {
		var err error
		if f.states, err = os.MkdirTemp("/dev/shm", "clawctl-fault-*"); err != nil {
			f.states = f.folder
		}
	})
	return f.states
}

// writeState writes a state. The -shm file of SQLite is shared memory: after a power cut, it contains anything.
func writeState(folder string, s disk.State, dice *rand.Rand) error {
	var err error
	for _, name := range s.Folders {
		err = errors.Join(err, os.Mkdir(filepath.Join(folder, name), 0o700))
	}
	for name, data := range s.Files {
		if strings.HasSuffix(name, "-shm") && dice.IntN(2) == 0 {
			for i := range data {
				data[i] = byte(dice.Uint32())
			}
		}
		if s.Links[name] == "" {
			err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), data, 0o600))
		}
	}
	for name, other := range s.Links {
		err = errors.Join(err, os.Link(filepath.Join(folder, other), filepath.Join(folder, name)))
	}
	return err
}

// storeName is the store below a traced folder.
const storeName = "store.db"

// trace runs a writer and records what it does to its folder.
func (f *fault) trace(w *writer, folder string) (*disk.Record, error) {
	record, err := disk.Snapshot(folder)
	if err != nil {
		return nil, err
	}
	trace := filepath.Join(f.folder, "states.trace")
	ended := f.strace(folder, w, "-y", "-xx", "-s", strconv.Itoa(64<<20), "-o", trace, "-e", "signal=none", "-e",
		"trace="+disk.TracedCalls)
	if ended.code != 0 || w.done != "" && !w.isDone(ended.stdout+ended.stderr) {
		return nil, fmt.Errorf("trace: %v", ended)
	}
	if w.cuts == "" {
		return record, nil
	}
	file, err := os.Open(trace)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := record.ReadTrace(file, folder); err != nil {
		return nil, err
	}
	return record, sameEnd(record, folder)
}

// dataFolder is where clawctl keeps its receipts, below the traced folder.
const dataFolder = "data"

// placeOf returns the variables with which clawctl finds everything in a folder.
func placeOf(folder string) []string {
	return []string{
		"XDG_DATA_HOME=" + filepath.Join(folder, dataFolder), "HOME=" + folder, "CLAWCTL_CONFIG=",
		"CLAWCTL_DB=" + filepath.Join(folder, storeName), "OPENCLAW_STATE_DIR=" + filepath.Join(folder, "home"),
	}
}

// sameEnd checks that the record leads to the files that the program left, so that nothing is missing in it.
func sameEnd(record *disk.Record, folder string) error {
	have, err := disk.Snapshot(folder)
	if err != nil {
		return err
	}
	want := record.Final()
	for name, file := range have.Before {
		if !bytes.Equal(have.Content[file], want.Files[name]) {
			return fmt.Errorf("the record is incomplete: %s differs", name)
		}
	}
	if len(have.Before) != len(want.Files) {
		return fmt.Errorf("the record is incomplete: it leads to %d files, not %d", len(want.Files), len(have.Before))
	}
	return nil
}
