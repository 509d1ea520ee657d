package doctor

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// A migrationRun is what OpenClaw notes about a migration to SQLite.
type migrationRun struct {
	StartedAt   time.Time `json:"startedAt"`
	CompletedAt time.Time `json:"completedAt"`
	Targets     []struct {
		Issues []json.RawMessage `json:"issues"`
	} `json:"targets"`
}

// lastMigration returns the newest run of OpenClaw's migration, or nil.
func (e *exam) lastMigration() *migrationRun {
	var last *migrationRun
	folder := os.DirFS(e.home.Place.Path)
	names, _ := fs.Glob(folder, "session-sqlite-migration-runs/*.json") // the pattern is valid
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		run := &migrationRun{}
		if err != nil || json.Unmarshal(text, run) != nil {
			continue
		}
		if last == nil || run.StartedAt.After(last.StartedAt) {
			last = run
		}
	}
	return last
}

// issues counts what a migration could not do.
func (m *migrationRun) issues() (n int) {
	for _, t := range m.Targets {
		n += len(t.Issues)
	}
	return n
}

// inspectMigration is OpenClaw's own command about a migration. It changes no session.
const inspectMigration = "openclaw doctor --session-sqlite inspect --session-sqlite-all-agents"

// migrations says what migrations have left over.
func (e *exam) migrations() Result {
	run, behind := e.lastMigration(), e.leftBehind()
	r := Result{Status: OK, Message: "No migration is left unfinished.", Command: e.clawctl("sessions")}
	switch {
	case run != nil && run.CompletedAt.IsZero():
		r.Status = Warn
		r.Message = fmt.Sprintf("OpenClaw's migration to SQLite began %s and did not finish.", e.ago(run.StartedAt))
	case behind > 0:
		r.Status = Warn
		r.Message = fmt.Sprintf("OpenClaw's migration to SQLite left %s behind, and OpenClaw does not show %s.",
			ui.Count(behind, "live transcript"), map[bool]string{true: "it", false: "them"}[behind == 1])
	case run != nil && run.issues() > 0:
		r.Status = Warn
		r.Message = fmt.Sprintf("OpenClaw's last migration to SQLite reported %s.", ui.Count(run.issues(), "problem"))
	case run != nil:
		r.Message = fmt.Sprintf("OpenClaw's migration to SQLite finished %s.", e.ago(run.CompletedAt))
		r.Command = e.clawctl("sessions", "--kind", "archive")
	}
	if !r.Status.needsLook() {
		e.addTemporary(&r)
	} else {
		r.Command = inspectMigration
	}
	return r
}

// leftBehind counts the live files that no database has, although the gateway uses databases.
func (e *exam) leftBehind() int {
	var n int
	if len(e.agents) == 0 || e.usesFiles() {
		return 0
	}
	known := map[string]bool{}
	for _, s := range e.home.Place.Sessions {
		known[s.ID] = known[s.ID] || s.InDatabase
	}
	for _, s := range e.files {
		if s.Kind == source.Live && s.Bytes > 0 && !known[s.ID] && !isCold(s) {
			n++
		}
	}
	return n
}

// addTemporary mentions the temporary files of an index that was never completed.
func (e *exam) addTemporary(r *Result) {
	names, _ := fs.Glob(os.DirFS(e.home.Place.Path), "agents/*/sessions/sessions.json.*.tmp") // the pattern is valid
	if len(names) == 0 {
		return
	}
	r.Status, r.Command = Info, failure.Command("ls", "-l", filepath.Join(e.home.Place.Path, names[0]))
	r.Message = fmt.Sprintf("%s left from an interrupted write of sessions.json.", ui.Are(len(names), "temporary file"))
}
