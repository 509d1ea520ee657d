package harness

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A reference is what OpenClaw recorded about a session of another program: the name of the program in OpenClaw's
// words, and the id of the session. The id is "" if only the program is known.
type reference struct{ backend, id string }

// references are those of one session. A program is named once for each id.
type references []reference

// add adds a reference, unless there is one like it.
func (r *references) add(backend, id string) {
	if backend == "" {
		return
	}
	for _, known := range *r {
		if known.program() == (reference{backend, id}).program() && (known.id == id || id == "") {
			return
		}
	}
	*r = append(*r, reference{backend, id})
}

// addEntry adds what the registration of a session says. Newer forms come first, because older ones may be left over.
// The forms of cliSessionBindings, cliSessionIds and claudeCliSessionId are those that OpenClaw itself reads. That of
// acpSessionBinding is from its types.
func (r *references) addEntry(entry jsonl.Value) {
	if !entry.IsObject() {
		return
	}
	for backend, binding := range entry.Get("cliSessionBindings").Members() {
		r.addID(backend, binding.Get("sessionId"))
	}
	hasBinding := len(*r) > 0
	for backend, id := range entry.Get("cliSessionIds").Members() {
		if !r.has(backend) {
			r.addID(backend, id)
		}
	}
	if !hasBinding && !r.has(claudeBackend) {
		r.addID(claudeBackend, entry.Get("claudeCliSessionId"))
	}
	acp := entry.Get("acpSessionBinding")
	r.addID(acp.Get("acpAgentId").String(), acp.Get("agentSessionId"))
	acp = entry.Get("acp")
	r.addID(acp.Get("agent").String(), acp.Get("identity").Get("agentSessionId"))
}

// claudeBackend is the backend that the oldest form of a binding is for.
const claudeBackend = "claude-cli"

// has reports whether there is a reference to a backend.
func (r *references) has(backend string) bool {
	for _, known := range *r {
		if known.backend == backend {
			return true
		}
	}
	return false
}

// addID adds a reference if there is an id.
func (r *references) addID(backend string, id jsonl.Value) {
	if text := id.String(); text != "" {
		r.add(backend, text)
	}
}

// isBound reports whether a registration is about this transcript, and not about a newer one of the same key.
func isBound(s *source.Session) bool { return s.Listed && s.Kind == source.Live }
