package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/change"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store/dbfile"
	"clawctl/pkg/validate"
)

// databases says which databases of OpenClaw cannot be read. Large ones are only checked for corruption with Deep.
func (e *exam) databases() Result {
	r := Result{Status: OK, Command: e.clawctl("du", "--by", "table")}
	var bad []Result
	for _, p := range e.badDatabases() {
		bad = append(bad, e.describeBad(p.Path, p.Err))
	}
	checked, large := 0, int64(0)
	for _, path := range e.home.Place.Databases {
		size := sizeOf(path)
		if !e.Deep && large+size > quickRead {
			large += size
			continue
		}
		large += size
		if err := e.checkDatabase(path); err != nil {
			bad = append(bad, e.describeBad(path, err))
		}
		checked++
	}
	switch n := len(e.home.Place.Databases); {
	case len(bad) > 0:
		return worst(bad)
	case n == 0:
		r.Message, r.Command = "OpenClaw has no database here.", e.clawctl("sessions")
	case checked == n:
		r.Message = ui.Are(n, "database") + " intact."
	default:
		r.Message = ui.Count(n, "database") + " can be opened. " + ui.Bytes(large) + " were not checked for corruption."
		r.Command = e.clawctl("doctor", "--deep")
	}
	return r
}

// worst joins the sentences of several results, and takes the command of the first of the worst.
func worst(results []Result) Result {
	var sentences []string
	first := results[0]
	for _, r := range results {
		sentences = append(sentences, r.Message)
		if r.Status == Error && first.Status != Error {
			first = r
		}
	}
	first.Message = strings.Join(sentences, " ")
	return first
}

