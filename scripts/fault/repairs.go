//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A patient is a damaged transcript and what a repair makes of it.
type patient struct {
	damaged, repaired []byte
	whole             time.Duration // of a repair
}

// repairKills kills repairs with SIGKILL. The transcript must be the old one or the new one, whole. Whichever it is,
// repairing it again gives the new one, and undoing that gives the old one.
func (f *fault) repairKills() (string, error) {
	folder, err := f.newFolder("repair")
	if err != nil {
		return "", err
	}
	p, err := f.newPatient(folder)
	if err != nil {
		return "", err
	}
	killed, swapped, receipts := 0, 0, 0
	for round := 0; killed < f.killCount; round++ {
		if round > 4*f.killCount+10 {
			return "", fmt.Errorf("only %d of %d kills hit a running process", killed, round)
		}
		place := filepath.Join(folder, fmt.Sprint(round))
		died, err := f.killRepair(place, p)
		if err != nil {
			return "", err
		}
		if died {
			killed++
			isNew, hasReceipt, err := f.checkRepair(place, p)
			if err != nil {
				return "", fmt.Errorf("kill %d: %w", killed, err)
			}
			if isNew {
				swapped++
			}
			if hasReceipt {
				receipts++
			}
		}
		os.RemoveAll(place)
	}
	return fmt.Sprintf("%d kills: %d left the old file, %d the new one, 0 anything else; %d after the receipt was "+
		"written; all were completed and undone", killed, killed-swapped, swapped, receipts), nil
}

// newPatient damages a session of the corpus and repairs it without a fault.
func (f *fault) newPatient(folder string) (*patient, error) {
	text, err := largestSession(f.large.path)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines[len(lines)/2] = append(bytes.Repeat([]byte{0}, 100), '\n')
	lines[len(lines)/3] = lines[len(lines)/3][:20]
	damaged := bytes.Join(lines, nil)
	p := &patient{damaged: damaged[:len(damaged)-7]}
	place := filepath.Join(folder, "reference")
	cmd, err := f.repairCommand(place, p, "repair", "--write", "session.jsonl")
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("repair without a fault: %w: %s", err, out)
	}
	p.whole = time.Since(begun)
	p.repaired, err = os.ReadFile(filepath.Join(place, "session.jsonl"))
	if err != nil {
		return p, err
	}
	if bytes.Equal(p.repaired, p.damaged) {
		return p, errors.New("the repair changed nothing")
	}
	return p, nil
}

// largestSession returns the text of the largest transcript below a folder.
func largestSession(folder string) (text []byte, err error) {
	err = filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		if data, err := os.ReadFile(path); err == nil && len(data) > len(text) {
			text = data
		}
		return nil
	})
	if err != nil {
		return text, err
	}
	if len(text) < 1000 {
		return text, errors.New("the corpus has no large session")
	}
	return text, nil
}

// repairCommand prepares a command in a folder of its own with the damaged transcript.
func (f *fault) repairCommand(place string, p *patient, args ...string) (*exec.Cmd, error) {
	if err := os.MkdirAll(place, 0o700); err != nil {
		return nil, err
	}
	session := filepath.Join(place, "session.jsonl")
	if _, err := os.Stat(session); errors.Is(err, os.ErrNotExist) {
		if err := os.WriteFile(session, p.damaged, 0o600); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(f.clawctl, args...)
	cmd.Dir = place
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+filepath.Join(place, "data"))
	return cmd, nil
}

// killRepair starts a repair and kills it: at any moment, or soon after it has begun to write. died reports whether it
// was still running.
func (f *fault) killRepair(place string, p *patient) (died bool, err error) {
	cmd, err := f.repairCommand(place, p, "repair", "--write", "session.jsonl")
	if err != nil {
		return false, err
	}
	if err = cmd.Start(); err != nil {
		return false, err
	}
	if f.dice.IntN(4) == 0 {
		time.Sleep(time.Duration(f.dice.Int64N(int64(p.whole))))
	} else {
		deadline := time.Now().Add(p.whole)
		for time.Now().Before(deadline) {
			if _, err := os.Lstat(filepath.Join(place, "session.jsonl.lock")); err == nil {
				break
			}
		}
		time.Sleep(time.Duration(f.dice.Int64N(int64(p.whole)/2 + 1)))
	}
	_ = cmd.Process.Signal(syscall.SIGKILL)
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) {
		status, ok := exit.Sys().(syscall.WaitStatus)
		return ok && status.Signaled(), nil
	}
	return false, nil
}

// checkRepair looks at what a killed repair has left, and finishes its work.
func (f *fault) checkRepair(place string, p *patient) (isNew, hasReceipt bool, err error) {
	path := filepath.Join(place, "session.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		return false, false, err
	}
	isNew = bytes.Equal(text, p.repaired)
	if !isNew && !bytes.Equal(text, p.damaged) {
		return false, false, fmt.Errorf("%s is neither the old nor the new file: %d bytes", path, len(text))
	}
	found, err := filepath.Glob(filepath.Join(place, "data/clawctl/receipts/*.json"))
	if err != nil {
		return isNew, false, err
	}
	hasReceipt = len(found) > 0
	if isNew && !hasReceipt {
		return isNew, false, errors.New("the file was changed without a receipt")
	}
	if !isNew {
		if err := f.runIn(place, p, p.repaired, "repair", "--write", "session.jsonl"); err != nil {
			return isNew, hasReceipt, err
		}
	}
	return isNew, hasReceipt, f.runIn(place, p, p.damaged, "undo")
}

// runIn runs a command that must succeed and leave a text.
func (f *fault) runIn(place string, p *patient, want []byte, args ...string) error {
	cmd, err := f.repairCommand(place, p, args...)
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", args[0], err, out)
	}
	text, err := os.ReadFile(filepath.Join(place, "session.jsonl"))
	if err != nil {
		return err
	}
	if !bytes.Equal(text, want) {
		return fmt.Errorf("%s gives another text", args[0])
	}
	return nil
}
