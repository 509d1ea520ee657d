package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
)

// clawctl and its rivals import in the same way: a write-ahead log, synced at every commit, and commits of 64 MB.
const (
	importPragmas = "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL"
	commitMB      = "64"
)

// pythonImport is the import that a Python programmer would write.
const pythonImport = `import json, sqlite3, sys
from datetime import datetime
out, listing, commit = sys.argv[1], sys.argv[2], float(sys.argv[3]) * 1e6
db = sqlite3.connect(out)
db.executescript("PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;"
  "CREATE TABLE sessions(key TEXT PRIMARY KEY, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,"
  " metadata JSON);"
  "CREATE TABLE messages(id TEXT PRIMARY KEY, session_key TEXT NOT NULL, parent_id TEXT, type TEXT NOT NULL,"
  " timestamp INTEGER NOT NULL, data JSON NOT NULL);"
  "CREATE INDEX messages_session ON messages(session_key,timestamp);"
  "CREATE INDEX messages_parent ON messages(parent_id);")
since = 0
for path in open(listing).read().split("\n"):
  if not path: continue
  key, rows = path.rsplit("/", 1)[1][:-6], []
  for line in open(path, encoding="utf-8", newline="\n"):
    line = line.rstrip("\n"); r = json.loads(line); since += len(line)
    at = int(datetime.fromisoformat(r["timestamp"].replace("Z", "+00:00")).timestamp() * 1000)
    rows.append((r["id"], key, r.get("parentId"), r["type"], at, line))
  db.execute("INSERT OR REPLACE INTO sessions VALUES(?,?,?,?)", (key, rows[0][4], rows[-1][4], rows[0][5]))
  db.executemany("INSERT OR IGNORE INTO messages VALUES(?,?,?,?,?,?)", rows)
  if since >= commit: db.commit(); since = 0
db.commit(); db.close()
`

// imports compares a first import with the rivals', on all cores and on the disk of the cache. Then it measures a
// second import, the size of the database, and reading one session.
func (b *bench) imports() error { return b.importTree(treeSize, treeSessions) }

// importFew does the same with the smaller tree.
func (b *bench) importFew() error { return b.importTree(fewSize, fewSessions) }

// The size of the smaller tree.
const (
	fewSize     = 335_000_000
	fewSessions = 500
)

func (b *bench) importTree(bytes int64, sessions int) error {
	tree, err := b.prepareTree(bytes, sessions)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(b.cache, "import-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	files, size, err := listFiles(tree, filepath.Join(folder, "list"))
	if err != nil {
		return err
	}
	db := filepath.Join(folder, "clawctl.db")
	runs := b.importRuns(tree, folder, db)
	for round := range b.rounds {
		for _, r := range runs {
			if err := b.importOnce(r, folder, round); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(b.out, "import: %d sessions, %.0f MB, into a new database on disk, with receipts and comparison\n"+
		"  (medians of alternating runs)\n", len(files), float64(size)/1e6)
	own := median(runs[0].times)
	for _, r := range runs {
		if len(r.times) > 0 {
			took := median(r.times)
			fmt.Fprintf(b.out, "  %8.2f s  %5.0f MB/s  %-28s clawctl is %.2f times as fast   %s\n",
				took.Seconds(), float64(size)/1e6/took.Seconds(), r.name, took.Seconds()/own.Seconds(), r.note)
		}
		if r.name == cImport && len(r.times) > 0 {
			b.figure(fmt.Sprintf("import of %d sessions, times the C program", len(files)),
				median(r.times).Seconds()/own.Seconds(), 1.1, 1.5)
		}
	}
	if sessions != fewSessions { // one plot is enough
		b.plotImports(runs, size)
	}
	return b.afterImport(tree, db, size, own, files)
}

// cImport is the name of the rival in C.
const cImport = "C on libsqlite3"

// plotImports adds the plot of the first import.
func (b *bench) plotImports(runs []*importRun, size int64) {
	chart := barChart{File: "import.svg", Title: "A first import into SQLite", Unit: "MB/s",
		Note: fmt.Sprintf("%.0f MB of transcripts. clawctl also verifies every session it has written.", float64(size)/1e6)}
	for i, r := range runs {
		if len(r.times) > 0 {
			speed := float64(size) / 1e6 / median(r.times).Seconds()
			chart.Bars = append(chart.Bars, bar{Name: r.name, Value: speed, Own: i == 0})
		}
	}
	b.section.Bars = append(b.section.Bars, chart)
}

// An importRun is a program that imports the tree into a new database.
type importRun struct {
	name, note string
	program    []string
	db         string
	times      []time.Duration
}

func (b *bench) importRuns(tree, folder, db string) []*importRun {
	runs := []*importRun{{name: "clawctl import", program: []string{b.clawctl, "import", "-q", tree, "--to", db}, db: db}}
	list := filepath.Join(folder, "list")
	if program, err := b.buildC(folder); err != nil {
		b.note("skipping the C program: %v", err)
	} else {
		db := filepath.Join(folder, "c.db")
		runs = append(runs, &importRun{name: cImport, note: "required: 1.1, goal: 1.5",
			program: []string{program, db, list, "0", importPragmas, commitMB}, db: db})
	}
	script := filepath.Join(folder, "import.py")
	if err := os.WriteFile(script, []byte(pythonImport), 0o600); err == nil {
		db := filepath.Join(folder, "python.db")
		runs = append(runs, &importRun{name: "Python executemany", note: "required: 3",
			program: []string{"python3", script, db, list, commitMB}, db: db})
	}
	return runs
}

// buildC compiles the rival in C, which is beside the shared generator.
func (b *bench) buildC(folder string) (string, error) {
	program := filepath.Join(folder, "csq")
	source := filepath.Join(b.root, "..", "shared", "bench", "csq.c")
	_, err := output(exec.Command("gcc", "-O2", "-o", program, source, "-lsqlite3"))
	return program, err
}

// importOnce runs a program once. It removes every database except clawctl's last one.
func (b *bench) importOnce(r *importRun, folder string, round int) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		os.Remove(r.db + suffix)
	}
	b.note("round %d: %s", round+1, r.name)
	watch := startStopwatch()
	if _, err := output(exec.Command(r.program[0], r.program[1:]...)); err != nil {
		if strings.HasPrefix(r.name, "clawctl") {
			return err
		}
		b.note("skipping %s: %v", r.name, err)
		return nil
	}
	r.times = append(r.times, watch.elapsed(allCores))
	if !strings.HasPrefix(r.name, "clawctl") {
		return os.Remove(r.db)
	}
	return nil
}

// afterImport measures an existing store: another import, its size, and reading from it.
func (b *bench) afterImport(tree, db string, size int64, first time.Duration, files []string) error {
	var again []time.Duration
	for range b.rounds {
		start := time.Now()
		if _, err := output(exec.Command(b.clawctl, "import", "-q", tree, "--to", db)); err != nil {
			return err
		}
		again = append(again, time.Since(start))
	}
	info, err := os.Stat(db)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  %8.0f ms  second import, nothing new: %.0f times as fast as the first (required: 50)\n",
		float64(median(again).Microseconds())/1000, first.Seconds()/median(again).Seconds())
	fmt.Fprintf(b.out, "  %8.2f     size of the database divided by the size of the JSONL (required: at most 1.25)\n",
		float64(info.Size())/float64(size))
	stored, fromFile, err := readOne(db, files)
	if err != nil {
		return err
	}
	defer b.importMemory(filepath.Dir(db))
	fmt.Fprintf(b.out, "  %8.2f ms  one of %d sessions, %.1f times as long as from JSONL (required: 2 ms, 5 times)\n",
		float64(stored.Microseconds())/1000, len(files), float64(stored)/float64(fromFile))
	return nil
}

