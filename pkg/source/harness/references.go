package harness

import (
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A reference is what OpenClaw recorded about a session of another program: the name of the program in OpenClaw's
// words, and the id of the session. The id is "" if only the program is known.
type reference struct {
	backend, id string
	elsewhere   bool // the registration does not have it
}

// references are those of one session. A program is named once for each id.
type references []reference

// add adds a reference, unless there is one like it.
func (r *references) add(n reference) {
	if n.backend == "" {
		return
	}
	for _, known := range *r {
		if known.program() == n.program() && (known.id == n.id || n.id == "") {
			return
		}
	}
	*r = append(*r, n)
}

// An entry is what the registration of a session says about other programs.
type entry struct{ bindings, ids, claude, acpBinding, acp, harness, taken jsonl.Value }

// readEntry reads a registration once, because it may be large.
func readEntry(text jsonl.Value) entry {
	var e entry
	if !text.IsObject() {
		return e
	}
	for key, v := range text.Fields() {
		switch string(key) {
		case "cliSessionBindings":
			e.bindings = v
		case "cliSessionIds":
			e.ids = v
		case "claudeCliSessionId":
			e.claude = v
		case "acpSessionBinding":
			e.acpBinding = v
		case "acp":
			e.acp = v
		case "agentHarnessId":
			e.harness = v
		case source.BindingsMember:
			e.taken = v
		}
	}
	return e
}

// addEntry adds what the registration of a session says. Newer forms come first, because older ones may be left over.
// The forms of cliSessionBindings, cliSessionIds and claudeCliSessionId are those that OpenClaw itself reads. That of
// acpSessionBinding is from its types.
func (r *references) addEntry(e entry) {
	for backend, binding := range e.bindings.Members() {
		r.addID(backend, binding.Get("sessionId"), false)
	}
	hasBinding := len(*r) > 0
	for backend, id := range e.ids.Members() {
		if !r.has(backend) {
			r.addID(backend, id, false)
		}
	}
	if !hasBinding && !r.has(claudeBackend) {
		r.addID(claudeBackend, e.claude, false)
	}
	r.addID(e.acpBinding.Get("acpAgentId").String(), e.acpBinding.Get("agentSessionId"), false)
	r.addID(e.acp.Get("agent").String(), e.acp.Get("identity").Get("agentSessionId"), false)
	for program, ids := range e.taken.Members() {
		for id := range ids.Elements() {
			r.addID(program, id, true)
		}
	}
}

// claudeBackend is the backend that the oldest form of a binding is for.
const claudeBackend = "claude-cli"

func (r *references) has(backend string) bool {
	return slices.ContainsFunc(*r, func(known reference) bool { return known.backend == backend })
}

// addID adds a reference if there is an id. elsewhere says that OpenClaw's registration does not have it.
func (r *references) addID(backend string, id jsonl.Value, elsewhere bool) {
	if text := id.String(); text != "" {
		r.add(reference{backend, text, elsewhere})
	}
}

// isBound reports whether a registration is about this transcript, and not about a newer one of the same key.
func isBound(s *source.Session) bool { return s.Listed && s.Kind == source.Live }
