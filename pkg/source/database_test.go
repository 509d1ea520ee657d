package source

import (
	"bufio"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/source/packed"
	"clawctl/pkg/store/dbfile"
)

// The relevant tables of OpenClaw's two database schemas.
const (
	schemaEntries = `CREATE TABLE session_entries(session_key TEXT PRIMARY KEY, session_id TEXT, entry_json TEXT,
		updated_at INTEGER);
		CREATE TABLE sessions(session_id TEXT PRIMARY KEY, session_key TEXT);
		CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER,
		PRIMARY KEY(session_id, seq));`
	schemaNodes = `CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT,
		label TEXT);
		CREATE TABLE session_windows(session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT,
		reason TEXT);
		CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER,
		event_zstd BLOB, event_utf8_bytes INTEGER, PRIMARY KEY(session_id, seq));
		CREATE TABLE session_transcript_cold_archives(session_id TEXT, archive_name TEXT, archive_sha256 TEXT,
		archive_bytes INTEGER, archive_blob BLOB);
		CREATE TABLE session_transcript_archives(session_id TEXT, generation TEXT, session_key TEXT, reason TEXT,
		encoding TEXT, archive_blob BLOB, archive_sha256 TEXT, archive_name TEXT, created_at INTEGER);
		PRAGMA user_version = 23;`
)

var eventLines = []string{
	`{"type":"session","version":3,"id":"s2","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`,
	`{"type":"message","id":"a","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"user",` +
		`"content":"` + strings.Repeat("kettle ", 300) + `"}}`,
	`{"type":"message","id":"b","parentId":"a","timestamp":"2026-05-01T10:00:02.000Z",` +
		`"message":{"role":"assistant","content":[{"type":"text","text":"on"}]}}`,
}

// newDatabase writes a database with a session of these lines, and returns the open connection.
func newDatabase(t *testing.T, path, schema string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	must(t, db, schema)
	if schema == schemaEntries {
		must(t, db, `INSERT INTO session_entries VALUES('agent:main:main', 's2', '{"sessionId":"s2",`+
			`"displayName":"Tea"}', 1); INSERT INTO sessions VALUES('s2', 'agent:main:main')`)
	} else {
		must(t, db, `INSERT INTO session_nodes VALUES('agent:main:main', 's2',
		'{"sessionId":"s2","displayName":"Tea"}', NULL);
			INSERT INTO session_windows VALUES('s1', 'agent:main:main', NULL, 'initial'), ('s2', 'agent:main:main',
			's1', 'reset');
			INSERT INTO transcript_events(session_id, seq, event_json, created_at) VALUES('s1', 0,
			'{"type":"session","version":3,"id":"s1"}', 1)`)
	}
	for seq, line := range eventLines {
		must(t, db, "INSERT INTO transcript_events(session_id, seq, event_json, created_at) VALUES('s2', ?, ?, ?)", seq,
			line, 1777629600000+seq)
	}
	if schema == schemaNodes {
		compressEvent(t, db, 1)
		blob := compress(t, "zstd", []byte(text))
		sum := fmt.Sprintf("%x", sha256.Sum256(blob))
		must(t, db, "INSERT INTO session_transcript_archives VALUES('s0', 'g1', 'agent:main:old', 'deleted', "+
			"'zstd', ?, ?, 's0.jsonl.deleted.2026-05-02T10-00-00.000Z.zst', 5)", blob, sum)
	}
	return db
}

func compressEvent(t *testing.T, db *sql.DB, seq int) {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	frame := enc.EncodeAll([]byte(eventLines[seq]), nil)
	must(t, db, "UPDATE transcript_events SET event_json = NULL, event_zstd = ?, event_utf8_bytes = ? WHERE "+
		"session_id = 's2' AND seq = ?", frame, len(eventLines[seq]), seq)
}

func must(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

// snapshot describes the files of a folder: everything that a change would affect.
func snapshot(t *testing.T, folder string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		data := testkit.Read(t, filepath.Join(folder, e.Name()))
		fmt.Fprintf(&b, "%s %d %d %x\n", e.Name(), info.Size(), info.ModTime().UnixNano(), sha256.Sum256(data))
	}
	return b.String()
}

