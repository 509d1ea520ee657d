//go:build linux

package main

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

// A recording is a program that was traced, and what must be true after a power cut at any moment.
type recording struct {
	name   string
	share  int    // of all states, in percent
	base   string // the folder that was traced
	record *disk.Record
	// check checks the folder that a power cut left, and whether what the program had printed before is true.
	check func(folder, printed string, number int) error
}

// powerStates traces programs, builds disks that a power cut at any moment may leave, and checks them. The controls are
// the same programs without some of their syncs. They must fail, or the simulation would find nothing.
func (f *fault) powerStates() (string, error) {
	if err := canTrace(); err != nil {
		return "", err
	}
	recordings, err := f.recordings()
	if err != nil {
		return "", err
	}
	var summary []string
	for _, rec := range recordings {
		n := f.stateCount * rec.share / 100
		if err := f.cutEverywhere(rec, n); err != nil {
			return "", fmt.Errorf("%s: %w%s", rec.name, err, f.keepState(rec, err))
		}
		summary = append(summary, fmt.Sprintf("%d during %s", n, rec.name))
	}
	controls, err := f.controls(recordings)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d cuts (%s): 0 corrupt, 0 acknowledged sessions lost, digest equal after the next import; "+
		"faults found in every control (%s)", f.stateCount, strings.Join(summary, ", "), controls), nil
}

// A control is a recorded program without some of its syncs.
type control struct {
	name    string
	of      *recording
	without func(disk.Op) bool
}

// controls checks that the simulation finds planted faults.
func (f *fault) controls(recordings []*recording) (string, error) {
	return f.mustFail([]control{
		{"no syncs", recordings[0], func(op disk.Op) bool { return op.Kind == disk.Sync || op.Kind == disk.SyncDir }},
		{"no syncs of the log", recordings[0], isSyncOf(recordings[0].record, "store.db-wal")},
		{"no syncs of folders", recordings[0], func(op disk.Op) bool { return op.Kind == disk.SyncDir }},
		{"no syncs of exported files", recordings[2], func(op disk.Op) bool { return op.Kind == disk.Sync }},
	})
}

// mustFail checks that the simulation finds the faults of every control.
func (f *fault) mustFail(controls []control) (string, error) {
	var summary []string
	for _, c := range controls {
		const most = 200
		broken := *c.of
		broken.record = c.of.record.Without(c.without)
		switch err := f.cutEverywhere(&broken, most); {
		case err == nil:
			return "", fmt.Errorf("a program with %s passed %d states: the simulation finds no faults", c.name, most)
		case !errors.As(err, new(*stateError)):
			return "", err
		}
		summary = append(summary, c.name)
	}
	return strings.Join(summary, ", "), nil
}

// isSyncOf selects the syncs of a file.
func isSyncOf(r *disk.Record, name string) func(disk.Op) bool {
	isOf := r.IsOf(name)
	return func(op disk.Op) bool { return op.Kind == disk.Sync && isOf(op) }
}

// A stateError says what is wrong with a state.
type stateError struct {
	number int
	err    error
}

func (e *stateError) Error() string { return fmt.Sprintf("state %d: %v", e.number, e.err) }

// cutEverywhere checks n states of a recording, and stops at the first one that is wrong.
func (f *fault) cutEverywhere(rec *recording, n int) error {
	newWorker := func() struct{} { return struct{}{} }
	return parallel.Run(context.Background(), n, 0, newWorker, func(_ context.Context, _ struct{}, i int) error {
		return f.cutOnce(rec, i)
	})
}