// checkDatabase checks one of OpenClaw's databases for corruption.
func (e *exam) checkDatabase(path string) error {
	i := slices.IndexFunc(e.home.Place.Sessions, func(s *source.Session) bool { return s.InDatabase && s.Path == path })
	if i < 0 {
		return nil
	}
	return e.home.Place.Sessions[i].CheckDatabase(e.ctx)
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// badDatabases returns the problems of databases that cannot be read.
func (e *exam) badDatabases() []source.Problem {
	return slices.DeleteFunc(slices.Clone(e.home.Place.Problems), func(p source.Problem) bool {
		return p.Code != source.BadDatabase
	})
}

// describeBad is the answer for a database that cannot be read.
func (e *exam) describeBad(path string, err error) Result {
	r := Result{Status: Error, Message: fmt.Sprintf("%s cannot be read: %s.", e.short(path), failure.Reason(err)),
		Command: failure.Command("clawctl", "sessions", path)}
	switch {
	case errors.Is(err, dbfile.ErrCorrupt):
		r.Command = failure.Command("sqlite3", path, ".recover") + " | sqlite3 recovered.sqlite"
		if files := e.filesBeside(path); len(files) > 0 {
			r.Message += fmt.Sprintf(" %s of the agent can be read.", ui.Count(len(files), "file"))
			r.Command = failure.Command("clawctl", "sessions", filepath.Dir(files[0].Path))
		}
	case errors.Is(err, dbfile.ErrNewer):
		r.Command = "clawctl version"
	case errors.Is(err, dbfile.ErrLocked) || openclaw.IsTransient(err):
		r.Status, r.Command = Warn, e.clawctl("doctor")
	case errors.Is(err, os.ErrPermission):
		r.Command = failure.Command("ls", "-l", path)
	}
	return r
}

// filesBeside returns the transcripts of the agent that a database belongs to, those that its migration has left first.
func (e *exam) filesBeside(database string) []*source.Session {
	var files []*source.Session
	for _, s := range e.files {
		if s.Agent == e.home.Place.AgentOf(database) {
			files = append(files, s)
		}
	}
	slices.SortStableFunc(files, func(a, b *source.Session) int {
		isArchive := map[bool]int{true: 0, false: 1}
		return isArchive[a.Kind == source.Archive] - isArchive[b.Kind == source.Archive]
	})
	return files
}

// An indexProblem is a kind of problem of an index.
type indexProblem struct {
	code   failure.Code
	status Status
	noun   string // what is counted
	words  string // what is wrong with one, after "is" or "are"
	run    func(e *exam, code failure.Code) string
}

// indexFaults are the problems of an index, the worst first.
var indexFaults = []indexProblem{
	{openclaw.IndexDamaged, Error, "sessions.json file", "damaged, so OpenClaw starts with an empty index", mendIndex},
	{source.FileMissing, Warn, "listed transcript", "missing", listProblems},
	{openclaw.NullEntry, Warn, "index entry", "empty", mendIndex},
	{openclaw.NoSessionID, Warn, "index entry", "without a session id", mendIndex},
	{source.Unlisted, Warn, "live transcript", "unlisted and so hidden in OpenClaw", mendIndex},
	{source.SharedFile, Warn, "file", "listed under several keys", listProblems},
	{source.ForeignPath, Info, "index entry", "for another folder", mendIndex},
}

// maxFaults is how many kinds of problems of an index are named.
const maxFaults = 2

func mendIndex(e *exam, _ failure.Code) string { return e.clawctl("repair", "--index") }

func listProblems(e *exam, code failure.Code) string {
	return e.clawctl("validate", "--all", "--select", string(code))
}

// index says what is wrong with the indexes. What a database lists needs no sessions.json.
func (e *exam) index() Result {
	counts := e.indexProblems()
	r := Result{Status: OK, Message: e.describeIndex(), Command: e.clawctl("sessions")}
	var words []string
	for _, f := range indexFaults {
		if counts[f.code] == 0 {
			continue
		}
		if len(words) == 0 {
			r.Status, r.Command = f.status, f.run(e, f.code)
		}
		words = append(words, ui.Are(counts[f.code], f.noun)+" "+f.words)
	}
	if len(words) > 0 {
		r.Message = strings.Join(words[:min(len(words), maxFaults)], "; ") + "."
	}
	if more := len(words) - maxFaults; more > 0 {
		r.Message += fmt.Sprintf(" And %s of the index.", ui.Count(more, "other problem"))
	}
	return r
}

// describeIndex says what lists the sessions.
func (e *exam) describeIndex() string {
	isListed := func(s *source.Session) bool { return s.Listed }
	switch {
	case len(e.agents) > 0:
		return "The databases list every live session."
	case slices.ContainsFunc(e.home.Place.Sessions, isListed):
		return "The index lists every live transcript."
	}
	return "There is no index to check."
}

// indexProblems counts the problems of the indexes that OpenClaw still reads.
func (e *exam) indexProblems() map[failure.Code]int {
	counts := map[failure.Code]int{}
	add := func(p source.Problem) {
		if _, hasDatabase := e.agents[e.agentAbove(p.Path)]; !hasDatabase {
			counts[p.Code] += 1 + p.More
		}
	}
	for _, p := range e.home.Place.Problems {
		add(p)
	}
	for _, s := range e.home.Place.Sessions {
		for _, p := range s.Problems {
			add(p)
		}
	}
	return counts
}

// agentAbove returns the agent in whose folder a path is, or "".
func (e *exam) agentAbove(path string) string {
	parts := strings.Split(filepath.ToSlash(e.short(path)), "/")
	for i, part := range parts[:len(parts)-1] {
		if part == "agents" {
			return parts[i+1]
		}
	}
	return ""
}

// locks says which locks are left from processes that have ended.
func (e *exam) locks() Result {
	r := Result{Status: OK, Message: "No lock is left over.", Command: e.validate("--select", "CL514")}
	var stale []openclaw.Lock
	own := 0
	for _, l := range e.home.Place.Locks {
		switch {
		case !l.IsStale(e.Now):
		case e.isOwnLock(l.Path):
			own++
		default:
			stale = append(stale, l)
		}
	}
	switch n := len(stale); {
	case n == 1 && stale[0].PID == 0:
		r.Status, r.Command = Warn, failure.Command("rm", stale[0].Path)
		r.Message = "1 old lock names no process. With OpenClaw stopped, remove it."
	case n == 1:
		r.Status, r.Command = Warn, failure.Command("rm", stale[0].Path)
		r.Message = "1 lock names a process that is not running. With OpenClaw stopped, remove it."
	case n > 1:
		r.Status, r.Command = Warn, e.removeCommand(stale)
		r.Message = ui.Count(n, "lock") + " name no process that is running. With OpenClaw stopped, remove them."
	case own > 0:
		r.Status, r.Command = Warn, finishCommand
		r.Message = ui.Are(own, "lock") + " left from an interrupted change of clawctl."
	}
	return r
}

// removeCommand removes a few locks, or lists many.
func (e *exam) removeCommand(locks []openclaw.Lock) string {
	const most = 4
	words := []string{"rm"}
	for _, l := range locks {
		words = append(words, l.Path)
	}
	if len(locks) > most {
		return e.validate("--select", "CL514")
	}
	return failure.Command(words...)
}

// finishCommand completes the changes of clawctl that were interrupted, and removes their locks.
const finishCommand = "clawctl undo --finish"

// isOwnLock reports whether an interrupted change of clawctl has left a lock.
func (e *exam) isOwnLock(lock string) bool {
	path, _ := filepath.Abs(strings.TrimSuffix(lock, ".lock"))
	return slices.ContainsFunc(e.home.Unsettled, func(r *change.Receipt) bool { return r.Path == path })
}

// changes says which changes of clawctl were interrupted, and which old files somebody wrote to after they were
// replaced.
func (e *exam) changes() Result {
	n := len(e.home.Unsettled)
	if n == 0 {
		return Result{}
	}
	if late := e.allStuck(); late != nil {
		return lateText(late, n)
	}
	text := "A change to " + ui.EscapeLine(e.home.Unsettled[0].Path) +
		" was interrupted, or a program wrote to the old file. "
	if n > 1 {
		text = "Changes to " + ui.Count(n, "file") + " were interrupted, or a program wrote to the old files. "
	}
	return Result{Status: Warn, Message: text + "Nothing is lost. The next command that changes files completes it.",
		Command: finishCommand}
}

// allStuck returns the first text that arrived late and cannot be added, if there is nothing else to complete.
func (e *exam) allStuck() *change.LateError {
	var first *change.LateError
	for _, r := range e.home.Unsettled {
		late := r.Stuck()
		if late == nil {
			return nil
		}
		first = cmp.Or(first, late)
	}
	return first
}

// lateText says where a text is that arrived late, and how to take it from there.
func lateText(late *change.LateError, n int) Result {
	text := ui.EscapeLine(late.Path) + ": " + ui.EscapeLine(late.Error()) + "."
	if n > 1 {
		text += fmt.Sprintf(" And %s like that.", ui.Count(n-1, "more file"))
	}
	return Result{Status: Warn, Message: text, Command: failure.Command("mv", late.Kept, late.FreeName())}
}

// notRead says which parts of the home were not read.
func (e *exam) notRead() Result {
	r := Result{Status: OK, Message: "Nothing that may hold transcripts was left out.",
		Command: e.clawctl("sessions", "--skipped")}
	parts := []failure.Code{
		source.Unreadable, source.LinkOutside, source.AgentOutside, source.ConfigDamaged, source.ConfigUnread,
		source.NewerSchema,
	}
	var found []source.Problem
	more := 0
	for _, p := range e.home.Place.Problems {
		if slices.Contains(parts, p.Code) {
			found = append(found, p)
			more += 1 + p.More
		}
	}
	if len(found) == 0 {
		return r
	}
	slices.SortStableFunc(found, func(a, b source.Problem) int {
		return slices.Index(parts, a.Code) - slices.Index(parts, b.Code)
	})
	first := found[0]
	r.Status, r.Message = Warn, fmt.Sprintf("%s: %s.", e.short(first.Path), ui.EscapeLine(first.Words()))
	if more > 1 {
		r.Message += fmt.Sprintf(" And %s like that.", ui.Count(more-1, "more problem"))
	}
	r.Command = validate.CommandFor(first)
	return r
}
