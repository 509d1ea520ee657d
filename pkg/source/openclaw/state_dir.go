package openclaw

import (
	"path/filepath"

	"clawctl/internal/openfile"
	"clawctl/internal/portable"
	"clawctl/pkg/dialect"
)

// A StateDir is a folder with the state of OpenClaw, under its current or an earlier name.
type StateDir struct {
	Path   string
	From   string // the variable or rule that names it
	Exists bool
}

// olderRoots are the state folders under the earlier names of OpenClaw, newest first. The first one is still used if
// there is no other. The rest are only reported.
var olderRoots = []string{".clawdbot", ".moltbot", ".moldbot"}

// FindStateDir returns the state folder in use and the others that exist: those with earlier names, those of profiles,
// and the sessions of other programs, which are used if there is no state folder of OpenClaw. get reads the
// environment.
func FindStateDir(get func(string) string, home string) (current StateDir, others []StateDir) {
	current = stateDir(get, home)
	var homes []StateDir // of other programs
	for _, p := range dialect.Table {
		if p.Home != nil {
			path := p.Home(get, home)
			homes = append(homes, StateDir{path, p.Name + "'s sessions", openfile.IsFolder(path)})
		}
	}
	for _, other := range homes {
		if !current.Exists && current.From == "the default" && other.Exists {
			current = StateDir{other.Path, other.From + ", as there is no " + current.Path, true}
		}
	}
	if home == "" {
		return current, nil
	}
	add := func(path, from string) {
		if path != current.Path && openfile.IsFolder(path) {
			others = append(others, StateDir{path, from, true})
		}
	}
	for _, name := range olderRoots {
		add(filepath.Join(home, name), "an older name")
	}
	profiles, _ := filepath.Glob(filepath.Join(home, ".openclaw-*"))
	for _, path := range profiles {
		add(path, "a profile")
	}
	for _, other := range homes {
		add(other.Path, other.From)
	}
	return current, others
}

func stateDir(get func(string) string, home string) StateDir {
	if path := dialect.VariableValue(get("OPENCLAW_STATE_DIR")); path != "" {
		path = portable.ExpandHome(path, home)
		return StateDir{path, "OPENCLAW_STATE_DIR", openfile.IsFolder(path)}
	}
	name, from := ".openclaw", "the default"
	if profile := dialect.VariableValue(get("OPENCLAW_PROFILE")); profile != "" && profile != "default" {
		name, from = ".openclaw-"+profile, "OPENCLAW_PROFILE"
	}
	path, old := filepath.Join(home, name), filepath.Join(home, olderRoots[0])
	exists := openfile.IsFolder(path)
	if !exists && from == "the default" && openfile.IsFolder(old) {
		return StateDir{old, "the older name, as there is no " + path, true}
	}
	return StateDir{path, from, exists}
}