// checkSessions reads a database and compares its sessions.
func checkSessions(t *testing.T, path string) {
	t.Helper()
	p, err := FindDatabase(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, s := range p.Sessions {
		if s.ID == "s2" {
			if got := read(t, s); got != strings.Join(eventLines, "\n")+"\n" || s.Kind != Live ||
				s.Key != "agent:main:main" || s.Title() != "Tea" || s.Bytes != int64(len(got)) {
				t.Errorf("%+v: %q", s, got)
			}
			return
		}
	}
	t.Errorf("the session is missing: %s", describe(p))
}

func TestDatabaseEras(t *testing.T) {
	for name, schema := range map[string]string{"entries": schemaEntries, "nodes": schemaNodes} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.sqlite")
			newDatabase(t, path, schema).Close()
			checkSessions(t, path)
		})
	}
}

func TestDatabaseGenerations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite")
	newDatabase(t, path, schemaNodes).Close()
	p, err := FindDatabase(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	want := "live agent:main:main\nreset agent:main:main@window.s1\ndeleted " +
		"agent:main:old@deleted.2026-05-02T10-00-00.000Z\n"
	if got := describe(p); got != want {
		t.Errorf("found\n%swant\n%s", got, want)
	}
	for _, s := range p.Sessions {
		if s.Kind == Deleted && read(t, s) != text {
			t.Error("the archive differs")
		}
	}
}

// coldLines is a transcript in the form of OpenClaw's cold storage.
const coldLines = `{"kind":"header","version":1,"sessionId":"s9","generation":"g"}
{"kind":"event","row":{"seq":0,"event_json":"{\"type\":\"session\",\"version\":3,\"id\":\"s9\"}","created_at":1}}
{"kind":"identity","row":{"event_id":"a","seq":0}}
{"kind":"event","row":{"seq":1,"event_json":"{\"type\":\"user\",\"content\":\"caf\u00e9\"}","created_at":1}}
`

// A transcript in cold storage is read under its session's key, from the database and from files.
func TestColdStorage(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "agents/main/agent", openclaw.DatabaseName)
	write(t, folder, "agents/main/agent/x", "")
	db := newDatabase(t, path, schemaNodes)
	blob := compress(t, "zstd", []byte(coldLines))
	sum := fmt.Sprintf("%x", sha256.Sum256(blob))
	must(t, db, "INSERT INTO session_nodes VALUES('agent:main:nine', 's9', '{}', NULL), ('agent:main:eight', 's8', "+
		"'{}', NULL)")
	must(t, db, "INSERT INTO session_transcript_cold_archives VALUES('s9', 'in-sqlite', ?, ?, ?), ('s8', ?, ?, ?, "+
		"NULL)", sum, len(blob), blob, sum+".jsonl.zst", sum, len(blob))
	db.Close()
	write(t, folder, "agents/main/sessions/cold/"+sum+".jsonl.zst", string(blob))
	p := find(t, folder)
	const want = `{"type":"session","version":3,"id":"s9"}` + "\n" + `{"type":"user","content":"café"}` + "\n"
	seen := 0
	for _, s := range p.Sessions {
		if s.Key == "agent:main:nine" || s.Key == "agent:main:eight" {
			seen++
			if got := read(t, s); got != want || s.Kind != Live {
				t.Errorf("%s %s: %q", s.Kind, s.Name(), got)
			}
		}
	}
	if seen != 2 {
		t.Errorf("found\n%s", describe(p))
	}
	if got := read(t, File(filepath.Join(folder, "agents/main/sessions/cold", sum+".jsonl.zst"))); got != want {
		t.Errorf("as a file: %q", got)
	}
}

