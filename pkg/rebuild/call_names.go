package rebuild

import (
	"cmp"
	"fmt"
	"strings"
)

// rename gives a call another id or name if the API requires it.
func (cm *composer) rename(c call, m int32) *alteration {
	id, name := cm.ix.names.text(c.id), cm.ix.names.text(c.name)
	alter := alteration{}
	if !cm.acceptsID(id, m) || cm.isTaken(c.id, m) || cm.renamed[id] {
		alter.id = cm.freeID(id)
		cm.reportPair(BadID, m, c, alter)
	}
	cm.used[c.id] = m + 1
	if cm.limits.AnyName && name != "" {
		return orNil(alter)
	}
	if allowed := toolName(name, cm.limits.Name); allowed != name {
		alter.name = allowed
		cm.reportPair(BadName, m, c, alteration{name: allowed})
	}
	return orNil(alter)
}

func orNil(alter alteration) *alteration {
	if alter == (alteration{}) {
		return nil
	}
	return &alter
}

// acceptsID reports whether the API accepts the id of a call in an answer.
func (cm *composer) acceptsID(id string, m int32) bool {
	if cm.target != nil && !cm.ix.at(m).isOfSameModel(cm.target) {
		return id != ""
	}
	if cm.limits.PairedID {
		id, _, _ = strings.Cut(id, "|")
	}
	isShort := cm.limits.ID == 0 || len(id) <= cm.limits.ID
	return isShort && id != "" && (cm.limits.AnyID || allowedText(id) == id)
}

// isTaken reports whether a call cannot have its id, because another one has it. An API that accepts any id knows calls
// by the answer that they are in, so some providers begin to count again in every answer.
func (cm *composer) isTaken(id sym, m int32) bool {
	if cm.limits.AnyID {
		return cm.used[id] == m+1
	}
	return cm.used[id] != 0
}

// longestID is the length to which pi cuts ids for APIs that limit them. Only for Completions it is less.
const longestID = 64

// freeID returns an allowed id that is not used yet.
func (cm *composer) freeID(id string) string {
	base := allowedText(id)
	if limit := cmp.Or(cm.limits.ID, longestID); len(base) > limit-8 {
		base = base[:limit-8]
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
		if !cm.renamed[free] && !cm.ix.names.has([]byte(free), cm.used) {
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

// A Call is a tool call in the context that a later record may have to do with.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Answered is set if the call has a result.
	Answered bool `json:"answered,omitempty"`
	// Last is set if the call is in the last message with calls.
	Last bool `json:"last,omitempty"`
}

// Calls returns the calls that decide whether another tool result fits: those of the last message with calls, and
// earlier ones without a result. They are in the order of the conversation.
func (c *Context) Calls() []Call {
	var list []Call
	var messages []int32
	for it, e := range c.entries() {
		if e.kind == kindMessage && !e.isMirror() {
			messages = append(messages, it.entry)
		}
	}
	p := c.ix.pair(messages, isSendable, true)
	for at, f := range p.frames {
		isLast := at == len(p.frames)-1
		if c.ix.at(messages[f.message]).has(failed) && !isLast {
			continue
		}
		for _, call := range f.calls {
			if isLast || call.answer < 0 {
				list = append(list, Call{c.ix.names.text(call.id), c.ix.names.text(call.name), call.answer >= 0, isLast})
			}
		}
	}
	return list
}
