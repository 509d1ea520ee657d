//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// locked imports into a store while another process holds its lock. The import must fail as locked (exit 11) within
// half a second after its timeout, whether the store is new or not.
func (f *fault) locked() (string, error) {
	folder, err := f.newFolder("locked")
	if err != nil {
		return "", err
	}
	worst := time.Duration(0)
	for _, prepared := range []bool{false, true} {
		for _, timeout := range []time.Duration{100 * time.Millisecond, time.Second, 3 * time.Second} {
			db := filepath.Join(folder, fmt.Sprintf("%t-%s.db", prepared, timeout))
			if prepared {
				if ended := f.importInto(db, f.large.path); ended.code != 0 {
					return "", fmt.Errorf("%v", ended)
				}
			}
			ended, err := f.importLocked(db, timeout)
			if err != nil {
				return "", err
			}
			over := ended.took - timeout
			if ended.code != 11 || over > 500*time.Millisecond {
				return "", fmt.Errorf("existing store %t, timeout %v: %v", prepared, timeout, ended)
			}
			worst = max(worst, over)
			if prepared {
				continue
			}
			if err := f.complete(db, f.small); err != nil {
				return "", err
			}
		}
	}
	return fmt.Sprintf("6 of 6 exit 11, at most %d ms after the timeout", worst.Milliseconds()), nil
}

// importLocked runs an import while another process holds the lock.
func (f *fault) importLocked(db string, timeout time.Duration) (ending, error) {
	holder := exec.Command(f.self, "hold", db)
	holder.Stderr = os.Stderr
	stdin, err := holder.StdinPipe()
	if err != nil {
		return ending{}, err
	}
	stdout, err := holder.StdoutPipe()
	if err != nil {
		return ending{}, err
	}
	if err := holder.Start(); err != nil {
		return ending{}, err
	}
	if !bufio.NewScanner(stdout).Scan() {
		return ending{}, errors.New("the other process cannot take the lock")
	}
	ended := f.importInto(db, f.small.path, "--lock-timeout", timeout.String())
	return ended, errors.Join(stdin.Close(), holder.Wait())
}

// together starts four imports of the same sessions at once, into a new store. Each must succeed or give up because of
// the lock, and the store must be complete.
func (f *fault) together() (string, error) {
	folder, err := f.newFolder("together")
	if err != nil {
		return "", err
	}
	gaveUp := 0
	for round := range f.rounds {
		db := filepath.Join(folder, strconv.Itoa(round), "store.db")
		endings := make(chan ending)
		for i := range 4 {
			go func() {
				if (i+round)%2 == 0 {
					endings <- f.importInto(db, f.small.path)
				} else {
					endings <- execute(f.self, "import", strconv.Itoa(oftenBytes/4), f.small.path, db)
				}
			}()
		}
		var wrong error
		for range 4 {
			ended := <-endings
			switch ended.code {
			case 0:
			case 11:
				gaveUp++
			default:
				wrong = errors.Join(wrong, fmt.Errorf("round %d: %v", round, ended))
			}
		}
		if wrong == nil {
			wrong = f.isComplete(db, f.small)
		}
		if wrong != nil {
			return "", fmt.Errorf("round %d: %w", round, wrong)
		}
		os.RemoveAll(filepath.Dir(db))
	}
	return fmt.Sprintf("%d rounds, %d of %d gave up on the lock, 0 lost, 0 duplicated, digest equal",
		f.rounds, gaveUp, 4*f.rounds), nil
}
