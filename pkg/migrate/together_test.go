package migrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// A crowd is several importers of one folder whose files are rewritten now and then, all into one store.
type crowd struct {
	*bench
	stop chan struct{}
	wait sync.WaitGroup
}

// newCrowd starts importers, each with its own connections, as separate processes have.
func newCrowd(t *testing.T, importers int) *crowd {
	c := &crowd{bench: newBench(t), stop: make(chan struct{})}
	for i := range 6 {
		c.rewrite(i, rand.New(rand.NewPCG(uint64(i), 1)))
	}
	for i := range importers {
		c.repeat(func() { c.importOnce(i) })
	}
	dice := rand.New(rand.NewPCG(7, 7))
	c.repeat(func() {
		c.rewrite(dice.IntN(6), dice)
		time.Sleep(5 * time.Millisecond)
	})
	t.Cleanup(c.end)
	return c
}

// repeat runs a task again and again until the crowd ends.
func (c *crowd) repeat(task func()) {
	c.wait.Add(1)
	go func() {
		defer c.wait.Done()
		for {
			select {
			case <-c.stop:
				return
			default:
				task()
			}
		}
	}()
}

// end ends the crowd. It can be called twice.
func (c *crowd) end() {
	select {
	case <-c.stop:
	default:
		close(c.stop)
	}
	c.wait.Wait()
}

// rewrite gives a file other text, appends to it, or leaves its last line unfinished. Some lines have odd line ends.
func (c *crowd) rewrite(n int, dice *rand.Rand) {
	id := fmt.Sprintf("%08d-0000-4000-8000-00000000000a", n)
	path := filepath.Join(c.sessions(), id+".jsonl")
	if old, err := os.ReadFile(path); err == nil && dice.IntN(3) > 0 {
		more := fmt.Sprintf(`{"type":"custom","id":"c%d"}`, dice.Int64()) + [3]string{"\n", "\r\n", ""}[dice.IntN(3)]
		if len(old) < 8<<10 {
			_ = appendFile(path, more)
			return
		}
	}
	text := transcript(id, dice.Perm(20)...)
	if dice.IntN(2) == 0 {
		text = strings.Replace(text, "\n", "\r\n\n", 3)
	}
	next := path + ".next"
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(next, []byte(text), 0o600),
		os.Rename(next, path)); err != nil {
		c.Error(err)
	}
}

func appendFile(path, text string) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

// importOnce imports the folder. A file that changes meanwhile is left to the next import.
func (c *crowd) importOnce(n int) {
	ctx := context.Background()
	place, err := source.Find(ctx, c.home, source.Options{Fast: true})
	if err != nil {
		c.Error(err)
		return
	}
	defer place.Close()
	st, err := store.Open(ctx, c.store, store.Options{})
	if err != nil {
		c.Error(err)
		return
	}
	err = Import(ctx, st, place.Sessions, Options{CommitBytes: 1 << (10 + n), Done: func(o Outcome) {
		if o.Err != nil && o.Verdict != Refused {
			c.Errorf("%s: %v", o.Key, o.Err)
		}
	}})
	if err = errors.Join(err, st.Close()); err != nil {
		c.Error(err)
	}
}

// oddName matches the name of a generation that is neither an archive's nor twelve or more digits of a digest.
var oddName = regexp.MustCompile(`@(?:changed|.*x)|-\d$`)

// Several imports at once, of files that are rewritten meanwhile, distrust no session.
func TestImportersTogether(t *testing.T) {
	c := newCrowd(t, 8)
	time.Sleep(time.Duration(many(1, 5)) * time.Second)
	c.end()
	c.importOnce(10)
	if n := query(t, c.store, "SELECT count(*) FROM transcripts WHERE sha256 = ''"); n > 0 {
		t.Errorf("%d sessions are distrusted", n)
	}
	if n := query(t, c.store, "SELECT count(*) FROM uncompared"); n > 0 {
		t.Errorf("%d sessions are left uncompared", n)
	}
	for _, key := range c.keys() {
		if oddName.MatchString(key) {
			t.Errorf("odd name %s", key)
		}
	}
	c.exact()
}

// An export beside several imports sees one state of the store, and finds nothing wrong with it.
func TestExportBesideImports(t *testing.T) {
	c := newCrowd(t, 4)
	defer c.end()
	for c.importOnce(0); len(c.keys()) == 0; {
	}
	for range many(10, 40) {
		if err := exportOnce(c.store); err != nil {
			t.Fatal(err)
		}
	}
}

// exportOnce reads all files of a store as export does.
func exportOnce(path string) error {
	ctx := context.Background()
	place, err := source.FindDatabase(ctx, path, source.Options{})
	if err != nil {
		return err
	}
	defer place.Close()
	time.Sleep(time.Millisecond) // for the importers to write
	items, err := storeItems(ctx, &place.Store().View, func(string) bool { return true })
	for i := range items {
		_, failed := items[i].WriteTo(ctx, io.Discard)
		err = errors.Join(err, failed)
		if items[i].Undigested {
			err = errors.Join(err, items[i].CheckRows(ctx))
		}
	}
	return err
}
