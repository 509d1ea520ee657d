//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A killRun runs clawctl with arguments, and kills it after a delay, or never if that is 0. It reports whether the kill
// ended the process, and how long it ran. A process that ended by itself must have succeeded.
type killRun func(delay time.Duration, args ...string) (killed bool, took time.Duration, err error)

// killEnvironment returns the variables that clawctl needs to find everything in a folder.
func killEnvironment(folder string) map[string]string {
	return map[string]string{
		"XDG_DATA_HOME": filepath.Join(folder, "data"), "HOME": folder, "CLAWCTL_DB": filepath.Join(folder, "s.db"),
		"CLAWCTL_CONFIG": "", "OPENCLAW_STATE_DIR": filepath.Join(folder, "home"),
	}
}

// A pruneKiller kills commands that move files.
type pruneKiller struct {
	ctx    context.Context
	run    killRun
	dice   *rand.Rand
	folder string
	files  []*prunedFile
	usual  map[string]time.Duration // how long a command takes
	kills  map[string]int
	count  int
}

// killPrunes kills commands at moments spread over their run time, until a number of them was hit: prune --write, undo,
// restore of an archive into a store, and restore -o. It returns how often each was killed. The folder must be empty,
// and clawctl must run in its killEnvironment.
func killPrunes(ctx context.Context, folder string, run killRun, kills int, dice *rand.Rand) (map[string]int, error) {
	k := &pruneKiller{ctx: ctx, run: run, dice: dice, folder: folder, usual: map[string]time.Duration{},
		kills: map[string]int{}}
	if err := k.writeHome(); err != nil {
		return nil, err
	}
	if _, err := k.clawctl(0, "import", "home", "--to", "s.db"); err != nil {
		return nil, err
	}
	steps := []func() (bool, error){k.prune, k.undo, k.restore, k.restoreFolder}
	for n := 0; n < kills; k.count++ {
		if k.count > 20*kills+100 {
			return k.kills, fmt.Errorf("only %d kills hit a running process", n)
		}
		killed, err := steps[k.count%len(steps)]()
		if err != nil {
			return k.kills, fmt.Errorf("step %d: %w", k.count, err)
		}
		if killed {
			n++
		}
	}
	return k.kills, nil
}

// clawctl runs a command in the folder.
func (k *pruneKiller) clawctl(delay time.Duration, args ...string) (killed bool, err error) {
	name := killName(args)
	for i, arg := range args {
		if arg == "home" || arg == "s.db" || arg == "out" {
			args[i] = k.path(arg)
		}
	}
	killed, took, err := k.run(delay, append(args, "--quiet")...)
	if err != nil {
		return killed, err
	}
	if !killed {
		k.usual[name] = took
	}
	return killed, nil
}

// killName is what the counts call a command.
func killName(args []string) string {
	if slices.Contains(args, "-o") {
		return args[0] + " -o"
	}
	return args[0]
}

// interrupt runs a command and kills it at a random moment of its usual run time.
func (k *pruneKiller) interrupt(args ...string) (killed bool, err error) {
	delay := time.Duration(0)
	if usual := k.usual[killName(args)]; usual > 0 {
		delay = 1 + time.Duration(k.dice.Int64N(int64(usual)))
	}
	killed, err = k.clawctl(delay, args...)
	if killed {
		k.kills[killName(args)]++
	}
	return killed, err
}

func (k *pruneKiller) path(parts ...string) string {
	return filepath.Join(append([]string{k.folder}, parts...)...)
}

// prune kills a prune. A later one completes it.
func (k *pruneKiller) prune() (killed bool, err error) {
	if killed, err = k.interrupt("prune", "home", "--older", "1d", "--against", "s.db", "--write", "-y"); err != nil {
		return killed, err
	}
	if _, err := k.look(); err != nil {
		return killed, fmt.Errorf("prune: %w", err)
	}
	if _, err := k.clawctl(0, "prune", "home", "--older", "1d", "--against", "s.db", "--write", "-y"); err != nil {
		return killed, err
	}
	if moved, err := k.look(); err != nil || moved != len(k.files) {
		return killed, fmt.Errorf("after the next prune, %d of %d files are in the trash: %w", moved, len(k.files), err)
	}
	return killed, nil
}

// undo kills an undo. Later ones complete it, one for each run of prune that moved something.
func (k *pruneKiller) undo() (killed bool, err error) {
	if killed, err = k.interrupt("undo", "-y"); err != nil {
		return killed, err
	}
	for {
		moved, err := k.look()
		if err != nil {
			return killed, fmt.Errorf("undo: %w", err)
		}
		if moved == 0 {
			break
		}
		if _, err := k.clawctl(0, "undo", "-y"); err != nil {
			return killed, err
		}
	}
	return killed, k.clean(nil, "data", "home/.clawctl-trash") // a killed prune may have left an empty folder
}

// restore kills a restore of an archive into another store. It is there, byte for byte, or not at all.
func (k *pruneKiller) restore() (killed bool, err error) {
	f := k.files[k.dice.IntN(len(k.files))]
	store := k.path("restored.db")
	killed, err = k.interrupt("restore", f.path, "--store", store)
	if err != nil {
		return killed, err
	}
	isThere, err := storeHas(k.ctx, store, f)
	if err == nil && !killed && !isThere {
		err = fmt.Errorf("%s was restored, and is not in the store", f.path)
	}
	if err == nil && !isThere {
		if _, err = k.clawctl(0, "restore", f.path, "--store", store); err == nil {
			isThere, err = storeHas(k.ctx, store, f)
		}
	}
	if err == nil && !isThere {
		err = fmt.Errorf("%s cannot be restored", f.path)
	}
	if err == nil {
		_, err = k.look() // the archive itself stays
	}
	return killed, k.clean(err, "restored.db", "restored.db-wal", "restored.db-shm")
}

// restoreFolder kills a restore of an archive into a folder, which is complete or not there.
func (k *pruneKiller) restoreFolder() (killed bool, err error) {
	f := k.files[k.dice.IntN(len(k.files))]
	killed, err = k.interrupt("restore", f.path, "-o", "out", "--store", k.path("none.db"))
	if err != nil {
		return killed, err
	}
	if _, missing := os.Lstat(k.path("out")); missing != nil {
		if !killed {
			return false, missing
		}
		if _, err := k.clawctl(0, "restore", f.path, "-o", "out", "--store", k.path("none.db")); err != nil {
			return killed, err
		}
	}
	if err := k.isFolderOf(f); err != nil {
		return killed, err
	}
	if _, err := k.look(); err != nil {
		return killed, err
	}
	return killed, k.clean(k.isTidy(), "out")
}

// clean removes what a step has made, unless it failed.
func (k *pruneKiller) clean(err error, names ...string) error {
	for _, name := range names {
		if err == nil {
			err = os.RemoveAll(k.path(name))
		}
	}
	return err
}
