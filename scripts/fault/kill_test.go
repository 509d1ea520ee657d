//go:build linux

package fault

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// oftenBytes is how many bytes the import under test commits at once: about one session.
const oftenBytes = 64 << 10

// kills kills imports with SIGKILL. Some are killed again while they resume.
func (f *fault) kills(folder string) (string, error) {
	resumed := 0
	err := f.interruptImports(folder, f.killCount, func(v *victim) (keys []string, err error) {
		if err := v.kill(); err != nil || !v.died {
			return v.keys, err
		}
		if f.dice.IntN(4) == 0 {
			if again, err := f.startVictim(v.db, f.large); err == nil {
				_ = again.kill()
				resumed++
			}
		}
		return v.keys, nil
	})
	return fmt.Sprintf("%d kills, %d of them followed by another during the resumed import: 0 lost, 0 duplicated, "+
		"integrity ok, digest equal", f.killCount, resumed), err
}

// interruptImports interrupts imports at a random moment after their first commit, until a number of them was hit. The
// store must have everything that was reported as done, which interrupt returns, and the next import must complete it.
func (f *fault) interruptImports(folder string, count int, interrupt func(*victim) (keys []string, err error)) error {
	whole := time.Duration(0) // the time of an import after its first commit
	for round, hits := 0, 0; hits < count; round++ {
		if round > 3*count+10 {
			return fmt.Errorf("only %d of %d interruptions hit a running import", hits, round)
		}
		v, err := f.startVictim(filepath.Join(folder, strconv.Itoa(round), storeName), f.large)
		if err != nil {
			return err
		}
		if round == 0 { // the first import measures how long it takes
			if whole, err = v.finish(); err != nil {
				return err
			}
			continue
		}
		time.Sleep(time.Duration(f.dice.Int64N(int64(whole))))
		keys, err := interrupt(v)
		if err != nil {
			return err
		}
		if v.died {
			hits++
		} else {
			whole = min(whole, time.Since(v.first))
		}
		if err = f.acknowledged(v.db, keys, f.large); err == nil {
			err = f.complete(v.db, f.large)
		}
		if err != nil {
			return fmt.Errorf("interruption %d: %w", round, err)
		}
		os.RemoveAll(filepath.Dir(v.db))
	}
	return nil
}

// acknowledged checks that a store has every session that was reported as done.
func (f *fault) acknowledged(db string, keys []string, c *corpus) error {
	have, err := readContent(db)
	if err != nil {
		return err
	}
	// A session is reported once for each of its sources. It is complete after the last one.
	if lost := have.lacks(lastOnly(keys, c), c.reference); len(lost) > 0 {
		return fmt.Errorf("%d of %d acknowledged sessions are lost: %s", len(lost), len(keys), lost[0])
	}
	return nil
}

// lastOnly returns the sessions that no further source can change.
func lastOnly(keys []string, c *corpus) []string {
	var done []string
	count := map[string]int{}
	for _, key := range keys {
		count[key]++
	}
	for key, n := range count {
		if n == c.reference.Sources[key] {
			done = append(done, key)
		}
	}
	return done
}

// A victim is a running import that will be interrupted.
type victim struct {
	db    string
	cmd   *exec.Cmd
	keys  []string    // the sessions it has reported
	times []time.Time // when each was reported
	first time.Time
	read  chan struct{}
	died  bool // whether it was interrupted
}

// startVictim starts an import and waits until it has reported its first session.
func (f *fault) startVictim(db string, c *corpus) (*victim, error) {
	cmd := exec.Command(f.self, "import", strconv.Itoa(oftenBytes), c.path, db)
	v := &victim{db: db, cmd: cmd, read: make(chan struct{})}
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err = v.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	if lines.Scan() {
		v.report(lines.Text())
	}
	v.first = time.Now()
	go func() {
		defer close(v.read)
		for lines.Scan() {
			v.report(lines.Text())
		}
	}()
	return v, nil
}

// report records that the import has reported a session.
func (v *victim) report(key string) {
	v.keys, v.times = append(v.keys, key), append(v.times, time.Now())
}

// before returns the sessions that were reported before a point in time.
func (v *victim) before(moment time.Time) (keys []string) {
	for i, key := range v.keys {
		if v.times[i].Before(moment) {
			keys = append(keys, key)
		}
	}
	return keys
}

// kill kills the process if it is still running.
func (v *victim) kill() error {
	_ = v.cmd.Process.Signal(syscall.SIGKILL)
	return v.wait()
}

// finish waits for the import to finish, and returns how long it took.
func (v *victim) finish() (time.Duration, error) {
	err := v.wait()
	return time.Since(v.first), err
}

func (v *victim) wait() error {
	<-v.read
	err := v.cmd.Wait()
	v.died = v.cmd.ProcessState.ExitCode() == -1
	if v.died {
		return nil
	}
	return err
}
