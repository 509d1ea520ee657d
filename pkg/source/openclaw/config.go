package openclaw

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/openfile"
	"clawctl/internal/portable"
	"clawctl/pkg/jsontext/json5"
)

// ConfigNames are the names of OpenClaw's configuration in its state folder, the newest first.
var ConfigNames = []string{"openclaw.json", "clawdbot.json"}

// maxConfig is the maximum size of a configuration.
const maxConfig = 16 << 20

// ParseConfig parses an open configuration, or another file of its form.
func ParseConfig(file fs.File) (any, error) {
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, openfile.ErrNotRegular
	case info.Size() > maxConfig:
		return nil, fmt.Errorf("larger than %d MiB", maxConfig>>20)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxConfig))
	if err != nil {
		return nil, err
	}
	return json5.Parse(text)
}

// A Config is what a configuration says about the folders of agents.
type Config struct {
	Folders    []AgentFolder
	Workspaces []string // that agents work in
	Includes   []string // files that may say more about them
	Store      string   // where the index of sessions is, or ""
}

// An AgentFolder is the folder of an agent, as the configuration names it.
type AgentFolder struct{ Agent, Path string }

// NewConfig returns what a parsed configuration says in agents.entries and in its older form, agents.list.
func NewConfig(config any) Config {
	var c Config
	root := c.object(config)
	c.Store, _ = c.object(root["session"])["store"].(string)
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
	return c
}

// object returns a value if it is an object, and notes the files that are included there.
func (c *Config) object(value any) map[string]any {
	object, _ := value.(map[string]any)
	files, isList := object["$include"].([]any)
	if !isList {
		files = []any{object["$include"]}
	}
	for _, file := range files {
		if name, ok := file.(string); ok {
			c.Includes = append(c.Includes, name)
		}
	}
	return object
}

func (c *Config) agent(id string, agent map[string]any) {
	path := func(member string) string {
		text, _ := agent[member].(string)
		return strings.TrimSpace(text)
	}
	if dir := path("agentDir"); dir != "" {
		c.Folders = append(c.Folders, AgentFolder{id, dir})
	}
	if workspace := path("workspace"); workspace != "" {
		c.Workspaces = append(c.Workspaces, workspace)
	}
}

// ExpandPath returns the absolute path that a configuration means. It is not known if it depends on OpenClaw's
// environment or on the folder that OpenClaw runs in. OpenClaw takes ~\ for the home folder on every system.
func ExpandPath(path, home string) (absolute string, known bool) {
	if rest, ok := strings.CutPrefix(path, `~\`); ok {
		path = "~/" + rest
	}
	path = portable.ExpandHome(path, home)
	return filepath.Clean(path), isRooted(path) && !strings.Contains(path, "${")
}

// isRooted reports whether a path does not depend on a working directory. On Windows, a path without a drive counts:
// it is the path of another computer, or on the drive that OpenClaw runs on.
func isRooted(path string) bool {
	return filepath.IsAbs(path) || strings.HasPrefix(filepath.ToSlash(path), "/")
}
