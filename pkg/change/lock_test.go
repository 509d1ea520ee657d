package change

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"clawctl/internal/testkit"
	"clawctl/pkg/source/openclaw"
)

// otherProcess returns the number of a process that runs: the one that started this one, if the system knows it.
func otherProcess() int { return cmp.Or(os.Getppid(), os.Getpid()) }

// A lock is held or stale, by what is in it and by its age.
func TestLocksOfOthers(t *testing.T) {
	alive := fmt.Sprintf(`{"pid":%d,"createdAt":"2026-11-01T10:00:00Z"}`, otherProcess())
	now := time.Now()
	for _, test := range []struct {
		text   string
		age    time.Duration
		isHeld bool
	}{
		{alive, time.Hour, true},
		{`{"pid":999999999,"createdAt":"x"}`, 0, false},
		{"", time.Second, true}, // OpenClaw may be about to write it
		{"", time.Hour, false},
		{strings.Repeat("\x00", 80), time.Hour, false},
		{alive[:20], time.Hour, false},
		{alive[:20] + "\x00\x00\x00", time.Hour, false},
		{alive[:20], 0, true},
		{`{}`, time.Hour, false},
		{`{}`, 0, true},
		{`{"pid":null,"createdAt":"2026-11-01T10:00:00.000Z"}`, time.Hour, false},
		{`[]`, time.Hour, true},
		{"somebody's own file", time.Hour, true},
		{`{"owner":"another program"}`, time.Hour, true},
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		name := path + ".lock"
		testkit.Write(t, name, test.text)
		if err := os.Chtimes(name, now, now.Add(-test.age)); err != nil {
			t.Fatal(err)
		}
		lock, err := Lock(path, now)
		if isHeld := errors.As(err, new(*LockedError)); isHeld != test.isHeld || !isHeld && err != nil {
			t.Errorf("%q, %v old: %v", test.text, test.age, err)
		}
		text, _ := os.ReadFile(name)
		if test.isHeld && test.text != alive && !strings.Contains(err.Error(), "a lock that cannot be read, "+name) {
			t.Errorf("%q: %v", test.text, err)
		}
		if test.isHeld {
			if string(text) != test.text {
				t.Errorf("%q became %q", test.text, text)
			}
			continue
		}
		if openclaw.LockHolder(name, now) != fmt.Sprintf("process %d", os.Getpid()) {
			t.Errorf("%q: the new lock is %q", test.text, text)
		}
		lock.Release()
		if isThere(name) {
			t.Errorf("%q: the lock is still there", test.text)
		}
	}
}

// A lock that somebody else took over is not removed, and nothing is changed any more.
func TestLockIsTakenOver(t *testing.T) {
	d := newDesk(t, "abc\n")
	other := fmt.Sprintf(`{"pid":%d}`, otherProcess())
	_, err := d.journal.Write(Change{Snapshot: d.open(), Edits: swapB, Command: "repair",
		Verify: func(io.ReaderAt, int64) error { return os.WriteFile(d.path+".lock", []byte(other), 0o600) }})
	if !errors.As(err, new(*LockedError)) || d.text() != "abc\n" {
		t.Errorf("%v, %q", err, d.text())
	}
	if text, _ := os.ReadFile(d.path + ".lock"); string(text) != other {
		t.Errorf("the lock is %q", text)
	}
}

// Of many processes that find a stale lock, one takes it over at a time.
func TestStaleLockHasOneHeir(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	now := time.Now()
	for range 20 {
		testkit.Write(t, path+".lock", `{"pid":999999999}`)
		var wait sync.WaitGroup
		var mu sync.Mutex
		var heirs []*FileLock
		for i := range 8 {
			wait.Go(func() {
				lock, err := Lock(path, now.Add(time.Duration(i)))
				if err == nil {
					mu.Lock()
					defer mu.Unlock()
					heirs = append(heirs, lock)
				} else if !errors.As(err, new(*LockedError)) {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if len(heirs) != 1 {
			t.Fatalf("%d have the lock", len(heirs))
		}
		heirs[0].Release()
	}
}