// A session with two keys is found by both.
func TestSharedSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite")
	db := newDatabase(t, path, schemaNodes)
	must(t, db, "INSERT INTO session_nodes VALUES('agent:main:other', 's2', '{}', NULL)")
	db.Close()
	checkSessions(t, path)
	p, err := FindDatabase(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	found, err := Select(p.Sessions, Filter{Session: "agent:main:other"}, Kinds)
	if err != nil || len(found) != 1 || found[0].ID != "s2" || len(found[0].Problems) != 1 ||
		found[0].Problems[0].Code != SharedFile {
		t.Errorf("%v %v", found, err)
	}
}

// Incomplete rows are listed all the same.
func TestSparseDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite")
	db := newDatabase(t, path, schemaNodes)
	must(t, db, `UPDATE transcript_events SET created_at = NULL;
		INSERT INTO session_nodes VALUES('agent:main:lost', NULL, NULL, NULL);
		UPDATE session_windows SET session_key = NULL WHERE session_id = 's1';
		UPDATE session_transcript_archives SET reason = 'odd', created_at = NULL`)
	db.Close()
	checkSessions(t, path)
}

// A database with an exclusive lock is reported as locked, not as corrupt.
func TestLockedDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the busy timeout")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.sqlite")
	db := newDatabase(t, path, schemaNodes)
	must(t, db, "PRAGMA locking_mode = exclusive; UPDATE session_nodes SET label = 'mine'")
	p, err := FindDatabase(context.Background(), path, Options{})
	if !errors.Is(err, dbfile.ErrLocked) {
		t.Error(err)
	}
	if err == nil {
		p.Close()
	}
}

// clawctl notices a writer that starts while it reads an idle database.
func TestDatabaseChangesWhileRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite")
	newDatabase(t, path, schemaNodes).Close()
	p, err := FindDatabase(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	must(t, db, "UPDATE session_nodes SET label = 'new'")
	db.Close()
	in, err := p.Sessions[0].Open()
	if err == nil {
		_, err = io.ReadAll(in)
		in.Close()
	}
	if !errors.Is(err, dbfile.ErrChanged) {
		t.Error(err)
	}
}

