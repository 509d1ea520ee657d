package doctor

import (
	"path/filepath"

	"clawctl/internal/ui"
	"clawctl/pkg/store/dbfile"
)

// A historyTable is a table of OpenClaw's state database with history that no transcript has.
type historyTable struct{ table, noun string }

// historyTables have what was said in meetings, and what other programs did for OpenClaw over ACP.
var historyTables = []historyTable{
	{"meeting_transcript_utterances", "meeting utterance"},
	{"acp_replay_events", "ACP event"},
}

// otherHistory says which history is in no session, so that clawctl neither lists nor imports it.
func (e *exam) otherHistory() Result {
	path := filepath.Join(e.home.Place.Path, "state", "openclaw.sqlite")
	if sizeOf(path) == 0 {
		return Result{}
	}
	var found []string
	for _, t := range historyTables {
		if n := e.countRows(path, t.table); n > 0 {
			found = append(found, ui.Count(n, t.noun))
		}
	}
	if len(found) == 0 {
		return Result{}
	}
	return Result{Status: Info, Command: "openclaw backup create",
		Message: e.short(path) + " has " + ui.List(found) + " that no session has. clawctl does not import them."}
}

// countRows returns how many rows a table has, 0 if it cannot be read. The check of databases says why.
func (e *exam) countRows(path, table string) int {
	var n int
	db, err := dbfile.OpenReadOnly(e.ctx, path)
	if err != nil {
		return 0
	}
	defer db.Close()
	if db.DB.QueryRowContext(e.ctx, "SELECT count(*) FROM "+table).Scan(&n) != nil {
		return 0
	}
	return n
}
