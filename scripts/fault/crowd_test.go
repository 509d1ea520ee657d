//go:build linux

package fault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"clawctl/pkg/store/dbfile"
)

// A crowd is several processes that import one folder into one store again and again, while its files are rewritten and
// appended to.
type crowd struct {
	fault    *fault
	tree, db string
	files    []string
	stop     context.CancelFunc
	wait     sync.WaitGroup

	mu      sync.Mutex
	imports int
	wrong   error
}

// startCrowd starts the importers and the program that rewrites files.
func (f *fault) startCrowd(folder string, importers int) (*crowd, error) {
	c := &crowd{fault: f, tree: filepath.Join(folder, "tree"), db: filepath.Join(folder, storeName)}
	err := errors.Join(os.RemoveAll(c.tree), os.RemoveAll(c.db), os.CopyFS(c.tree, os.DirFS(f.small.path)))
	if err != nil {
		return nil, err
	}
	c.files, err = filepath.Glob(filepath.Join(c.tree, "agents", "*", "sessions", "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if err := f.importInto(c.db, c.tree).failure(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	c.stop = cancel
	for i := range importers {
		c.repeat(ctx, func() error { return c.importOnce(i) })
	}
	dice := rand.New(rand.NewPCG(f.seed, 2))
	c.repeat(ctx, func() error {
		time.Sleep(50 * time.Millisecond)
		return rewrite(c.files[dice.IntN(len(c.files))], dice)
	})
	return c, nil
}

// repeat runs a task until the crowd ends or the task fails.
func (c *crowd) repeat(ctx context.Context, task func() error) {
	c.wait.Go(func() {
		for ctx.Err() == nil {
			if err := task(); err != nil {
				c.mu.Lock()
				c.wrong = errors.Join(c.wrong, err)
				c.mu.Unlock()
				return
			}
		}
	})
}

// importOnce imports the folder. The import may give up on the lock, and skip a file that changes while it is read.
func (c *crowd) importOnce(n int) error {
	ended := c.fault.importEither(n, c.db, c.tree)
	c.mu.Lock()
	c.imports++
	c.mu.Unlock()
	changed := strings.Contains(ended.stderr, "changed while")
	if ended.code != 0 && ended.code != 11 && !changed {
		return fmt.Errorf("%v", ended)
	}
	return nil
}

// end stops the crowd and returns what went wrong in it.
func (c *crowd) end() error {
	c.stop()
	c.wait.Wait()
	return c.wrong
}

// rewrite replaces a file by its beginning with other words, or appends to it. The last line may lack its end.
func rewrite(path string, dice *rand.Rand) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(text) < 64<<10 && dice.IntN(8) > 0 {
		return appendRecord(path, bytes.HasSuffix(text, []byte("\n")), dice)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines = lines[:min(len(lines), 5+dice.IntN(20))]
	text = fmt.Appendf(bytes.Join(lines, nil), "\n{\"type\":\"custom\",\"id\":\"%d\"}\n", dice.Int64())
	return errors.Join(os.WriteFile(path+".tmp", text, 0o600), os.Rename(path+".tmp", path))
}

// appendRecord appends to a file as a gateway does, after ending its last line.
func appendRecord(path string, isEnded bool, dice *rand.Rand) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	before := map[bool]string{false: "\n"}[isEnded]
	after := []string{"\n", "\r\n", "\n\n", ""}[dice.IntN(4)]
	_, err = fmt.Fprintf(file, "%s{\"type\":\"custom\",\"id\":\"%d\"}%s", before, dice.Int64(), after)
	return errors.Join(err, file.Close())
}

// exportsBeside exports a store while four processes import into it. No export may find anything wrong. Every crowd has
// a new store, because one that has grown takes long to export.
func (f *fault) exportsBeside(folder string) (string, error) {
	imports := 0
	for done := 0; done < f.exportCount; {
		c, err := f.startCrowd(folder, 4)
		if err != nil {
			return "", err
		}
		for range min(25, f.exportCount-done) {
			if done++; err == nil {
				err = c.exportOnce(done)
			}
		}
		if err = errors.Join(err, c.end()); err != nil {
			return "", err
		}
		imports += c.imports
	}
	return fmt.Sprintf("%d exports beside %d imports by 4 processes: 0 called the store corrupt",
		f.exportCount, imports), nil
}

// exportOnce exports the store into a new folder.
func (c *crowd) exportOnce(n int) error {
	out := c.db + ".out"
	if err := execute(c.fault.clawctl, "export", c.db, "-o", out).failure(); err != nil {
		return fmt.Errorf("export %d: %w", n, err)
	}
	return os.RemoveAll(out)
}

// crowded runs eight importers at once. Afterwards every session must have its digest and a proper name.
func (f *fault) crowded(folder string) (string, error) {
	c, err := f.startCrowd(folder, 8)
	if err != nil {
		return "", err
	}
	time.Sleep(f.crowdTime)
	if err := c.end(); err != nil {
		return "", err
	}
	if err := f.importInto(c.db, c.tree).failure(); err != nil {
		return "", err
	}
	for _, arguments := range [][]string{{"verify", c.db}, {"verify", c.tree, "--against", c.db}} {
		if ended := execute(f.clawctl, arguments...); ended.code != 0 {
			return "", fmt.Errorf("%v: %v %s", arguments, ended, ended.stdout)
		}
	}
	sessions, err := countOdd(c.db)
	return fmt.Sprintf("%d imports by 8 processes in %v: %d sessions, 0 without a digest, 0 with an odd name",
		c.imports, f.crowdTime, sessions), err
}

// countOdd counts the sessions of a store, and fails if one lacks its digest, a comparison, or a proper name.
func countOdd(path string) (sessions int, err error) {
	db, err := dbfile.OpenOwn(path, "mode=ro")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	var undigested, uncompared, odd int
	err = db.QueryRow(`SELECT count(*), sum(sha256 = ''), (SELECT count(*) FROM uncompared),
sum(generation LIKE 'changed%' OR generation LIKE '%xx%' OR generation GLOB '*-[2-9]') FROM transcripts`).
		Scan(&sessions, &undigested, &uncompared, &odd)
	if err != nil {
		return sessions, err
	}
	if undigested+uncompared+odd > 0 {
		return sessions, fmt.Errorf("of %d sessions, %d have no digest, %d were not compared, and %d have an odd name",
			sessions, undigested, uncompared, odd)
	}
	return sessions, nil
}