// Reading a database changes nothing in its folder, whatever the state of the database.
func TestDatabaseLeavesNoTrace(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, path string){
		"at rest": func(t *testing.T, path string) { newDatabase(t, path, schemaNodes).Close() },
		"read-only": func(t *testing.T, path string) {
			newDatabase(t, path, schemaNodes).Close()
			if err := errors.Join(os.Chmod(path, 0o400), os.Chmod(filepath.Dir(path), 0o500)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(filepath.Dir(path), 0o700) })
		},
		"beside a live writer": func(t *testing.T, path string) {
			startWriter(t, path)
			for _, suffix := range []string{"-wal", "-shm"} {
				if info, err := os.Stat(path + suffix); err != nil || info.Size() == 0 {
					t.Fatal("the writer has no log", err)
				}
			}
		},
		"after a crash": func(t *testing.T, path string) {
			other := filepath.Join(t.TempDir(), "other.sqlite")
			newDatabase(t, other, schemaNodes)
			for _, suffix := range []string{"", "-wal"} {
				data, err := os.ReadFile(other + suffix)
				if err == nil {
					err = os.WriteFile(path+suffix, data, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		},
		"with an empty log": func(t *testing.T, path string) {
			newDatabase(t, path, schemaNodes).Close()
			testkit.Write(t, path+"-wal", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder, temporary := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", temporary)
			path := filepath.Join(folder, "x.sqlite")
			prepare(t, path)
			before := snapshot(t, folder)
			checkSessions(t, path)
			if after := snapshot(t, folder); after != before {
				t.Errorf("before\n%safter\n%s", before, after)
			}
			if left := snapshot(t, temporary); left != "" {
				t.Errorf("a private copy was left: %s", left)
			}
		})
	}
}

// startWriter starts another process that writes a database and keeps it open. In this process SQLite would share the
// writer's memory with the reader.
func startWriter(t *testing.T, path string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestWriterProcess$")
	cmd.Env = append(os.Environ(), "CLAWCTL_TEST_WRITER="+path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		t.Fatal("the writer did not start:", line, err)
	}
}

// TestWriterProcess is the process that startWriter starts.
func TestWriterProcess(t *testing.T) {
	path := os.Getenv("CLAWCTL_TEST_WRITER")
	if path == "" {
		t.Skip("startWriter runs it as a process of its own")
	}
	newDatabase(t, path, schemaNodes)
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test closes the pipe
}

func TestRefusedDatabases(t *testing.T) {
	for name, test := range map[string]struct {
		schema string
		want   error
	}{
		"foreign": {"CREATE TABLE people(name TEXT)", dbfile.ErrForeign},
		"empty":   {"PRAGMA user_version = 99; CREATE TABLE x(y); DROP TABLE x", dbfile.ErrForeign},
		"newer": {"PRAGMA user_version = 99; CREATE TABLE transcript_events(session TEXT, body BLOB)",
			dbfile.ErrNewer},
	} {
		path := filepath.Join(t.TempDir(), "x.sqlite")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		must(t, db, test.schema)
		db.Close()
		if _, err := FindDatabase(context.Background(), path, Options{}); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "x.sqlite")
	testkit.Write(t, path, append([]byte("SQLite format 3\x00"), make([]byte, 500)...))
	if _, err := FindDatabase(context.Background(), path, Options{}); !errors.Is(err, dbfile.ErrCorrupt) {
		t.Error("garbage:", err)
	}
}

// A damaged frame affects only its own row.
func TestDamagedFrame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite")
	db := newDatabase(t, path, schemaNodes)
	must(t, db, "UPDATE transcript_events SET event_zstd = x'28b52ffd00' WHERE seq = 1 AND session_id = 's2'")
	db.Close()
	p, err := FindDatabase(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, s := range p.Sessions {
		if s.ID != "s2" {
			continue
		}
		in, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(in)
		in.Close()
		var damage *packed.Error
		if !errors.As(err, &damage) || string(got) != eventLines[0]+"\n"+eventLines[2]+"\n" {
			t.Errorf("%q, then %v", got, err)
		}
	}
}

// A database with flipped bits is read or refused, without a panic or a hang.
func TestFlippedBits(t *testing.T) {
	rounds := longtest.Rounds(t, "CLAWCTL_FLIPS", 120, 4000)
	folder := t.TempDir()
	path := filepath.Join(folder, "x.sqlite")
	newDatabase(t, path, schemaNodes).Close()
	original := testkit.Read(t, path)
	r := rand.New(rand.NewPCG(3, 4))
	refused := 0
	for i := range rounds {
		data := append([]byte(nil), original...)
		for range 1 + r.IntN(20) {
			data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		}
		flipped := filepath.Join(folder, "flipped.sqlite")
		testkit.Write(t, flipped, data)
		begun := time.Now()
		err := readAll(flipped)
		if time.Since(begun) > 2*time.Minute {
			t.Fatalf("round %d took %v", i, time.Since(begun))
		}
		if err != nil {
			refused++
			var damage *packed.Error
			if !errors.Is(err, dbfile.ErrCorrupt) && !errors.Is(err, dbfile.ErrForeign) &&
				!errors.Is(err, dbfile.ErrNewer) && !errors.As(err, &damage) {
				t.Fatalf("round %d: %v is not classified", i, err)
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
	t.Logf("%d of %d databases were refused", refused, rounds)
}

func readAll(path string) error {
	p, err := FindDatabase(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	defer p.Close()
	for _, f := range Inspect(context.Background(), p.Sessions, 1) {
		if f.Err != nil {
			return f.Err
		}
	}
	return nil
}

// NamesOnly lists the same sessions of a database, without reading a row of their text.
func TestNamesOnlyInDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite")
	newDatabase(t, path, schemaNodes).Close()
	var names [2][]string
	for i, opts := range []Options{{}, {Fast: true, NamesOnly: true}} {
		p, err := FindDatabase(t.Context(), path, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Sessions {
			names[i] = append(names[i], s.Name()+" "+string(s.Kind)+" "+s.Place())
		}
		p.Close()
	}
	if len(names[0]) < 3 || !slices.Equal(names[0], names[1]) {
		t.Errorf("all: %q\nby name: %q", names[0], names[1])
	}
}
