package doctor

import (
	"path/filepath"
	"slices"

	"clawctl/internal/failure"
	"clawctl/internal/shell"
	"clawctl/internal/ui"
	"clawctl/pkg/change"
	"clawctl/pkg/source"
)

// takeOwn takes the files that clawctl itself has made, and that nobody has changed, out of those that OpenClaw is
// asked about. What it makes of a session in a database is a new file, which OpenClaw has not written.
func (e *exam) takeOwn() {
	isOwn := func(s *source.Session) bool {
		path, err := filepath.EvalSymlinks(s.Path)
		if err == nil {
			path, err = filepath.Abs(path)
		}
		return err == nil && slices.ContainsFunc(e.home.Created, func(r *change.Receipt) bool { return r.Path == path })
	}
	if len(e.home.Created) == 0 {
		return
	}
	e.own = slices.DeleteFunc(slices.Clone(e.files), func(s *source.Session) bool { return !isOwn(s) })
	e.files = slices.DeleteFunc(e.files, isOwn)
}

// repaired says which sessions clawctl has repaired in a new file that OpenClaw has not imported yet.
func (e *exam) repaired() Result {
	waiting := slices.DeleteFunc(slices.Clone(e.own), func(s *source.Session) bool {
		isImported := func(other *source.Session) bool { return other.InDatabase && other.ID == s.ID }
		return e.agents[s.Agent] == "" || slices.ContainsFunc(e.home.Place.Sessions, isImported)
	})
	if len(waiting) == 0 {
		return Result{}
	}
	first := waiting[0]
	return Result{Status: Warn,
		Message: ui.Are(len(waiting), "session") + " repaired in a new file, and not imported by OpenClaw yet: " +
			filepath.Base(first.Path) + ". clawctl undo removes such a file.",
		Command: importCommand(e, first.Agent),
	}
}

// importCommand is OpenClaw's own command that imports the files of an agent into its database.
func importCommand(e *exam, agent string) string {
	command := failure.Command("openclaw", "doctor", "--session-sqlite", "import", "--session-sqlite-agent", agent)
	if e.IsDefault {
		return command
	}
	return shell.Current().With("OPENCLAW_STATE_DIR", e.home.Place.Path, command)
}
