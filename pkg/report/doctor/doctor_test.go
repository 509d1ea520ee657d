package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/source"
)

// elsewhere is the folder of an agent outside its home.
var elsewhere = absolute("/srv/agents/ops")

// absolute returns a path of Unix as an absolute one of this system, which may need the letter of a drive.
func absolute(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return full
}

// A stage is a home and what doctor must say about it.
type stage struct {
	name    string
	make    func(h *stagedHome)
	look    map[string]Status // the checks that need a look; none: healthy
	only    int               // only_in_files
	message string            // in the first of these checks, or in one that is worth knowing
	command string            // of that check
}

// stages are homes as people have them, each with one thing wrong, several, or nothing.
var stages = []stage{
	{name: "healthy files", make: func(h *stagedHome) { h.files(1, 2, 3) },
		only: 3, message: "3 files have the only copy of their records.", command: "clawctl import"},
	{name: "healthy files with a store", make: func(h *stagedHome) { h.files(1, 2); h.imports(time.Minute) },
		message: "2 JSONL files", command: "clawctl sessions"},
	{name: "healthy databases", make: func(h *stagedHome) { h.database(conversations(1, 2)) },
		message: "1 SQLite database (schema 23, 2 sessions)", command: "clawctl sessions"},
	{name: "healthy after a migration", make: func(h *stagedHome) {
		h.database(conversations(1, 2))
		h.file(archived(1), conversation(1))
		h.file(archived(2), conversation(2))
		h.migrationRun(migrationEnd)
	}, message: "migration to SQLite finished 1 day ago", command: "clawctl sessions --kind archive"},
	{name: "healthy with a file that grows", make: func(h *stagedHome) {
		h.files(1, 2)
		h.imports(2 * time.Hour)
		h.file(inSessions(idOf(1)+".jsonl"), conversation(1)+message("u2", "a1", "More"))
	}, only: 1, message: "1 of 2 files has records that are in no database yet.", command: "clawctl import"},
	{name: "no transcript", make: func(*stagedHome) {}, message: "There is no transcript here.", command: "clawctl env"},

	{name: "records only in files", make: func(h *stagedHome) {
		h.database(conversations(1))
		h.file(archived(1), conversation(1))
		h.file(inSessions(idOf(1)+".jsonl.reset.2026-05-04T14-58-56.795Z"), conversation(7))
		h.file(inSessions(idOf(2)+".jsonl.deleted.2026-05-04T14-58-56.795Z"), conversation(2))
	}, look: map[string]Status{"only-in-files": Warn}, only: 2,
		message: "2 of 3 files have records that are in no database.", command: "clawctl import"},
	{name: "a record that the migration dropped", make: func(h *stagedHome) {
		h.database(conversations(1))
		h.file(archived(1), conversation(1)+message("u2", "a1", "Lost"))
	}, look: map[string]Status{"only-in-files": Warn}, only: 1,
		message: "1 file has records", command: "clawctl import"},
	{name: "records in either database", make: func(h *stagedHome) {
		grown := conversation(1) + message("u2", "a1", "Second") + message("u3", "u2", "Third")
		h.file(inSessions(idOf(1)+".jsonl"), conversation(1)+message("u2", "a1", "Second"))
		h.imports(time.Minute)
		h.must(os.Remove(filepath.Join(h.state, inSessions(idOf(1)+".jsonl"))))
		third := conversation(1) + message("u3", "u2", "Third")
		h.database(map[int]string{1: third})
		h.file(archived(1), grown)
	}, only: 0, message: "Every record of 1 file is in clawctl's store or OpenClaw's databases."},
	{name: "a session that cannot be continued", make: func(h *stagedHome) {
		h.files(1, 2)
		h.file(inSessions(idOf(2)+".jsonl"), conversation(2)+halfCall)
	}, look: map[string]Status{"requests": Warn}, only: 2,
		message: "cannot be continued: agent:main:s2 (lone surrogate or invalid UTF-8 in the " +
			"text, CL407).",
		command: "clawctl repair agent:main:s2"},
	{name: "one in a database", make: func(h *stagedHome) {
		h.database(map[int]string{1: conversation(1) + halfCall, 2: conversation(2)})
	}, look: map[string]Status{"requests": Warn},
		message: "1 of the 2 ", command: "clawctl repair agent:main:s1"},
	{name: "a session that OpenClaw corrects", make: func(h *stagedHome) {
		h.files(1, 2)
		h.file(inSessions(idOf(2)+".jsonl"), conversation(2)+unansweredCall)
	}, only: 2, command: "clawctl validate --brief",
		message: "can be continued, 1 of them after corrections that their program makes."},
	{name: "a torn last line", make: func(h *stagedHome) {
		h.files(1, 2)
		h.file(inSessions(idOf(1)+".jsonl"), conversation(1)+`{"type":"message","id":"u2","par`)
	}, look: map[string]Status{"transcripts": Warn}, only: 2,
		message: "1 live transcript is damaged", command: "clawctl repair "},
	{name: "NUL bytes after a crash, in a session of long ago", make: func(h *stagedHome) {
		h.files(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
		h.file(inSessions(idOf(12)+".jsonl"), conversation(12)+strings.Repeat("\x00", 512)+"\n")
	}, look: map[string]Status{"transcripts": Warn}, only: 12,
		message: "1 live transcript is damaged", command: "clawctl repair "},
	{name: "a damaged index", make: func(h *stagedHome) {
		h.files(1, 2)
		h.file(inSessions("sessions.json"), index(1, 2)[:80])
	}, look: map[string]Status{"index": Error}, only: 2, message: "1 sessions.json file is damaged",
		command: "clawctl repair --index"},
	{name: "a hidden transcript", make: func(h *stagedHome) {
		h.files(1)
		h.file(inSessions(idOf(2)+".jsonl"), conversation(2))
	}, look: map[string]Status{"index": Warn}, only: 2,
		message: "1 live transcript is unlisted and so hidden in OpenClaw.",
		command: "clawctl repair --index"},
	{name: "a missing transcript", make: func(h *stagedHome) {
		h.files(1, 2)
		h.must(os.Remove(filepath.Join(h.state, inSessions(idOf(2)+".jsonl"))))
	}, look: map[string]Status{"index": Warn}, only: 1, message: "1 listed transcript is missing",
		command: "clawctl validate --all --select CL502"},
	{name: "a stale lock", make: func(h *stagedHome) {
		h.files(1)
		h.file(inSessions(idOf(1)+".jsonl.lock"), `{"pid":2147480000,"createdAt":"2026-11-01T10:00:00.000Z"}`)
	}, look: map[string]Status{"locks": Warn}, only: 1,
		message: "1 lock names a process that is not running.", command: "rm "},
	{name: "a lock that names no process", make: func(h *stagedHome) {
		h.files(1)
		h.file(inSessions(idOf(1)+".jsonl.lock"), `{}`)
		h.must(os.Chtimes(filepath.Join(h.state, inSessions(idOf(1)+".jsonl.lock")), now, now.Add(-time.Hour)))
	}, look: map[string]Status{"locks": Warn}, only: 1, message: "1 old lock names no process.", command: "rm "},
	{name: "an unfinished migration", make: func(h *stagedHome) {
		h.database(conversations(1))
		h.migrationRun("")
	}, look: map[string]Status{"migrations": Warn}, message: "began 1 day ago and did not finish",
		command: "openclaw doctor --session-sqlite inspect "},
	{name: "a live transcript that the migration left behind", make: func(h *stagedHome) {
		h.database(conversations(1))
		h.file(inSessions(idOf(2)+".jsonl"), conversation(2))
		h.file(inSessions("sessions.json"), index(2))
		h.migrationRun(migrationEnd)
	}, look: map[string]Status{"only-in-files": Warn, "migrations": Warn}, only: 1},
	{name: "files that were written after the database", make: func(h *stagedHome) {
		h.files(1)
		h.age(h.database(conversations(1)), 48*time.Hour)
	}, look: map[string]Status{"gateway": Warn},
		message: "an older OpenClaw may be running", command: "openclaw --version"},
	{name: "a corrupt database", make: func(h *stagedHome) {
		path := h.database(conversations(1, 2))
		text, err := os.ReadFile(path)
		h.must(err)
		for i := 4096; i < len(text); i++ {
			text[i] = 'x'
		}
		h.file(databasePath, string(text))
	}, look: map[string]Status{"databases": Error}, message: "openclaw-agent.sqlite cannot be read",
		command: "sqlite3 "},
	{name: "a corrupt database beside what its migration left", make: func(h *stagedHome) {
		h.file(archived(1), conversation(1))
		h.file(databasePath, "SQLite format 3\x00"+strings.Repeat("x", 8192))
	}, look: map[string]Status{"databases": Error}, only: 1,
		message: "openclaw-agent.sqlite cannot be read: ", command: "clawctl sessions "},
	{name: "meetings", make: func(h *stagedHome) {
		h.files(1)
		h.file("state/openclaw.sqlite", "")
		db, err := sql.Open("sqlite", filepath.Join(h.state, "state/openclaw.sqlite"))
		h.must(err)
		defer db.Close()
		_, err = db.Exec("CREATE TABLE meeting_transcript_utterances(text TEXT);" +
			"CREATE TABLE acp_replay_events(seq INTEGER);" +
			"INSERT INTO meeting_transcript_utterances VALUES ('a'), ('b'); INSERT INTO acp_replay_events VALUES (1)")
		h.must(err)
	}, only: 1, command: "openclaw backup create",
		message: "openclaw.sqlite has 2 meeting utterances and 1 ACP event that no session has."},
	{name: "old files", make: func(h *stagedHome) {
		h.file(archived(1), conversation(1))
		h.file(archived(2), conversation(2))
		h.age(filepath.Join(h.state, archived(1)), 40*24*time.Hour)
		h.database(conversations(1, 2))
	}, message: "can be freed later, the first of it from 2026-12-15 on.", command: "clawctl prune"},
	{name: "a store that nobody updates", make: func(h *stagedHome) {
		h.files(1)
		h.imports(30 * 24 * time.Hour)
		h.files(1, 2)
		h.age(filepath.Join(h.state, inSessions(idOf(2)+".jsonl")), 20*24*time.Hour)
	}, look: map[string]Status{"store": Warn}, only: 1, message: "clawctl's store was updated 4 weeks ago. " +
		"1 transcript is newer or not in it. The oldest was written 2 weeks ago.", command: "clawctl import"},
	{name: "a damaged store", make: func(h *stagedHome) {
		h.files(1)
		h.imports(time.Minute)
		h.must(os.WriteFile(h.store, []byte("SQLite format 3\x00 and then nothing of the kind"), 0o644))
	}, look: map[string]Status{"store": Error}, only: 1, message: "clawctl's store cannot be read"},
	{name: "an agent whose folder is elsewhere", make: func(h *stagedHome) {
		h.files(1)
		h.file("openclaw.json", `{agents: {entries: {ops: {agentDir: `+strconv.Quote(elsewhere)+`}}}}`)
	}, look: map[string]Status{"not-read": Warn}, only: 1,
		message: elsewhere, command: failure.Command("clawctl", "sessions", elsewhere)},
	{name: "several things at once", make: func(h *stagedHome) {
		h.files(1, 2, 3)
		h.file(inSessions(idOf(1)+".jsonl"), conversation(1)+halfCall)
		h.file(inSessions(idOf(2)+".jsonl"), conversation(2)+`{"type":`)
		h.file(inSessions(idOf(3)+".jsonl.lock"), `{"pid":2147480000}`)
		h.file(inSessions("sessions.json"), index(1, 2))
	}, look: map[string]Status{"requests": Warn, "transcripts": Warn, "locks": Warn, "index": Warn}, only: 3},
}

// doctor is right about every staged home, quickly and with Deep, and leaves no trace.
func TestStagedHomes(t *testing.T) {
	for _, s := range stages {
		t.Run(s.name, func(t *testing.T) {
			h := newStage(t)
			s.make(h)
			before := h.snapshot()
			for _, deep := range []bool{false, true} {
				s.check(t, h.examine(Options{Deep: deep, IsDefault: true}))
			}
			if after := h.snapshot(); after != before {
				t.Errorf("it left a trace:\n%s%s", before, after)
			}
		})
	}
}

// check compares a report with what it should say.
func (s stage) check(t *testing.T, r *Report) {
	t.Helper()
	look := map[string]Status{}
	for _, c := range r.Checks {
		if c.Status.needsLook() {
			look[c.ID] = c.Status
		}
		if c.Message == "" || c.Command == "" || !strings.HasSuffix(c.Message, ".") {
			t.Errorf("%+v", c)
		}
	}
	if !maps.Equal(look, s.look) || r.OK() != (len(s.look) == 0) {
		t.Errorf("got %v, want %v: %+v", look, s.look, r.Checks)
	}
	if r.OnlyInFiles == nil || *r.OnlyInFiles != s.only {
		t.Errorf("only in files: %v, want %d: %+v", r.OnlyInFiles, s.only, r.Checks)
	}
	says := func(c Result) bool {
		return strings.Contains(c.Message, s.message) && strings.HasPrefix(c.Command, s.command)
	}
	if !slices.ContainsFunc(r.Checks, says) {
		t.Errorf("nothing says %q with %q: %+v", s.message, s.command, r.Checks)
	}
}

func (r *Report) find(id string) (found Result) {
	for _, c := range r.Checks {
		if c.ID == id {
			found = c
		}
	}
	return found
}

// expect compares the answer of one check.
func (r *Report) expect(t *testing.T, id string, status Status, message, command string) {
	t.Helper()
	c := r.find(id)
	if c.Status != status || !strings.Contains(c.Message, message) || !strings.HasPrefix(c.Command, command) {
		t.Errorf("want %s %q %q, got %+v", status, message, command, c)
	}
}

// smallLimit makes every reading too large to be quick.
func smallLimit(t *testing.T, bytes int64) {
	before := quickRead
	quickRead = bytes
	t.Cleanup(func() { quickRead = before })
}

// In a large home, what a database has under no name is only here. What else was not compared is not guessed.
func TestLargeHome(t *testing.T) {
	h := newStage(t)
	h.database(conversations(1, 2))
	h.file(archived(1), conversation(1))
	h.file(archived(3), conversation(3))
	smallLimit(t, 100)
	r := h.examine(Options{})
	if r.OnlyInFiles != nil {
		t.Errorf("the same name and size is no proof: %+v", r)
	}
	r.expect(t, "only-in-files", Warn, "1 file is not compared with a database", "")
	r.expect(t, "databases", OK, "not checked for corruption", failure.Command("clawctl", "doctor", "--deep", h.state))
	r.expect(t, "requests", OK, "There is no session to continue. 2 sessions are too large to look at quickly.", "")

	h.file(archived(2), conversation(2)+message("u2", "a1", "Lost"))
	r = h.examine(Options{IsDefault: true})
	if r.OnlyInFiles != nil {
		t.Errorf("another size: %+v", r)
	}
	r.expect(t, "only-in-files", Warn, "files are not compared with a database", "clawctl doctor --deep")
	if deep := h.examine(Options{Deep: true}); deep.OnlyInFiles == nil || *deep.OnlyInFiles != 2 {
		t.Errorf("with everything read: %+v", deep)
	}
}

// A file is in the store if the store has its bytes, not if it has as many.
func TestChangedByteIsNotThere(t *testing.T) {
	h := newStage(t)
	h.files(1, 2)
	h.imports(time.Minute)
	h.file(inSessions(idOf(1)+".jsonl"), strings.Replace(conversation(1), "message", "messagE", 1))
	if r := h.examine(Options{}); r.OnlyInFiles == nil || *r.OnlyInFiles != 1 {
		t.Errorf("compared: %+v", r)
	}
	smallLimit(t, 0)
	r := h.examine(Options{})
	if r.OnlyInFiles != nil {
		t.Errorf("not compared: %+v", r)
	}
	r.expect(t, "only-in-files", Warn, "1 file is not compared with a database", "clawctl doctor --deep")
}

// A receipt that matches saves reading a file, and an append makes it count again.
func TestReceipts(t *testing.T) {
	h := newStage(t)
	h.files(1, 2)
	h.imports(time.Minute)
	smallLimit(t, 0)
	if r := h.examine(Options{}); r.OnlyInFiles == nil || *r.OnlyInFiles != 0 {
		t.Errorf("%+v", r)
	}
	h.file(inSessions(idOf(1)+".jsonl"), conversation(1)+message("u2", "a1", "More"))
	if r := h.examine(Options{}); r.OnlyInFiles == nil || *r.OnlyInFiles != 1 {
		t.Errorf("grown: %+v", r)
	}
	h.file(inSessions(idOf(1)+".jsonl"), conversation(1)[:200]+"\n")
	if r := h.examine(Options{}); r.OnlyInFiles != nil {
		t.Errorf("shrunk: %+v", r)
	}
}

// Deep finds keys in clear text, and compares OpenClaw's databases with the store.
func TestDeep(t *testing.T) {
	h := newStage(t)
	key := "sk-ant-" + "api03-" + strings.Repeat("Zx4", 31) + "AA"
	path := h.database(map[int]string{1: conversation(1) + message("u2", "a1", "My key is "+key), 2: conversation(2)})
	h.imports(time.Minute)
	r := h.examine(Options{Deep: true})
	r.expect(t, "secrets", Warn, "1 of 2 transcripts may have keys or passwords in clear text.",
		failure.Command("clawctl", "redact", "--check", h.state))
	r.expect(t, "records", OK, "every record of the 2 sessions", "clawctl verify")
	h.must(os.Remove(path))
	h.database(conversations(1, 2, 3))
	h.examine(Options{Deep: true}).expect(t, "records", Info, "lacks records of 1 session", "clawctl import")
}

// What OpenClaw moved out of its database is still in use.
func TestColdStorage(t *testing.T) {
	h := newStage(t)
	path := h.database(conversations(1))
	name := strings.Repeat("c0", 32) + ".jsonl"
	db, err := sql.Open("sqlite", path)
	h.must(err)
	_, err = db.Exec(fmt.Sprintf(`CREATE TABLE session_transcript_cold_archives(session_id TEXT, archive_name TEXT,
		archive_blob BLOB, archive_sha256 TEXT);
		INSERT INTO session_nodes VALUES ('agent:main:s2', '%[1]s', '{}');
		INSERT INTO session_transcript_cold_archives VALUES ('%[1]s', '%[2]s', NULL, '')`, idOf(2), name))
	h.must(err)
	h.must(db.Close())
	h.file(inSessions("cold/"+name), conversation(2))
	r := h.examine(Options{})
	r.expect(t, "only-in-files", Info, "1 file has records that OpenClaw has moved out of its database.", "clawctl import")
	r.expect(t, "migrations", OK, "No migration is left unfinished.", "")
}

// A lock whose process runs is no left-over, and its file may end in the middle of a line.
func TestHeldLock(t *testing.T) {
	h := newStage(t)
	h.files(1)
	torn := h.file(inSessions(idOf(1)+".jsonl"), conversation(1)+`{"type":`)
	h.file(inSessions(idOf(1)+".jsonl.lock"), fmt.Sprintf(`{"pid":%d}`, os.Getpid()))
	r := h.examine(Options{})
	r.expect(t, "locks", OK, "No lock is left over.", "")
	r.expect(t, "gateway", OK, fmt.Sprintf("Locked by process %d.", os.Getpid()), "")
	if why := damagedEnds(source.File(torn)); why != "its last line is incomplete" {
		t.Error(why)
	}
}

// Both ends of a file are looked at, however long its lines are.
func TestDamagedEnds(t *testing.T) {
	long := `{"type":"custom","data":"` + strings.Repeat("x", 3*endBytes) + `"}`
	for text, want := range map[string]string{
		conversation(1):                      "",
		strings.TrimSpace(conversation(1)):   "",
		conversation(1) + "\n \n":            "",
		"\ufeff" + conversation(1):           "",
		conversation(1) + long + "\n":        "",
		conversation(1) + long:               "",
		conversation(1) + long[:len(long)-2]: "its last line is incomplete",
		conversation(1) + `{"type":`:         "its last line is incomplete",
		conversation(1) + "[1]\n":            "last line: not a JSON object",
		"\x00\x00\x00":                       "its beginning is not a record",
		"\xff\xfe{\x00":                      "its beginning is not a record",
		"":                                   "",
	} {
		path := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := damagedEnds(source.File(path)); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}

// An exam that is interrupted ends with the error of its context.
func TestInterrupted(t *testing.T) {
	h := newStage(t)
	h.files(1)
	place, err := source.Find(t.Context(), h.state, source.Options{Fast: true})
	h.must(err)
	defer place.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Examine(ctx, Home{Place: place}, Options{Now: now, Deep: true})
	if r != nil || !errors.Is(err, context.Canceled) {
		t.Error(r, err)
	}
}
