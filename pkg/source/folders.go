package source

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/dialect"
	"clawctl/pkg/source/openclaw"
)

// The folders that contain transcripts: first in a folder of agents, then in the folder of one agent.
var (
	stateFolders = []string{"agents", "sessions", "transcripts", ".sessions"}
	agentFolders = []string{"agent", "sessions", "transcripts", "session-sqlite-import-archive"}
)

// otherFolders contain no transcripts: OpenClaw's own, beside those above, two that occur everywhere, and clawctl's
// trash.
var (
	otherFolders = []string{
		"browser", "canvas", "completions", "credentials", "cron", "debug-proxy", "delivery-queue", "devices",
		"exec-approvals", "extensions", "geolocation", "hooks", "identity", "logbook", "logs", "media", "memory",
		"nodes", "plugins", "qmd",
		"runtime", "sandbox", "sandboxes", "session-sqlite-migration-runs", "settings", "setup-code", "skills", "state",
		"subagents", "telegram", "tools", "update", "whatsapp", "workspace",
	}
	skippedFolders = []string{"node_modules", ".git", TrashFolder}
)

// harnessHomes are the folders in which OpenClaw lets Codex keep its sessions: one for all, and one for each account.
var harnessHomes = []string{"codex-home", "cli-auth"}

// isOurs reports whether a folder with this name is searched.
func isOurs(base string) bool {
	return slices.Contains(stateFolders, base) || slices.Contains(agentFolders, base)
}

// A folderPlan says what becomes of a folder in a search.
type folderPlan int

const (
	searchFolder  folderPlan = iota
	searchArchive            // search it; what it contains is not live
	passFolder               // leave it out
)

// searchPlan returns a function that says what becomes of the folders inside a folder. In OpenClaw's layout, a folder
// with any other name than OpenClaw's own is one to which somebody moved transcripts, such as sessions.bak.
func searchPlan(path string, entries []fs.DirEntry) func(name string) folderPlan {
	if owner := dialect.HomeOwner(filepath.Base(path)); owner != nil {
		return func(name string) folderPlan {
			if slices.Contains(owner.HomeFolders, name) {
				return searchFolder
			}
			return passFolder
		}
	}
	var live []string
	switch {
	case openclaw.IsAgentHome(path):
		live = agentFolders
	case hasAgents(entries):
		live = stateFolders
	case filepath.Base(path) == "sessions" && openclaw.IsAgentHome(filepath.Dir(path)):
		live = []string{"cold"}
	default:
		return func(name string) folderPlan {
			if slices.Contains(skippedFolders, name) {
				return passFolder
			}
			return searchFolder
		}
	}
	return func(name string) folderPlan {
		switch {
		case slices.Contains(live, name):
			return searchFolder
		case slices.Contains(skippedFolders, name), slices.Contains(otherFolders, name),
			strings.HasPrefix(name, "workspace-"):
			return passFolder
		}
		return searchArchive
	}
}

// hasAgents reports whether a folder has the folder of all agents in it.
func hasAgents(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() && e.Name() == "agents" })
}

// hasNamed reports whether a folder has a file with a name.
func hasNamed(entries []fs.DirEntry, name string) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
}

// hasSettings reports whether OpenClaw keeps its settings in a folder.
func hasSettings(path string, entries []fs.DirEntry) bool {
	return hasAgents(entries) || filepath.Base(path) == "agent" && openclaw.IsAgentHome(filepath.Dir(path))
}

// An archiveFolder is the name of a folder to which somebody moved transcripts, or "".
type archiveFolder string

// trustsNames reports whether a file that is named like a transcript can be taken for one without looking.
func (a archiveFolder) trustsNames() bool { return a == "" || holdsSessions(string(a)) }

func holdsSessions(folder string) bool {
	return strings.Contains(folder, "session") || strings.Contains(folder, "transcript")
}

// in returns a name as that of a file in an archive folder: a live name becomes an earlier state.
func (n Name) in(a archiveFolder) Name {
	if a != "" && n.Kind == Live {
		n.Kind, n.Generation = kindNamed(string(a)), string(a)
	}
	return n
}

// archiveAbove returns the archive folder of an agent that a path is or is in, such as sessions.bak.
func archiveAbove(path string) archiveFolder {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := len(parts) - 1; i >= 2; i-- {
		if parts[i-2] == "agents" && holdsSessions(parts[i]) && !slices.Contains(agentFolders, parts[i]) {
			return archiveFolder(parts[i])
		}
	}
	return ""
}

// countRollouts counts the sessions of Codex below a folder. They are in a format of their own.
func (w *walker) countRollouts(path string, depth int) {
	entries, err := w.readDir(path)
	if err != nil {
		w.place.problem(Unreadable, w.displayPath(path), failure.Reason(err))
		return
	}
	for _, entry := range entries {
		below := filepath.Join(path, entry.Name())
		switch name := entry.Name(); {
		case entry.IsDir() && depth < maxWalkDepth && w.ctx.Err() == nil:
			w.countRollouts(below, depth+1)
		case strings.HasPrefix(name, "rollout-") && strings.Contains(name, suffix):
			w.skip(below, skippedRollout)
		}
	}
}
