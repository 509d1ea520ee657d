package source

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/pkg/dialect"
)

// nameKeys gives every session a key: that of its registration, that of the registered session with its id, or a key
// made from its agent and id.
func (w *walker) nameKeys() {
	sessions := newKeyNames()
	for _, s := range w.place.Sessions {
		sessions.note(s.Agent, s.ID, s.name.Topic, s.Key)
	}
	for _, s := range w.place.Sessions {
		if s.Key == "" {
			id := s.ID
			if s.name.Topic != "" {
				id += "-topic-" + s.name.Topic
			}
			who, hint := identityKey{s.Agent, s.ID, s.name.Topic}, s.Agent+" "+s.name.KeyHint
			s.Key = cmp.Or(sessions.keys[who], w.listed.keys[who], w.listed.hints[hint], sessions.hints[hint],
				unlistedKey(s.FolderOwner(), s.Agent, id))
		}
		s.Agent = cmp.Or(AgentOfKey(s.Key), s.Agent)
	}
}

// An identityKey identifies the sessions that share a key.
type identityKey struct{ agent, id, topic string }

// keyNames are keys by the identity of a session and by the form that OpenClaw's migration writes into file names.
type keyNames struct {
	keys    map[identityKey]string
	hints   map[string]string
	isNamed func(id, hint string) bool // whether a session may need a key; nil for all
}

func newKeyNames() keyNames {
	return keyNames{keys: map[identityKey]string{}, hints: map[string]string{}}
}

// note notes a key. The first key of a session counts.
func (n *keyNames) note(agent, id, topic, key string) {
	hint := keyHint(key)
	if n.isNamed != nil && !n.isNamed(id, hint) {
		return
	}
	if _, known := n.keys[identityKey{agent, id, topic}]; !known && key != "" {
		n.keys[identityKey{agent, id, topic}] = key
	}
	n.hints[agent+" "+hint] = key
}

// needKeys limits the keys that are noted from registrations to those of the sessions that were found. A sessions.json
// may list a million others.
func (w *walker) needKeys() {
	ids, hints := map[string]bool{}, map[string]bool{}
	for _, s := range w.place.Sessions {
		ids[s.ID], hints[s.name.KeyHint] = true, true
	}
	for _, cold := range w.cold {
		for _, s := range cold {
			ids[s.ID] = true
		}
	}
	w.listed = newKeyNames()
	w.listed.isNamed = func(id, hint string) bool { return ids[id] || hints[hint] }
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

// AgentOfKey returns the agent that a key names: agent:<agent>:..., goclaw:<agent>:..., or claw0's
// <agent>:<channel>:<peer>.
func AgentOfKey(key string) string {
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

// unlistedKey returns the key of a transcript in a folder of a program, or of none. The id alone is the key if people
// know the sessions by it.
func unlistedKey(owner *dialect.Program, agent, id string) string {
	if owner != nil && owner.NamesByID {
		return id
	}
	return RecoveredKey(agent, id)
}

// agentOf returns the agent of a path below the root: the name after agents/, below the root or at its end, or the
// default agent. A folder of another program has an agent of its name.
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
	if owner := folderOwner(filepath.Join(root, path)); owner != nil {
		return owner.Name
	}
	return agentAbove(root)
}

// agentAbove returns the agent of a folder that belongs to an agent.
func agentAbove(folder string) string {
	parts := strings.Split(filepath.ToSlash(folder), "/")
	for _, back := range []int{1, 2, 3} {
		at := len(parts) - back
		if at < 1 || back > 1 && !slices.Contains(agentFolders, parts[at+1]) && !holdsSessions(parts[at+1]) {
			break
		}
		if parts[at-1] == "agents" {
			return parts[at]
		}
	}
	if owner := folderOwner(folder); owner != nil {
		return owner.Name
	}
	return "main"
}
