package source

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"clawctl/internal/failure"
	"clawctl/pkg/source/openclaw"
)

// A loadedConfig is OpenClaw's configuration.
type loadedConfig struct {
	openclaw.Config
	name string
	err  error // why it cannot be read
}

// loadConfig reads OpenClaw's configuration if the folder has one. A search for names needs those of databases only,
// and reports nothing.
func (w *walker) loadConfig() {
	defer func() {
		if w.opts.NamesOnly {
			w.config = nil
		}
	}()
	for _, name := range openclaw.ConfigNames {
		config, err := w.parseConfig(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		w.config = &loadedConfig{Config: openclaw.NewConfig(config), name: name, err: err}
		if path, known := openclaw.ExpandPath(w.config.Store, w.opts.Home); known {
			w.family = openclaw.NewStoreDatabases(path)
			w.family.Folder = w.resolved(w.family.Folder)
		}
		return
	}
}

// reportConfig reports the agents whose folders are elsewhere, after the search. Nothing there is opened: the user has
// not named it.
func (w *walker) reportConfig() {
	switch c := w.config; {
	case c == nil:
	case c.err != nil:
		w.place.problem(ConfigDamaged, w.displayPath(c.name), failure.Reason(c.err))
	default:
		w.reportStore(c)
		w.reportAgents(c)
	}
}

// reportStore reports a store that is elsewhere.
func (w *walker) reportStore(c *loadedConfig) {
	_, known := openclaw.ExpandPath(c.Store, w.opts.Home)
	switch {
	case c.Store == "":
	case !known:
		w.place.problem(ConfigUnread, w.displayPath(c.name), fmt.Sprintf("session.store %q", c.Store))
	case w.family.Folder != "" && !w.isSearchedOrMissing(w.family.Folder):
		w.place.problem(AgentOutside, w.family.Folder, "session.store")
	}
}

// parseConfig reads a file below the root in the form of OpenClaw's configuration.
func (w *walker) parseConfig(name string) (any, error) {
	file, err := w.root.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return openclaw.ParseConfig(file)
}

// reportAgents reports what the configuration says about agents and is not read.
func (w *walker) reportAgents(c *loadedConfig) {
	for _, file := range c.Includes {
		w.place.problem(ConfigUnread, w.displayPath(c.name), "$include of "+file)
	}
	for _, dir := range c.Folders {
		path, known := openclaw.ExpandPath(dir.Path, w.opts.Home)
		switch {
		case !known:
			w.place.problem(ConfigUnread, w.displayPath(c.name), fmt.Sprintf("agentDir %q of agent %s", dir.Path, dir.Agent))
		case !w.isSearchedOrMissing(path):
			w.place.problem(AgentOutside, path, "agent "+dir.Agent)
		}
	}
}

// isSearchedOrMissing reports whether a folder is below the root and was searched or does not exist.
func (w *walker) isSearchedOrMissing(path string) bool {
	below, ok := w.below(path)
	if !ok {
		return false
	}
	_, err := w.root.Lstat(below)
	return errors.Is(err, fs.ErrNotExist) ||
		slices.ContainsFunc(w.folders, func(f *folder) bool { return f.path == below })
}

// below returns the path below the root of an absolute path, which may name the root or what it links to.
func (w *walker) below(path string) (below string, ok bool) {
	asNamed, err := filepath.Abs(w.place.Path)
	if err != nil {
		asNamed = w.absolute
	}
	for _, root := range []string{w.absolute, asNamed} {
		if below, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(below) {
			return below, true
		}
	}
	return "", false
}

// resolved returns an absolute path with the root as it was resolved.
func (w *walker) resolved(path string) string {
	if below, ok := w.below(path); ok && path != "" {
		return filepath.Join(w.absolute, below)
	}
	return path
}
