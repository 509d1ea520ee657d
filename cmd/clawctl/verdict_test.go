package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
)

// A judgedSession is a session in a state folder of its own, about which every command is asked.
type judgedSession struct {
	t           *testing.T
	state, file string
}

// judgedID is the id of the session.
const judgedID = "11111111-2222-4333-8444-555555555555"

// newJudgedSession puts a text into a state folder in which OpenClaw lists it.
func newJudgedSession(t *testing.T, text []byte) *judgedSession {
	t.Helper()
	state := t.TempDir()
	folder := filepath.Join(state, "agents", "main", "sessions")
	s := &judgedSession{t, state, filepath.Join(folder, judgedID+".jsonl")}
	index := `{"agent:main:main":{"sessionId":"` + judgedID + `","updatedAt":1794700000000}}`
	for path, data := range map[string][]byte{s.file: text, filepath.Join(folder, "sessions.json"): []byte(index)} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		testkit.Write(t, path, data)
	}
	return s
}

// newJudgedDatabase puts a text into a state folder with a database of OpenClaw's. ok is false if such a database could
// not have it, because it has damaged lines or is of another program.
func newJudgedDatabase(t *testing.T, text []byte) (s *judgedSession, ok bool) {
	t.Helper()
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	for _, line := range lines {
		if !json.Valid(line) || !utf8.Valid(line) {
			return nil, false
		}
	}
	if !bytes.Contains(lines[0], []byte(`"type":"session"`)) {
		return nil, false
	}
	state := t.TempDir()
	file := filepath.Join(state, "agents", "main", "agent", "openclaw-agent.sqlite")
	for _, folder := range []string{filepath.Dir(file), filepath.Join(state, "agents", "main", "sessions")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	batch, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	exec := func(query string, args ...any) {
		if _, err := batch.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(judgedSchema)
	exec("INSERT INTO session_nodes VALUES('agent:main:main', ?, ?, NULL)", judgedID, `{"sessionId":"`+judgedID+`"}`)
	for i, line := range lines {
		exec("INSERT INTO transcript_events VALUES(?, ?, ?, 1, NULL, NULL)", judgedID, i, string(line))
	}
	if err := batch.Commit(); err != nil {
		t.Fatal(err)
	}
	return &judgedSession{t, state, file + "#" + judgedID}, true
}

// judgedSchema has the tables of OpenClaw's that hold transcripts.
const judgedSchema = `CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT,
	entry_json TEXT, label TEXT);
	CREATE TABLE session_windows(session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, reason TEXT);
	CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB,
	event_utf8_bytes INTEGER, PRIMARY KEY(session_id, seq));
	PRAGMA user_version = 23`

// A judgedRow is what validate says about the session.
type judgedRow struct {
	Verdict     string `json:"verdict"`
	VerdictCode string `json:"verdict_code"`
	Errors      int    `json:"errors"`
}

// validate returns the verdict of validate, and checks that it exits 1 if it is stuck. A session that cannot be read as
// a transcript has none.
func (s *judgedSession) validate(flags ...string) (row judgedRow) {
	s.t.Helper()
	exit, stdout, stderr := inProcess("", append([]string{"validate", "--brief", "--json", s.file}, flags...)...)
	if json.Unmarshal([]byte(stdout), &row) != nil || row.Verdict == "" {
		return judgedRow{}
	}
	if row.Verdict == "stuck" && (exit != 1 || row.Errors == 0) {
		s.t.Errorf("stuck, but validate exits %d with %d errors: %s", exit, row.Errors, stderr)
	}
	return row
}

// sentence returns the verdict of validate in words.
func (s *judgedSession) sentence() string {
	s.t.Helper()
	_, _, stderr := inProcess("", "validate", "--ignore", "CL702", s.file)
	line, _, _ := strings.Cut(stderr[strings.LastIndex(stderr, "clawctl: 1 session"):], "\n")
	_, words, _ := strings.Cut(line, ". ")
	return strings.TrimSuffix(words, ".")
}

// check asks all commands, and compares what they say.
func (s *judgedSession) check(row judgedRow) {
	s.t.Helper()
	isStuck := row.Verdict == "stuck"
	exit, _, stderr := inProcess("", "show", "-v", s.file)
	if exit == failure.ExitNothing && row.Verdict == "empty" {
		return // none of its lines can be read
	}
	if !strings.Contains(stderr, s.sentence()) {
		s.t.Errorf("validate says %q, show says %s", s.sentence(), stderr)
	}
	_, stdout, _ := inProcess("", "doctor", "--json", s.state)
	if got := strings.Contains(stdout, `"id":"requests","status":"warn"`); got != isStuck {
		s.t.Errorf("%+v, but doctor says %s", row, stdout)
	}
	s.checkStrict()
}

// checkStrict compares rebuild --strict with the verdict about the same API.
func (s *judgedSession) checkStrict() {
	s.t.Helper()
	row := s.validate("--api", "anthropic-messages")
	exit, _, stderr := inProcess("", "rebuild", "--strict", s.file)
	isAlways := strings.Contains(stderr, "CL408 ") || strings.Contains(stderr, "CL410 ") // what is done to every request
	switch {
	case row.Verdict == "continues" && exit == 1 && !isAlways, row.Verdict == "corrected" && exit != 1,
		row.Verdict == "stuck" && exit != 1, row.Verdict == "empty" && exit != 1:
		s.t.Errorf("%+v, but rebuild --strict exits %d: %s", row, exit, stderr)
	}
}

// repair repairs the session. It must be good afterwards, or repair says why it is not.
func (s *judgedSession) repair(before judgedRow) {
	s.t.Helper()
	_, plan, _ := inProcess("", "repair", "--json", s.file)
	exit, stdout, stderr := inProcess("", "repair", "--json", "--write", "-y", s.file)
	after := s.validate()
	isSaid := strings.Contains(stdout, `"stuck":1`)
	switch {
	case exit != 0 && exit != 1:
		s.t.Errorf("repair exits %d: %s", exit, stderr)
	case strings.Contains(plan, `"stuck":1`) != (after.Verdict == "stuck") || isSaid != (after.Verdict == "stuck"):
		s.t.Errorf("%+v after repair, which said %s", after, stdout)
	case isSaid && !strings.Contains(stdout, `"state":"left"`):
		s.t.Errorf("%+v after repair, which gives no reason: %s", after, stdout)
	case before.Verdict == "continues" && after.Verdict != "continues":
		s.t.Errorf("repair made it worse: %+v: %s", after, stdout)
	}
	if after.Verdict != "" {
		s.check(after)
	}
}

// repairCopy repairs a session of a database. That makes a copy in a file, which must be good, or repair says why it is
// not.
func (s *judgedSession) repairCopy() {
	s.t.Helper()
	exit, stdout, stderr := inProcess("", "repair", "--json", "--write", "-y", s.file)
	if exit != 0 && exit != 1 {
		s.t.Errorf("repair exits %d: %s", exit, stderr)
	}
	copies, _ := filepath.Glob(filepath.Join(s.state, "agents", "main", "sessions", "*.jsonl"))
	isSaid, after := strings.Contains(stdout, `"stuck":1`), s.validate()
	for _, file := range copies {
		after = (&judgedSession{s.t, s.state, file}).validate()
	}
	if isSaid != (after.Verdict == "stuck") || isSaid && !strings.Contains(stdout, `"state":"left"`) {
		s.t.Errorf("%+v after repair, which said %s", after, stdout)
	}
}

// compareVerdicts compares what all commands say about the transcripts below a folder, before and after a repair, and
// counts the verdicts. Of every few it takes one.
func compareVerdicts(t *testing.T, folder string, every int) map[string]int {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	counts, seen := map[string]int{}, 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !transcriptName.MatchString(entry.Name()) || isOfOthers(path) ||
			isLeftAlone(path) {
			return err
		}
		if seen++; seen%every != 0 {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		t.Run(strings.TrimPrefix(path, folder), func(t *testing.T) {
			s := newJudgedSession(t, text)
			row := s.validate()
			counts[row.Verdict]++
			if row.Verdict != "" {
				s.check(row)
				s.repair(row)
			}
			if stored, ok := newJudgedDatabase(t, text); ok {
				counts["in a database"]++
				same := stored.validate()
				if same.Verdict != row.Verdict {
					t.Errorf("%+v in a file, %+v in a database", row, same)
				}
				stored.check(same)
				stored.repairCopy()
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %v", folder, counts)
	return counts
}

// validate, doctor, repair, rebuild --strict and show say the same about every session, before and after a repair.
func TestCommandsAgreeOnVerdicts(t *testing.T) {
	counts := compareVerdicts(t, "../../testdata/transcripts", longtest.Step(2))
	for _, verdict := range []string{"continues", "corrected", "stuck", "empty", "in a database"} {
		if counts[verdict] == 0 {
			t.Errorf("no session is %s", verdict)
		}
	}
}

func TestCommandsAgreeOnVerdictsOfRealTranscripts(t *testing.T) {
	if _, err := os.Stat(sharedTranscripts); err != nil {
		t.Skip("no real transcripts here")
	}
	compareVerdicts(t, sharedTranscripts+"/", longtest.Rounds(t, "CLAWCTL_VERDICTS_EVERY", 24, 1))
}
