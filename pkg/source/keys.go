package source

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// nameKeys gives every session a key: that of its registration, that of the registered session with its id, or a key
// made from its agent and id.
func (w *walker) nameKeys() {
	type identity struct{ agent, id, topic string }
	keys, hints := map[identity]string{}, map[string]string{}
	note := func(agent, id, topic, key string) {
		if _, known := keys[identity{agent, id, topic}]; !known && key != "" {
			keys[identity{agent, id, topic}] = key
		}
		hints[agent+" "+keyHint(key)] = key
	}
	for _, s := range w.place.Sessions {
		note(s.Agent, s.ID, s.name.Topic, s.Key)
	}
	for _, f := range w.folders {
		if f.index == nil {
			continue
		}
		for _, e := range f.index.entries {
			if f.fileOf(e) == nil {
				note(f.agent, e.SessionID, "", e.Key)
			}
			for _, id := range e.Family {
				note(f.agent, id, "", e.Key)
			}
		}
	}
	for _, s := range w.place.Sessions {
		if s.Key == "" {
			id := s.ID
			if s.name.Topic != "" {
				id += "-topic-" + s.name.Topic
			}
			s.Key = cmp.Or(keys[identity{s.Agent, s.ID, s.name.Topic}], hints[s.Agent+" "+s.name.KeyHint],
				RecoveredKey(s.Agent, id))
		}
		s.Agent = cmp.Or(agentOfKey(s.Key), s.Agent)
	}
}

// keyHint returns a key as OpenClaw's migration writes it into a file name.
func keyHint(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, key)
}

// agentOfKey returns the agent that a key names: agent:<agent>:..., goclaw:<agent>:..., or claw0's
// <agent>:<channel>:<peer>.
func agentOfKey(key string) string {
	parts := strings.Split(key, ":")
	switch {
	case len(parts) >= 3 && (parts[0] == "agent" || parts[0] == "goclaw"):
		return parts[1]
	case len(parts) == 3 && !slices.Contains(unscopedKeys, parts[0]):
		return parts[0]
	}
	return ""
}

// unscopedKeys are prefixes of old OpenClaw keys without an agent.
var unscopedKeys = []string{"cron", "hook", "subagent", "acp"}

// RecoveredKey returns the key of a transcript that no registration names.
func RecoveredKey(agent, id string) string { return "agent:" + agent + ":recovered:" + id }

// agentOf returns the agent of a path below the root: the name after agents/, below the root or at its end, or the
// default agent.
func agentOf(root, path string) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] == "agents" {
			return parts[i+1]
		}
	}
	if filepath.Base(root) == "agents" && parts[0] != "." {
		return parts[0]
	}
	return agentAbove(root)
}

// agentAbove returns the agent of a folder that belongs to an agent.
func agentAbove(folder string) string {
	parts := strings.Split(filepath.ToSlash(folder), "/")
	for _, back := range []int{1, 2, 3} {
		at := len(parts) - back
		if at < 1 || back > 1 && !slices.Contains(agentFolders, parts[at+1]) {
			break
		}
		if parts[at-1] == "agents" {
			return parts[at]
		}
	}
	return "main"
}
