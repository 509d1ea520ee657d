//go:build linux

package fault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"clawctl/pkg/change"
)

// A bustle is several processes that change the same files again and again, beside programs that append to one of them
// without a lock.
type bustle struct {
	fault  *fault
	folder string

	mu    sync.Mutex
	runs  map[string]bool // the receipts that were reported
	count map[string]int  // how many commands succeeded
	lines int             // that were appended
}

// writersAtOnce runs four processes that repair, prune and undo, beside two programs that append. Afterwards every line
// is in the file exactly once, every archive is in one place, and every reported change has its receipt.
func (f *fault) writersAtOnce(folder string) (string, error) {
	if err := inHome()(f, folder); err != nil {
		return "", err
	}
	b := &bustle{fault: f, folder: folder, runs: map[string]bool{}, count: map[string]int{}}
	if err := b.run(); err != nil {
		return "", err
	}
	for _, name := range []string{"repair", "prune", "undo"} {
		if b.count[name] == 0 {
			return "", fmt.Errorf("no %s succeeded in %d rounds", name, f.rounds)
		}
	}
	if err := f.mustRun(folder, "undo", "--finish"); err != nil {
		return "", err
	}
	if err := b.check(); err != nil {
		return "", fmt.Errorf("%w (the folder is kept in %s)", err, keep(folder))
	}
	return fmt.Sprintf("4 processes, %d rounds (repair %d, prune %d, undo %d succeeded) beside 2 programs that append: "+
		"0 of %d lines lost or doubled, 0 of %d receipts missing", f.rounds, b.count["repair"], b.count["prune"],
		b.count["undo"], b.lines, len(b.runs)), nil
}

// run runs the processes until each has done its rounds, and then stops the programs that append.
func (b *bustle) run() error {
	ctx, stop := context.WithCancel(context.Background())
	results := make(chan error, 6)
	for _, isOpen := range []bool{false, true} {
		go func() { results <- b.appendLines(ctx, isOpen) }()
	}
	var processes sync.WaitGroup
	for i := range 4 {
		processes.Go(func() {
			var err error
			for round := 0; round < b.fault.rounds && err == nil; round++ {
				err = b.command([][]string{repairArgs, undoArgs, pruneArgs, undoArgs}[(i+round)%4])
			}
			results <- err
		})
	}
	processes.Wait()
	stop()
	var err error
	for range 6 {
		err = errors.Join(err, <-results)
	}
	return err
}

var reportedReceipt = regexp.MustCompile(`receipt (\d{8}-\d{6}-\w+)`)

// command runs a command once. It may find nothing to do, or a file that another process changes at the moment.
func (b *bustle) command(args []string) error {
	ended := b.fault.runAt(b.folder, args...)
	if ended.code < 0 || strings.Contains(ended.stderr, "internal error") {
		return fmt.Errorf("%s: %v", args[0], ended)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if ended.code == 0 {
		b.count[args[0]]++
	}
	if found := reportedReceipt.FindStringSubmatch(ended.stderr); found != nil {
		if b.runs[found[1]] {
			return fmt.Errorf("two runs have the receipt %s", found[1])
		}
		b.runs[found[1]] = true
	}
	return nil
}

// appendLines appends to the session without a lock, and keeps it open or opens it for every line. Every tenth line is
// damaged, so that there is something to repair.
func (b *bustle) appendLines(ctx context.Context, isOpen bool) error {
	path := filepath.Join(b.folder, damagedFile)
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { file.Close() }()
	for n := 0; ctx.Err() == nil; n++ {
		if !isOpen {
			file.Close()
			if file, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); err != nil {
				return err
			}
		}
		text := fmt.Sprintf("{\"type\":\"custom\",\"id\":\"late-%t-%d\"}\n", isOpen, n)
		if n%10 == 9 {
			text = "{\"torn\n" + text
		}
		if _, err := file.WriteString(text); err != nil {
			return err
		}
		b.mu.Lock()
		b.lines++
		b.mu.Unlock()
		time.Sleep(untilNextLine(time.Now()))
	}
	return nil
}

// untilNextLine is how long the programs that append wait: for a moment in the first part of a second, and in the rest
// of it, in which a repair may succeed, until the next one begins.
func untilNextLine(now time.Time) time.Duration {
	if in := now.Sub(now.Truncate(time.Second)); in > 300*time.Millisecond {
		return time.Second - in
	}
	return 20 * time.Millisecond
}

// check looks for every line, archive and receipt.
func (b *bustle) check() error {
	text, err := os.ReadFile(filepath.Join(b.folder, damagedFile))
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte(`"late-`)) {
			counts[string(line)]++
		}
	}
	for line, n := range counts {
		if n != 1 {
			return fmt.Errorf("%d times in the file: %s", n, line)
		}
	}
	if len(counts) != b.lines {
		return fmt.Errorf("%d of %d lines are in the file", len(counts), b.lines)
	}
	journal := change.Journal{Folder: filepath.Join(b.folder, dataFolder, "clawctl", "receipts")}
	receipts, err := journal.Receipts()
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, r := range receipts {
		known[r.Run] = true
	}
	for run := range b.runs {
		if !known[run] {
			return fmt.Errorf("the receipt %s is missing", run)
		}
	}
	return errors.Join(b.checkArchives(receipts), tidy(b.folder, isDebris))
}

// checkArchives checks that each archive is in its place, or in the trash with a receipt, and not in both.
func (b *bustle) checkArchives(receipts []*change.Receipt) error {
	for _, name := range []string{firstArchive, secondArchive} {
		path, places := filepath.Join(b.folder, name), 0
		if exists(path) {
			places++
		}
		for _, r := range receipts {
			if r.Path == path && r.InTrash() && exists(r.Moved.To) {
				places++
			}
		}
		if places != 1 {
			return fmt.Errorf("%s is in %d places", name, places)
		}
	}
	return nil
}
