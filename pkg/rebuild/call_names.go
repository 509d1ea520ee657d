package rebuild

import (
	"fmt"

	"clawctl/internal/lazy"
)

var allowedID = lazy.Regexp(`^[a-zA-Z0-9_-]+$`)

// rename gives a call another id or name if the API requires it.
func (cm *composer) rename(c call, m int32) *alteration {
	id, name := cm.ix.names.text(c.id), cm.ix.names.text(c.name)
	alter := alteration{}
	fits := isAllowed(id) && (cm.limits.ID == 0 || len(id) <= cm.limits.ID)
	if !fits || cm.used[c.id] || cm.renamed[id] {
		alter.id = cm.freeID(id)
		cm.reportPair(BadID, m, c, alter)
	}
	cm.used[c.id] = true
	if allowed := toolName(name, cm.limits.Name); allowed != name {
		alter.name = allowed
		cm.reportPair(BadName, m, c, alteration{name: allowed})
	}
	if alter == (alteration{}) {
		return nil
	}
	return &alter
}

// isAllowed reports whether the API accepts an id.
func isAllowed(id string) bool { return id != "" && allowedID().MatchString(id) }

// freeID returns an allowed id that is not used yet.
func (cm *composer) freeID(id string) string {
	base := allowedText(id)
	if cm.limits.ID > 0 && len(base) > cm.limits.ID-8 {
		base = base[:cm.limits.ID-8]
	}
	if base == "" {
		base = renamedPrefix
	}
	for {
		free := base
		if n := cm.next[base]; n > 0 {
			free = fmt.Sprintf("%s_%d", base, n+1)
		}
		cm.next[base]++
		s, known := cm.ix.names.find([]byte(free))
		if !cm.renamed[free] && !(known && cm.used[s]) {
			cm.renamed[free] = true
			return free
		}
	}
}

// allowedText replaces characters that the API does not allow in ids and names.
func allowedText(text string) string {
	b := []byte(text)
	for i, c := range b {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-') {
			b[i] = '_'
		}
	}
	return string(b)
}

// toolName returns the name of a tool in a form that the API allows.
func toolName(name string, limit int) string {
	allowed := allowedText(name)
	switch {
	case allowed == "":
		return "unknown"
	case limit > 0 && len(allowed) > limit:
		return allowed[:limit]
	}
	return allowed
}
