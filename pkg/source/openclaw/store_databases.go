package openclaw

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/regex"
)

// The names of OpenClaw's databases.
const (
	DatabaseName   = "openclaw-agent.sqlite" // of an agent's own
	DatabaseSuffix = ".sqlite"               // of all of them
)

// StoreDatabases are the databases of a store that the configuration names in session.store: <stem>.sqlite,
// <stem>.<agent>.sqlite and <stem>.<agent>.<n>.sqlite beside that file.
type StoreDatabases struct {
	Folder string // absolute; "" if there is none
	stem   string
	single bool // the configuration names the database itself
}

// NewStoreDatabases returns the databases of the store with a path. A path with {agentId} has a folder for each agent,
// and Folder is the one above them.
func NewStoreDatabases(store string) StoreDatabases {
	if before, _, isTemplate := strings.Cut(store, "{agentId}"); isTemplate {
		return StoreDatabases{Folder: filepath.Dir(before + "x")}
	}
	folder, base := filepath.Split(store)
	f := StoreDatabases{Folder: filepath.Clean(folder), stem: strings.TrimSuffix(base, filepath.Ext(base))}
	switch {
	case base == IndexName && filepath.Base(f.Folder) == "sessions" && IsAgentHome(filepath.Dir(f.Folder)):
		return StoreDatabases{} // where it is anyway
	case base == IndexName:
		f.stem = strings.TrimSuffix(DatabaseName, DatabaseSuffix)
	case strings.HasSuffix(base, DatabaseSuffix):
		f.single = true
	}
	return f
}

var familyRest = regex.Lazy(`^\.[^.]+(\.[1-9]\d*)?$`)

// Has reports whether a file is one of the databases.
func (f StoreDatabases) Has(folder, base string) bool {
	name, isDatabase := strings.CutSuffix(base, DatabaseSuffix)
	rest, isOurs := strings.CutPrefix(name, f.stem)
	if !isDatabase || !isOurs || f.stem == "" || folder != f.Folder {
		return false
	}
	return rest == "" || !f.single && familyRest().MatchString(rest)
}

// HasNames reports whether the names of the databases are known.
func (f StoreDatabases) HasNames() bool { return f.stem != "" }

// IsBelow reports whether the databases are in a folder or below it.
func (f StoreDatabases) IsBelow(folder string) bool {
	rest, ok := strings.CutPrefix(f.Folder, folder)
	return f.Folder != "" && ok && (rest == "" || rest[0] == filepath.Separator)
}

// IsAgentHome reports whether a path is the folder of one agent.
func IsAgentHome(path string) bool { return filepath.Base(filepath.Dir(path)) == "agents" }

// IsUnderAgents reports whether the path of a folder names an agent.
func IsUnderAgents(folder string) bool {
	return strings.Contains(filepath.ToSlash(folder)+"/", "/agents/")
}

// AgentOf returns the agent that the name of a database of the store has, or "".
func (f StoreDatabases) AgentOf(path string) string {
	if !f.Has(filepath.Dir(path), filepath.Base(path)) {
		return ""
	}
	rest := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(path), DatabaseSuffix), f.stem)
	agent, _, _ := strings.Cut(strings.TrimPrefix(rest, "."), ".")
	return agent
}

// IsAgentDatabase reports whether a path is the one of an agent's own database: <agent>/agent/openclaw-agent.sqlite.
// Others belong to a store that the configuration names.
func IsAgentDatabase(path string) bool {
	return filepath.Base(path) == DatabaseName && filepath.Base(filepath.Dir(path)) == agentFolder
}

// agentFolder is the folder of an agent that has its database.
const agentFolder = "agent"

// IndexHasDatabase reports whether OpenClaw uses a database instead of the sessions.json of a Folder: the agent's own,
// or the one of a store with that name.
func IndexHasDatabase(sessions string) bool {
	own := filepath.Join(filepath.Dir(sessions), agentFolder, DatabaseName)
	if _, err := os.Stat(own); err == nil {
		return true
	}
	stem := strings.TrimSuffix(DatabaseName, DatabaseSuffix)
	entries, _ := os.ReadDir(sessions) // a folder that cannot be read has none
	family := StoreDatabases{Folder: sessions, stem: stem}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Type().IsRegular() && family.Has(sessions, e.Name())
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
		if slices.ContainsFunc(ConfigNames, func(name string) bool {
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

// AgentOr returns the agent of a database: the one that its folder names, or else the one that the database does. by is
// what the path says without either.
func (db *Database) AgentOr(ctx context.Context, folder, by string) string {
	if IsUnderAgents(folder) {
		return by
	}
	return cmp.Or(db.ownerAgent(ctx), by)
}
