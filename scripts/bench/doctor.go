package main

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	_ "clawctl/pkg/store/dbfile" // has the driver
)

// doctorSeconds is how long a look at 2,000 sessions may take.
const doctorSeconds = 2

// A doctorRun is one home that doctor looks at.
type doctorRun struct {
	name, home, store string
	times             []time.Duration
}

// doctor measures how long doctor takes for 2,000 sessions: in files, in files that a store has too, in files of which
// some have grown since, and in a database of OpenClaw.
func (b *bench) doctor() error {
	runs, err := b.doctorRuns()
	if err != nil {
		return err
	}
	for range b.rounds + 1 { // the first round loads the files into the page cache
		for _, r := range runs {
			took, err := r.measure(b.clawctl)
			if err != nil {
				return err
			}
			r.times = append(r.times, took)
		}
	}
	fmt.Fprintf(b.out, "doctor: %d sessions, %.0f MB, all cores, medians of alternating runs\n",
		treeSessions, treeSize/1e6)
	for _, r := range runs {
		seconds := median(r.times[1:]).Seconds()
		fmt.Fprintf(b.out, "  %8.0f ms   %s\n", seconds*1e3, r.name)
		b.limit("doctor, "+r.name, seconds, "s", doctorSeconds, doctorSeconds/2.)
	}
	return nil
}

// measure runs doctor once.
func (r *doctorRun) measure(clawctl string) (time.Duration, error) {
	cmd := exec.Command(clawctl, "doctor", "--json", r.home)
	cmd.Env = append(os.Environ(), "CLAWCTL_DB="+r.store)
	return (&contestant{findings: true}).run(cmd)
}

// doctorRuns prepares the homes.
func (b *bench) doctorRuns() ([]*doctorRun, error) {
	tree, err := b.prepareTree(treeSize, treeSessions)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(b.cache, "doctor")
	whole, part := filepath.Join(folder, "whole.db"), filepath.Join(folder, "part.db")
	grown, database := filepath.Join(folder, "grown"), filepath.Join(folder, "database")
	if err := b.prepareOnce(folder, func() error {
		return errors.Join(
			exec.Command(b.clawctl, "import", "-q", "--to", whole, tree).Run(),
			os.CopyFS(grown, os.DirFS(tree)),
			exec.Command(b.clawctl, "import", "-q", "--to", part, grown).Run(),
			growFiles(grown, treeSessions/40),
			convertTree(tree, database),
		)
	}); err != nil {
		return nil, err
	}
	return []*doctorRun{
		{name: "files without a store", home: tree, store: filepath.Join(folder, "none.db")},
		{name: "files that the store has", home: tree, store: whole},
		{name: "files of which 50 have grown", home: grown, store: part},
		{name: "a database of OpenClaw", home: database, store: filepath.Join(folder, "none.db")},
	}, nil
}

// prepareOnce makes a folder and fills it, unless that was done before.
func (b *bench) prepareOnce(folder string, fill func() error) error {
	done := filepath.Join(folder, "done")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return err
	}
	b.note("preparing %s", folder)
	if err := fill(); err != nil {
		return err
	}
	return os.WriteFile(done, nil, 0o644)
}

// eachTranscript calls do for every transcript below a folder.
func eachTranscript(folder string, do func(path string) error) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		return do(path)
	})
}

// growFiles appends a record to the first n transcripts.
func growFiles(folder string, n int) error {
	return eachTranscript(folder, func(path string) error {
		if n--; n < 0 {
			return nil
		}
		file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(file, `{"type":"custom","customType":"bench","id":"bench%d","parentId":null}`+"\n", n)
		return errors.Join(err, file.Close())
	})
}

// convertTree writes the transcripts of a tree into one database as OpenClaw keeps them.
func convertTree(tree, home string) error {
	folder := filepath.Join(home, "agents", "main", "agent")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", filepath.Join(folder, "openclaw-agent.sqlite"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	defer db.Close()
	_, err = db.Exec(`PRAGMA user_version = 23; PRAGMA synchronous = OFF;
		CREATE TABLE transcript_events(session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
			event_zstd BLOB, event_utf8_bytes INTEGER, created_at INTEGER, PRIMARY KEY (session_id, seq));
		CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT);
		BEGIN`)
	if err == nil {
		err = eachTranscript(tree, func(path string) error { return addTranscript(db, path) })
	}
	if err == nil {
		_, err = db.Exec("COMMIT")
	}
	return err
}

// addTranscript adds a transcript to a database of OpenClaw.
func addTranscript(db *sql.DB, path string) error {
	id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	insert, err := db.Prepare("INSERT INTO transcript_events VALUES (?, ?, ?, NULL, NULL, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 256<<20)
	for seq := 0; lines.Scan(); seq++ {
		if _, err := insert.Exec(id, seq, lines.Text(), info.ModTime().UnixMilli()); err != nil {
			return err
		}
	}
	_, err = db.Exec("INSERT INTO session_nodes VALUES (?, ?, '{}')", "agent:main:"+id, id)
	return errors.Join(err, lines.Err())
}
