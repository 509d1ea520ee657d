package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
	"clawctl/pkg/store/dbfile"
)

// storage says which eras are there. OpenClaw kept sessions in JSONL files up to 2026.6, and since then in databases.
func (e *exam) storage() Result {
	r := Result{Status: OK, Command: e.clawctl("sessions")}
	files := ui.Count(len(e.files), "JSONL file")
	switch {
	case len(e.home.Place.Sessions) == 0:
		r.Status, r.Message, r.Command = Info, "There is no transcript here.", "clawctl env"
	case len(e.home.Place.Databases) == 0 && e.hasLayout() && len(e.agents) == 0:
		r.Message = "The history is in " + files + ", as up to OpenClaw 2026.6."
	case len(e.home.Place.Databases) == 0:
		r.Message = "The history is in " + files + "."
	case len(e.files) == 0:
		r.Message = "The history is in " + e.describeDatabases() + ", as since OpenClaw 2026.7."
	default:
		r.Message = "The history is in " + e.describeDatabases() + " and " + files + "."
	}
	if len(e.home.Others) > 0 {
		r.Status = Info
		r.Message += fmt.Sprintf(" Another state folder exists: %s.", e.home.Others[0].Path)
		r.Command = failure.Command("clawctl", "doctor", e.home.Others[0].Path)
	}
	return r
}

// hasLayout reports whether the folder is laid out as OpenClaw does it.
func (e *exam) hasLayout() bool {
	info, err := os.Stat(filepath.Join(e.home.Place.Path, "agents"))
	return err == nil && info.IsDir()
}

// describeDatabases counts OpenClaw's databases and their sessions, and names their schemas.
func (e *exam) describeDatabases() string {
	var schemas []string
	for _, path := range e.home.Place.Databases {
		if h, err := dbfile.ReadHeader(path); err == nil && !slices.Contains(schemas, fmt.Sprint(h.Version)) {
			schemas = append(schemas, fmt.Sprint(h.Version))
		}
	}
	return fmt.Sprintf("%s (schema %s, %s)", ui.Count(len(e.home.Place.Databases), "SQLite database"), ui.List(schemas),
		ui.Count(len(e.home.Place.Sessions)-len(e.files)-len(e.own), "session"))
}

// clockMargin is how much later one file must have been written than another to count as later. A copy of a home takes
// some time to write.
const clockMargin = 10 * time.Minute

// gateway says which of the eras the gateway uses, as far as the files tell.
func (e *exam) gateway() Result {
	r := Result{Status: OK, Command: e.clawctl("sessions")}
	inFiles, inDatabases := e.lastWritten()
	switch {
	case inFiles.IsZero() && inDatabases.IsZero():
		r.Message = "No session is in use."
	case inDatabases.IsZero() && !e.hasLayout():
		r.Message = fmt.Sprintf("The files were last written %s.", e.ago(inFiles))
	case inDatabases.IsZero():
		r.Message = fmt.Sprintf("OpenClaw uses the JSONL files, last written %s.", e.ago(inFiles))
	case e.usesFiles():
		r.Status, r.Command = Warn, "openclaw --version"
		r.Message = fmt.Sprintf("JSONL files were written %s, after the databases (%s): an older OpenClaw may be running.",
			e.ago(inFiles), e.ago(inDatabases))
	default:
		r.Message = fmt.Sprintf("OpenClaw uses the databases, last written %s.", e.ago(inDatabases))
	}
	if pids := e.writers(); len(pids) > 0 {
		r.Message += fmt.Sprintf(" Locked by process %s.", ui.List(pids))
	}
	return r
}

// usesFiles reports whether the gateway uses JSONL files: there is no database, or live files were written after them.
func (e *exam) usesFiles() bool {
	files, databases := e.lastWritten()
	return files.After(databases.Add(clockMargin))
}

// ago says how long ago a time was.
func (e *exam) ago(t time.Time) string { return ui.Ago(t, e.Now) }

// lastWritten returns when live files and databases were last written, zero if there are none.
func (e *exam) lastWritten() (files, databases time.Time) {
	for _, s := range e.files {
		if s.Kind == source.Live && !isCold(s) && s.Modified.After(files) {
			files = s.Modified
		}
	}
	for _, path := range e.agents {
		for _, part := range []string{path, path + "-wal"} {
			if info, err := os.Stat(part); err == nil && info.ModTime().After(databases) {
				databases = info.ModTime()
			}
		}
	}
	return files, databases
}

// isCold reports whether a file is part of the storage of a database, which keeps old sessions outside.
func isCold(s *source.Session) bool {
	return !s.InDatabase && s.Listed && filepath.Base(filepath.Dir(s.Path)) == "cold"
}

// writers returns the processes that hold locks.
func (e *exam) writers() (pids []string) {
	for _, l := range e.home.Place.Locks {
		if pid := fmt.Sprint(l.PID); l.IsAlive() && !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// short returns the path of a file below the state folder.
func (e *exam) short(path string) string {
	if below, err := filepath.Rel(e.home.Place.Path, path); err == nil && !strings.HasPrefix(below, "..") {
		return below
	}
	return path
}
