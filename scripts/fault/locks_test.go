//go:build linux

package fault

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
func (f *fault) locked(folder string) (string, error) {
	worst := time.Duration(0)
	for _, prepared := range []bool{false, true} {
		for _, timeout := range []time.Duration{100 * time.Millisecond, time.Second, 3 * time.Second} {
			db := filepath.Join(folder, fmt.Sprintf("%t-%s.db", prepared, timeout))
			if prepared {
				if err := f.importInto(db, f.large.path).failure(); err != nil {
					return "", err
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

// importEither imports with clawctl, or with the part of this program that commits often.
func (f *fault) importEither(n int, db, folder string) ending {
	if n%2 == 0 {
		return f.importInto(db, folder)
	}
	return execute(f.self, "import", strconv.Itoa(oftenBytes/4), folder, db)
}

// together starts four imports of the same sessions at once, into a new store. Each must succeed or give up because of
// the lock, and the store must be complete.
func (f *fault) together(folder string) (string, error) {
	gaveUp := 0
	for round := range f.rounds {
		db := filepath.Join(folder, strconv.Itoa(round), "store.db")
		endings := make(chan ending)
		for i := range 4 {
			go func() { endings <- f.importEither(i+round, db, f.small.path) }()
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
