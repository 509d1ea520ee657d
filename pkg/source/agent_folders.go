package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsontext/json5"
	"clawctl/pkg/store/dbfile"
)

// configNames are the names of OpenClaw's configuration in its state folder, the newest first.
var configNames = []string{"openclaw.json", "clawdbot.json"}

// maxConfig is the maximum size of a configuration.
const maxConfig = 16 << 20

// A loadedConfig is OpenClaw's configuration.
type loadedConfig struct {
	agentConfig
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
	for _, name := range configNames {
		config, err := w.parseConfig(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		w.config = &loadedConfig{name: name, err: err}
		w.config.read(config)
		if path, known := expandTilde(w.config.store, w.opts.Home); known {
			w.family = familyOf(path)
			w.family.folder = w.resolved(w.family.folder)
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
	_, known := expandTilde(c.store, w.opts.Home)
	switch {
	case c.store == "":
	case !known:
		w.place.problem(ConfigUnread, w.displayPath(c.name), fmt.Sprintf("session.store %q", c.store))
	case w.family.folder != "" && !w.isSearchedOrMissing(w.family.folder):
		w.place.problem(AgentOutside, w.family.folder, "session.store")
	}
}

func (w *walker) parseConfig(name string) (any, error) {
	file, err := w.root.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, dbfile.ErrNotRegular
	case info.Size() > maxConfig:
		return nil, fmt.Errorf("larger than %d MiB", maxConfig>>20)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxConfig))
	if err != nil {
		return nil, err
	}
	return json5.Parse(text)
}

// reportAgents reports what the configuration says about agents and is not read.
func (w *walker) reportAgents(c *loadedConfig) {
	for _, file := range c.includes {
		w.place.problem(ConfigUnread, w.displayPath(c.name), "$include of "+file)
	}
	for _, dir := range c.dirs {
		path, known := expandTilde(dir.path, w.opts.Home)
		switch {
		case !known:
			w.place.problem(ConfigUnread, w.displayPath(c.name), fmt.Sprintf("agentDir %q of agent %s", dir.path, dir.agent))
		case !w.isSearchedOrMissing(path):
			w.place.problem(AgentOutside, path, "agent "+dir.agent)
		}
	}
}

// An agentConfig is what a configuration says about the folders of agents.
type agentConfig struct {
	dirs     []agentDir
	includes []string // files that may say more about them
	store    string   // where the index of sessions is, or ""
}

type agentDir struct{ agent, path string }

// read reads agents.entries and its older form, agents.list.
func (c *agentConfig) read(config any) {
	root := c.object(config)
	c.store, _ = c.object(root["session"])["store"].(string)
	agents := c.object(root["agents"])
	c.agent("any", c.object(agents["defaults"]))
	entries := c.object(agents["entries"])
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		c.agent(id, c.object(entries[id]))
	}
	c.object(agents["list"])
	list, _ := agents["list"].([]any)
	for _, item := range list {
		agent := c.object(item)
		id, _ := agent["id"].(string)
		c.agent(id, agent)
	}
}

// object returns a value if it is an object, and notes the files that are included there.
func (c *agentConfig) object(value any) map[string]any {
	object, _ := value.(map[string]any)
	files, isList := object["$include"].([]any)
	if !isList {
		files = []any{object["$include"]}
	}
	for _, file := range files {
		if name, ok := file.(string); ok {
			c.includes = append(c.includes, name)
		}
	}
	return object
}

func (c *agentConfig) agent(id string, agent map[string]any) {
	if dir, _ := agent["agentDir"].(string); strings.TrimSpace(dir) != "" {
		c.dirs = append(c.dirs, agentDir{id, strings.TrimSpace(dir)})
	}
}

// expandTilde returns the absolute path that a configuration means. It is not known if it depends on OpenClaw's
// environment or on the folder that OpenClaw runs in.
func expandTilde(path, home string) (absolute string, known bool) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || strings.ContainsAny(rest[:1], `/\`)) && home != "" {
		path = filepath.Join(home, rest)
	}
	return filepath.Clean(path), isRooted(path) && !strings.Contains(path, "${")
}

// isRooted reports whether a path does not depend on a working directory. On Windows, a path without a drive counts:
// it is the path of another computer, or on the drive that OpenClaw runs on.
func isRooted(path string) bool {
	return filepath.IsAbs(path) || strings.HasPrefix(filepath.ToSlash(path), "/")
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