// importMemory prints the peak memory of import, verify and export, for a small and a large file.
func (b *bench) importMemory(folder string) {
	samples, err := b.samples(10e6, 100e6)
	if err != nil {
		b.note("skipping the memory of imports: %v", err)
		return
	}
	for _, c := range samples {
		db := filepath.Join(folder, fmt.Sprintf("memory-%d.db", c.size))
		for _, args := range [][]string{
			{"import", "-q", c.path, "--to", db}, {"verify", "-q", c.path, "--against", db},
			{"export", "-q", "--from", db, "-o", filepath.Join(folder, "back")},
		} {
			cmd := exec.Command(b.clawctl, args...)
			if err := cmd.Run(); err != nil {
				b.note("skipping the memory of %s: %v", args[0], err)
				continue
			}
			if peak, err := peakMemory(cmd.ProcessState); err == nil {
				fmt.Fprintf(b.out, "  %8.1f MB  peak of %s, %.0f MB in one session (required: at most 192)\n",
					float64(peak)/1e6, args[0], c.mb())
			}
		}
		os.Remove(db)
		os.RemoveAll(filepath.Join(folder, "back"))
	}
}

// readOne reads sessions from the store and from their files, and returns the median times.
func readOne(db string, files []string) (stored, fromFile time.Duration, err error) {
	ctx := context.Background()
	r, err := store.OpenReader(ctx, db)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	var a, b []time.Duration
	for i := 0; i < len(files); i += max(1, len(files)/200) {
		id := strings.TrimSuffix(filepath.Base(files[i]), ".jsonl")
		start := time.Now()
		session, err := r.Load(ctx, "agent:"+filepath.Base(filepath.Dir(filepath.Dir(files[i])))+":recovered:"+id)
		if err != nil {
			return 0, 0, err
		}
		n := 0
		for _, err := range session.Records {
			if err != nil {
				return 0, 0, err
			}
			n++
		}
		if n == 0 {
			continue // registered under another key
		}
		a = append(a, time.Since(start))
		start = time.Now()
		if err := readFile(files[i]); err != nil {
			return 0, 0, err
		}
		b = append(b, time.Since(start))
	}
	if len(a) == 0 {
		return 0, 0, fmt.Errorf("no session of %s is in the store", files[0])
	}
	return median(a), median(b), nil
}

func readFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, err := range jsonl.NewReader(file, jsonl.Options{}).All() {
		if err != nil {
			return err
		}
	}
	return nil
}

// listFiles writes the names of the transcripts below a folder into a file.
func listFiles(tree, list string) (files []string, size int64, err error) {
	if tree, err = filepath.EvalSymlinks(tree); err != nil {
		return nil, 0, err
	}
	err = filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			files, size = append(files, path), size+info.Size()
		}
		return err
	})
	if err == nil {
		err = os.WriteFile(list, []byte(strings.Join(files, "\n")+"\n"), 0o600)
	}
	return files, size, err
}
