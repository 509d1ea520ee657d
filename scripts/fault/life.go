//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"clawctl/pkg/store/session/sessiontest"
)

// lifeKills kills commands that change sessions of the store, at moments spread over their run time.
func (f *fault) lifeKills() (string, error) {
	folder, err := f.newFolder("life")
	if err != nil {
		return "", err
	}
	counts, err := sessiontest.Kills(context.Background(), filepath.Join(folder, "s.db"), f.runKilled, f.lifeCount, f.dice)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d kills (append %d, delete %d, restore %d, new %d): 0 acknowledged records lost, 0 torn states",
		f.lifeCount, counts["append"], counts["delete"], counts["restore"], counts["new"]), nil
}

// runKilled runs clawctl and kills it after a delay, unless that is 0.
func (f *fault) runKilled(delay time.Duration, args ...string) (killed bool, took time.Duration, err error) {
	cmd := exec.Command(f.clawctl, args...)
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return false, 0, err
	}
	if delay > 0 {
		timer := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err = cmd.Wait()
	if cmd.ProcessState.ExitCode() == -1 {
		err = nil
		killed = true
	}
	return killed, time.Since(begun), err
}

// appenders is how many processes append at once.
const appenders = 8

// appendPart appends records one by one. Its arguments are the store, the session, a name and the number of records.
func appendPart(args []string) int {
	count, err := strconv.Atoi(args[3])
	if err == nil {
		err = sessiontest.AppendMany(context.Background(), args[0], args[1], args[2], count, time.Now)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "append:", err)
		return 1
	}
	return 0
}

// crowdedAppends runs eight processes that append to one session, and then to one each.
func (f *fault) crowdedAppends() (string, error) {
	folder, err := f.newFolder("appends")
	if err != nil {
		return "", err
	}
	each := f.recordCount / appenders
	for _, isOne := range []bool{true, false} {
		db := filepath.Join(folder, fmt.Sprint(isOne)+".db")
		err := sessiontest.Crowd(context.Background(), db, appenders, each, isOne, func(key, name string) error {
			out, err := exec.Command(f.self, "append", db, key, name, strconv.Itoa(each)).CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d processes, %d records on one session and on eight: none lost, each one's order kept", appenders,
		each*appenders), nil
}