// cutOnce builds and checks one state.
func (f *fault) cutOnce(rec *recording, number int) error {
	folder, err := os.MkdirTemp(f.statesFolder(), "state-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	moment, err := f.buildState(rec, number, folder)
	if err != nil {
		return err
	}
	if err := rec.check(folder, rec.record.PrintedBefore(moment), number); err != nil {
		return &stateError{number, fmt.Errorf("cut at moment %d of %d: %w", moment, rec.record.Moments, err)}
	}
	return nil
}

// buildState writes the state with a number, and returns the moment of its power cut. It is always the same.
func (f *fault) buildState(rec *recording, number int, folder string) (moment int, err error) {
	dice := rand.New(rand.NewPCG(f.seed, uint64(number)))
	moment = dice.IntN(rec.record.Moments + 1)
	return moment, writeState(folder, relocate(rec.record.State(moment, dice), rec.base, folder), dice)
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
func (f *fault) keepState(rec *recording, err error) string {
	var wrong *stateError
	if !errors.As(err, &wrong) {
		return ""
	}
	folder, err := os.MkdirTemp("", "clawctl-state-*")
	if err == nil {
		_, err = f.buildState(rec, wrong.number, folder)
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

// recordings traces the programs.
func (f *fault) recordings() (list []*recording, err error) {
	for _, record := range []func() (*recording, error){
		func() (*recording, error) { return f.importRecording(30, "imports into new stores", "store.db", nil) },
		func() (*recording, error) {
			return f.importRecording(10, "imports into new folders", filepath.Join("new", "deep", "store.db"), nil)
		},
		func() (*recording, error) {
			return f.importRecording(40, "imports into existing stores", "store.db", func(folder string) error {
				return importSessions(f.small.path, filepath.Join(folder, "store.db"), oftenBytes, 3, func(string) {})
			})
		},
		f.exportRecording,
		f.replaceRecording,
	} {
		rec, err := record()
		if err != nil {
			return nil, err
		}
		list = append(list, rec)
	}
	return list, nil
}

// importRecording traces an import.
func (f *fault) importRecording(share int, name, db string, prepare func(folder string) error) (*recording, error) {
	rec, err := f.trace(name, prepare, f.self, "import", f.small.path, inFolder+db, strconv.Itoa(oftenBytes/4))
	if err != nil {
		return nil, err
	}
	rec.share = share
	rec.check = func(folder, printed string, number int) error {
		return f.checkImport(filepath.Join(folder, db), strings.Fields(printed), number%100 == 0)
	}
	return rec, nil
}

// inFolder begins the arguments that name a file in the traced folder.
const inFolder = "FOLDER/"

// trace runs a program on a folder that prepare has filled.
func (f *fault) trace(name string, prepare func(folder string) error, program string,
	args ...string) (*recording, error) {
	folder, err := f.newFolder("traced")
	if err != nil {
		return nil, err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return nil, err
	}
	if prepare != nil {
		if err = prepare(folder); err != nil {
			return nil, err
		}
	}
	record, err := disk.Snapshot(folder)
	if err != nil {
		return nil, err
	}
	trace := filepath.Join(f.folder, "states.trace")
	command := []string{"-f", "-y", "-qq", "-xx", "-s", strconv.Itoa(64 << 20), "-o", trace, "-e", "signal=none",
		"-e", "trace=" + disk.TracedCalls, program}
	if ended := executeWith(placeOf(folder), "strace", append(command, expand(folder, args)...)...); ended.code != 0 {
		return nil, fmt.Errorf("trace %s: %v", name, ended)
	}
	file, err := os.Open(trace)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := record.ReadTrace(file, folder); err != nil {
		return nil, fmt.Errorf("trace %s: %w", name, err)
	}
	return &recording{name: name, base: folder, record: record}, sameEnd(record, folder)
}

// expand replaces inFolder by a folder.
func expand(folder string, args []string) []string {
	var expanded []string
	for _, arg := range args {
		if name, ok := strings.CutPrefix(arg, inFolder); ok {
			arg = filepath.Join(folder, name)
		}
		expanded = append(expanded, arg)
	}
	return expanded
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

// checkImport checks a store after a power cut: it is not corrupt, it has every session that was reported as done, and
// the next import completes it. A thorough check uses the real programs for that.
func (f *fault) checkImport(db string, acknowledged []string, isThorough bool) error {
	have, err := contentOf(db)
	isNew := errors.Is(err, os.ErrNotExist) || err != nil && strings.Contains(err.Error(), "no such table")
	switch {
	case isNew && len(acknowledged) > 0:
		return fmt.Errorf("the store is empty: %d acknowledged sessions are lost", len(acknowledged))
	case isNew:
	case err != nil:
		return fmt.Errorf("open the store: %w", err)
	default:
		if lost := have.lacks(lastOnly(acknowledged, f.small), f.small.reference); len(lost) > 0 {
			return fmt.Errorf("%d of %d acknowledged sessions are lost: %s", len(lost), len(acknowledged), lost[0])
		}
	}
	if isThorough {
		return f.complete(db, f.small)
	}
	if err := importSessions(f.small.path, db, oftenBytes, 0, func(string) {}); err != nil {
		return fmt.Errorf("the import cannot be completed: %w", err)
	}
	if have, err = contentOf(db); err != nil {
		return err
	}
	return have.differsFrom(f.small.reference)
}
