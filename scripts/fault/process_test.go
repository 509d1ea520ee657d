//go:build linux

package fault

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// partDone is what an import prints when it is complete.
const partDone = "complete"

// importPart runs an import that commits often and reports each session at once. Its arguments are the number of bytes
// per commit, the source and the store. It stays on one thread, so that its system calls can be counted.
func importPart(args []string) int {
	runtime.LockOSThread()
	commit, err := strconv.ParseInt(args[0], 10, 64)
	if err == nil {
		err = importSessions(args[1], args[2], commit, 0, func(key string) { os.Stdout.WriteString(key + "\n") })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "import:", err)
	}
	switch {
	case errors.Is(err, dbfile.ErrLocked):
		return 11
	case err != nil:
		return 1
	}
	fmt.Println(partDone)
	return 0
}

func importSessions(folder, db string, commit int64, most int, report func(key string)) error {
	ctx := context.Background()
	place, err := source.Find(ctx, folder, source.Options{Fast: true})
	if err != nil {
		return err
	}
	defer place.Close()
	st, err := store.Open(ctx, db, store.Options{})
	if err != nil {
		return err
	}
	var refused error
	done := func(o migrate.Outcome) {
		refused = errors.Join(refused, o.Err)
		if o.Err == nil {
			report(o.Key)
		}
	}
	if most > 0 {
		place.Sessions = place.Sessions[:most]
	}
	err = migrate.Import(ctx, st, place.Sessions, migrate.Options{
		Clock: time.Now, CommitBytes: commit, LargeBytes: commit, Done: done,
	})
	return errors.Join(err, refused, st.Close())
}

// holdPart holds the lock of a store until its standard input ends.
func holdPart(args []string) int {
	db, err := dbfile.OpenOwn(args[0], "_pragma=journal_mode(WAL)")
	if err == nil {
		db.SetMaxOpenConns(1)
		_, err = db.Exec("BEGIN IMMEDIATE")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hold:", err)
		return 1
	}
	fmt.Println("held")
	bufio.NewScanner(os.Stdin).Scan()
	return 0
}

// An ending describes how a process ended.
type ending struct {
	code   int // -1 for a signal
	stderr string
	stdout string
	took   time.Duration
}

func (e ending) String() string {
	return fmt.Sprintf("exit %d after %.1f s: %s", e.code, e.took.Seconds(), strings.TrimSpace(e.stderr))
}

// failure returns an error unless the process has succeeded.
func (e ending) failure() error {
	if e.code == 0 {
		return nil
	}
	return errors.New(e.String())
}

// deadline is the longest time for a process. One that takes longer hangs.
const deadline = time.Minute

// execute runs a program to its end.
func execute(name string, args ...string) ending { return executeWith(nil, "", name, args...) }

// executeWith runs a program to its end, with these variables, and with a text as its input.
func executeWith(variables []string, stdin, name string, args ...string) ending {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(append(os.Environ(), "GOMAXPROCS=2"), variables...)
	var stdout, stderr strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	begun := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(&stderr, err)
	}
	code := -1
	if cmd.ProcessState != nil {
		code = cmd.ProcessState.ExitCode()
	}
	if ctx.Err() != nil {
		fmt.Fprintln(&stderr, "the process hung and was killed")
	}
	return ending{code, stderr.String(), stdout.String(), time.Since(begun)}
}

// importInto runs clawctl import.
func (f *fault) importInto(db, folder string, more ...string) ending {
	return execute(f.clawctl, append([]string{"import", folder, "--to", db}, more...)...)
}

// complete runs an import again after a fault, and checks that the store equals the reference.
func (f *fault) complete(db string, c *corpus) error {
	if err := f.importInto(db, c.path).failure(); err != nil {
		return fmt.Errorf("the import cannot be completed: %w", err)
	}
	return f.isComplete(db, c)
}

// isComplete checks that a store holds the corpus, by its content and with clawctl verify.
func (f *fault) isComplete(db string, c *corpus) error {
	have, err := readContent(db)
	if err != nil {
		return err
	}
	if err := have.differsFrom(c.reference); err != nil {
		return err
	}
	if err := execute(f.clawctl, "verify", c.path, "--against", db).failure(); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	return nil
}
