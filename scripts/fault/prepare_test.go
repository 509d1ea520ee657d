//go:build linux

package fault

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fault is one run of this program.
type fault struct {
	writerName string // part of the names of the writers that are interrupted

	killCount, cutCount, rounds, sample int
	stateCount                          int
	exportCount, layoutCount            int
	recordCount                         int
	crowdTime                           time.Duration
	seed                                uint64
	dice                                *rand.Rand

	folder  string // for all files of this run
	root    string // of the module
	clawctl string
	corpus  string // the program that writes a corpus
	self    string
	large   *corpus // 100 sessions, 8 MB in total
	middle  *corpus // 20 sessions, to fill disks of many sizes
	small   *corpus // 8 sessions, few enough to make each system call fail

	staged     map[*writer]*scene
	statesOnce sync.Once
	states     string // the folder of simulated disks
}

// A corpus is a folder with sessions, and the content of a store after an uninterrupted import.
type corpus struct {
	path      string
	reference *content
}

func (f *fault) prepare(t *testing.T) {
	var err error
	f.dice, f.staged = rand.New(rand.NewPCG(f.seed, 1)), map[*writer]*scene{}
	if f.folder, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.cleanUp)
	if f.self, err = os.Executable(); err != nil {
		t.Fatal(err)
	}
	if f.root, err = filepath.Abs("../.."); err != nil {
		t.Fatal(err)
	}
	f.clawctl, f.corpus = f.build(t, "./cmd/clawctl"), f.build(t, "./scripts/corpus")
	for _, c := range []struct {
		to             **corpus
		name           string
		size, sessions int
	}{
		{&f.large, "large", 8_000_000, 100}, {&f.middle, "middle", 2_000_000, 20}, {&f.small, "small", 200_000, 8},
	} {
		if *c.to, err = f.newCorpus(c.name, c.size, c.sessions); err != nil {
			t.Fatal(err)
		}
	}
}

// cleanUp unmounts file systems, because a check that failed may have left them mounted, so that all files can be
// removed.
func (f *fault) cleanUp() {
	for _, mount := range []string{"R3", "R4", "small"} {
		_ = unmount(filepath.Join(f.folder, mount))
	}
	_ = os.RemoveAll(f.states)
}

// build compiles a package of the module.
func (f *fault) build(t *testing.T, pkg string) string {
	program := filepath.Join(f.folder, filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-o", program, pkg)
	cmd.Dir = f.root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v: %s", pkg, err, out)
	}
	return program
}

// newCorpus writes sessions and imports them without a fault, as the reference.
func (f *fault) newCorpus(name string, size, sessions int) (*corpus, error) {
	c := &corpus{path: filepath.Join(f.folder, name)}
	cmd := exec.Command(f.corpus, "-out", c.path, "-size", strconv.Itoa(size), "-n", strconv.Itoa(sessions))
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("write a corpus: %w: %s", err, out)
	}
	if err := enrich(c.path); err != nil {
		return nil, err
	}
	db := filepath.Join(f.folder, name+".db")
	if ended := f.importInto(db, c.path); ended.code != 0 {
		return nil, fmt.Errorf("import without a fault: %v", ended)
	}
	if c.reference, err = readContent(db); err != nil {
		return nil, err
	}
	return c, os.Remove(db)
}

// enrich adds what real folders have to some sessions: archives with the same and with different text, Windows line
// ends, blank lines and a missing final line end.
func enrich(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "agents", "*", "sessions", "*.jsonl"))
	if err != nil || len(files) < 6 {
		return errors.Join(err, errors.New("the corpus is too small"))
	}
	if err := compressCopy(files[5]); err != nil {
		return err
	}
	for i, file := range files[:5] {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		half := text[:bytes.IndexByte(text[len(text)/2:], '\n')+len(text)/2+1]
		name, other := file, text
		switch i {
		case 0:
			name, other = file+".reset.2026-05-04T14-58-56.795Z", half
		case 1:
			name, other = file+".reset.2026-05-04T14-58-56.795Z", bytes.ReplaceAll(half, []byte("the"), []byte("THE"))
		case 2:
			other = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		case 3:
			other = bytes.TrimSuffix(bytes.Replace(text, []byte("\n"), []byte("\n\n"), 2), []byte("\n"))
		case 4:
			name = file + ".bak-1234-1777899690089"
		}
		if err := os.WriteFile(name, other, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// compressCopy writes a compressed archive beside a session.
func compressCopy(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = w.Write(text)
	return errors.Join(err, w.Close(), os.WriteFile(file+".deleted.2026-06-02T08-15-00.000Z.gz", packed.Bytes(), 0o600))
}

// newFolder makes an empty folder for the stores of a check.
func (f *fault) newFolder(name string) (string, error) {
	path := filepath.Join(f.folder, name)
	return path, errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o700))
}

// filesIn lists the files below a folder, except the -wal and -shm files of SQLite.
func filesIn(folder string) (names []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		base := filepath.Base(path)
		if err != nil {
			return err
		}
		if !entry.IsDir() && !strings.HasSuffix(base, "-wal") && !strings.HasSuffix(base, "-shm") {
			names = append(names, base)
		}
		return nil
	})
	return names, err
}
