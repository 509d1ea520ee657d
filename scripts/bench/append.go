package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// pythonAppend is how a Python programmer would append a message to a session: with the same tables and indexes, and
// durable when it returns.
const pythonAppend = `import json, secrets, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
db.execute("PRAGMA journal_mode = WAL")
db.execute("PRAGMA synchronous = FULL")
db.executescript("""
CREATE TABLE IF NOT EXISTS sessions (key TEXT PRIMARY KEY, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  metadata JSON);
CREATE TABLE IF NOT EXISTS messages (id TEXT NOT NULL, session_key TEXT NOT NULL, parent_id TEXT, type TEXT NOT NULL,
  timestamp INTEGER NOT NULL, data JSON NOT NULL, FOREIGN KEY (session_key) REFERENCES sessions(key));
CREATE INDEX IF NOT EXISTS idx_messages_session ON messages(session_key, timestamp);
CREATE INDEX IF NOT EXISTS idx_messages_parent ON messages(session_key, parent_id);
""")
for text in sys.argv[3:]:
    now = int(time.time() * 1000)
    db.execute("BEGIN IMMEDIATE")
    db.execute("INSERT INTO sessions VALUES (?, ?, ?, '{}') "
               "ON CONFLICT(key) DO UPDATE SET updated_at = excluded.updated_at", (sys.argv[2], now, now))
    last = db.execute("SELECT id FROM messages WHERE session_key = ? ORDER BY timestamp DESC, rowid DESC LIMIT 1",
                      (sys.argv[2],)).fetchone()
    id = "%d_%s" % (now, secrets.token_hex(2))
    parent = last[0] if last else None
    data = json.dumps({"type": "message", "id": id, "parentId": parent, "timestamp": now,
                       "message": {"role": "user", "content": text, "timestamp": now}})
    db.execute("INSERT INTO messages VALUES (?, ?, ?, 'message', ?, ?)", (id, sys.argv[2], parent, now, data))
    db.execute("COMMIT")
    print(id)
db.close()
`

// appendRuns is the number of runs of programs that take a few milliseconds.
const appendRuns = 61

// longSession is the number of records of the longer session.
const longSession = 20_000

// appends compares one appended record, as a whole process, with a Python script, and a short session with a long one.
func (b *bench) appends() error {
	list, err := b.appendContestants()
	if err != nil {
		return err
	}
	for range appendRuns {
		for _, c := range list {
			took, err := c.run(b.onCores(allCores, c.args))
			if err != nil {
				return err
			}
			c.times = append(c.times, took)
		}
	}
	fmt.Fprintf(b.out, "append: one record as a whole process, on the disk when it returns; medians of %d alternating "+
		"runs\n", appendRuns)
	for _, c := range list {
		fmt.Fprintf(b.out, "  %6.1f ms   %s\n", c.seconds()*1e3, c.name)
	}
	b.limit("append of a record, times Python's sqlite3", list[0].seconds()/list[2].seconds(), "", 1, 0.7)
	b.limit("append to 20,000 records, times a new session", list[1].seconds()/list[0].seconds(), "", 1.2, 1.05)
	return nil
}

// appendContestants prepares a short and a long session, and one of the script.
func (b *bench) appendContestants() ([]*contestant, error) {
	python, err := findPython()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(b.cache, "append")
	if err := os.RemoveAll(folder); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	short, long, other := filepath.Join(folder, "s.db"), filepath.Join(folder, "l.db"), filepath.Join(folder, "p.db")
	script := filepath.Join(folder, "append.py")
	if err := os.WriteFile(script, []byte(pythonAppend), 0o644); err != nil {
		return nil, err
	}
	fill := exec.Command(b.clawctl, "append", "k", "--input", "message", "--store", long)
	const message = `{"role":"user","content":"a message of the session"}` + "\n"
	fill.Stdin = strings.NewReader(strings.Repeat(message, longSession))
	if out, err := fill.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, lastLine(out))
	}
	run := []string{b.clawctl, "append", "k", "--role", "user", "hello", "--store"}
	return []*contestant{
		{name: "clawctl append, a short session", args: append(run[:len(run):len(run)], short), cores: allCores},
		{name: fmt.Sprintf("clawctl append, a session of %d records", longSession),
			args: append(run[:len(run):len(run)], long), cores: allCores},
		{name: "Python script with sqlite3", args: []string{python, script, other, "k", "hello"}, cores: allCores},
	}, nil
}

// findPython returns the interpreter that starts fastest: the system's own, or else the one that python3 stands for,
// which may be a script that looks for it.
func findPython() (string, error) {
	const system = "/usr/bin/python3"
	if _, err := os.Stat(system); err == nil {
		return system, nil
	}
	found, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return "", fmt.Errorf("python3: %w", err)
	}
	return strings.TrimSpace(string(found)), nil
}
