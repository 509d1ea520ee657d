package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/lazy"
	"clawctl/pkg/store/dbfile"
)

// databaseSuffix ends the names of OpenClaw's databases.
const databaseSuffix = ".sqlite"

// A databaseFamily is the databases of a store that the configuration names in session.store: <stem>.sqlite,
// <stem>.<agent>.sqlite and <stem>.<agent>.<n>.sqlite beside that file.
type databaseFamily struct {
	folder string // absolute; "" if there is none
	stem   string
	single bool // the configuration names the database itself
}

// familyOf returns the databases of the store with a path. A path with {agentId} has a folder for each agent, and the
// family has the folder above them.
func familyOf(store string) databaseFamily {
	if before, _, isTemplate := strings.Cut(store, "{agentId}"); isTemplate {
		return databaseFamily{folder: filepath.Dir(before + "x")}
	}
	folder, base := filepath.Split(store)
	f := databaseFamily{folder: filepath.Clean(folder), stem: strings.TrimSuffix(base, filepath.Ext(base))}
	switch {
	case base == indexName && filepath.Base(f.folder) == "sessions" && isAgentHome(filepath.Dir(f.folder)):
		return databaseFamily{} // where it is anyway
	case base == indexName:
		f.stem = strings.TrimSuffix(databaseName, databaseSuffix)
	case strings.HasSuffix(base, databaseSuffix):
		f.single = true
	}
	return f
}

var familyRest = lazy.Regexp(`^\.[^.]+(\.[1-9]\d*)?$`)

// has reports whether a file is one of the databases.
func (f databaseFamily) has(folder, base string) bool {
	name, isDatabase := strings.CutSuffix(base, databaseSuffix)
	rest, isOurs := strings.CutPrefix(name, f.stem)
	if !isDatabase || !isOurs || f.stem == "" || folder != f.folder {
		return false
	}
	return rest == "" || !f.single && familyRest().MatchString(rest)
}

// isBelow reports whether the databases are in a folder or below it.
func (f databaseFamily) isBelow(folder string) bool {
	rest, ok := strings.CutPrefix(f.folder, folder)
	return f.folder != "" && ok && (rest == "" || rest[0] == filepath.Separator)
}

// mayBeDatabase reports whether a file is looked at as a database of a store, although no configuration names it: the
// user may have named the folder of a store. A copy that somebody made beside a database is none.
func (w *walker) mayBeDatabase(f *folder, base string) bool {
	absolute := filepath.Join(w.absolute, f.path)
	isOther := w.family.stem != "" || w.inBundle || f.archive != "" || isUnderAgents(absolute)
	return strings.HasSuffix(base, databaseSuffix) && !isOther &&
		(!f.hasDatabase || strings.HasPrefix(base, strings.TrimSuffix(databaseName, databaseSuffix)+"."))
}

// addStoreDatabase adds a database with an unknown name if it is OpenClaw's, and has transcripts. Others are not opened
// as databases, because that may copy them.
func (w *walker) addStoreDatabase(path string) {
	if !w.hasEvents(path) {
		w.skip(path, SkippedDatabase)
		return
	}
	db, err := openDatabase(w.ctx, w.displayPath(path), Options{Fast: true})
	if err != nil && !errors.Is(err, dbfile.ErrNewer) {
		w.skip(path, SkippedDatabase)
		return
	}
	if err == nil {
		db.Close()
	}
	w.databases = append(w.databases, w.displayPath(path))
}

// schemaBytes is how much of a file is searched for the name of a table. OpenClaw creates its tables first.
const schemaBytes = 8 << 20

// mentionsEvents reports whether the beginning of a file has the name of the table with transcripts.
func (w *walker) mentionsEvents(path string) bool {
	file, err := w.openAny(path)
	if err != nil {
		return false
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, schemaBytes))
	return err == nil && bytes.Contains(text, []byte("transcript_events"))
}

// isUnderAgents reports whether the path of a folder names an agent.
func isUnderAgents(folder string) bool {
	return strings.Contains(filepath.ToSlash(folder)+"/", "/agents/")
}

// agentByName returns the agent that the name of a database of the store has, or "".
func (f databaseFamily) agentByName(path string) string {
	if !f.has(filepath.Dir(path), filepath.Base(path)) {
		return ""
	}
	rest := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), databaseSuffix), f.stem)
	agent, _, _ := strings.Cut(strings.TrimPrefix(rest, "."), ".")
	return agent
}

// IsAgentDatabase reports whether a path is the one of an agent's own database: <agent>/agent/openclaw-agent.sqlite.
// Others belong to a store that the configuration names.
func IsAgentDatabase(path string) bool {
	return filepath.Base(path) == databaseName && filepath.Base(filepath.Dir(path)) == agentFolder
}

// agentFolder is the folder of an agent that has its database.
const agentFolder = "agent"

// IndexHasDatabase reports whether OpenClaw uses a database instead of the sessions.json of a folder: the agent's own,
// or the one of a store with that name.
func IndexHasDatabase(sessions string) bool {
	own := filepath.Join(filepath.Dir(sessions), agentFolder, databaseName)
	if _, err := os.Stat(own); err == nil {
		return true
	}
	stem := strings.TrimSuffix(databaseName, databaseSuffix)
	entries, _ := os.ReadDir(sessions) // a folder that cannot be read has none
	family := databaseFamily{folder: sessions, stem: stem}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Type().IsRegular() && family.has(sessions, e.Name())
	})
}

// StateFolderOf returns the state folder that a file of OpenClaw belongs to: the one above agents, or else the nearest
// one with a configuration. Without either it is the file's own folder.
func StateFolderOf(path string) string {
	folder := filepath.Dir(path)
	if slashed := filepath.ToSlash(folder) + "/"; strings.Contains(slashed, "/agents/") {
		return filepath.FromSlash(slashed[:strings.LastIndex(slashed, "/agents/")])
	}
	for at := folder; ; at = filepath.Dir(at) {
		if slices.ContainsFunc(configNames, func(name string) bool {
			_, err := os.Stat(filepath.Join(at, name))
			return err == nil
		}) {
			return at
		}
		if at == filepath.Dir(at) {
			return folder
		}
	}
}

// agentOr returns the agent of a database: the one that its folder names, or else the one that the database does. by is
// what the path says without either.
func (db *database) agentOr(ctx context.Context, folder, by string) string {
	if isUnderAgents(folder) {
		return by
	}
	return cmp.Or(db.ownerAgent(ctx), by)
}
