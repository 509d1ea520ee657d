package parts

import (
	"clawctl/pkg/jsonl"
)

// addRecord adds the parts of a record that is not a message.
func (m *Maker) addRecord(rec *jsonl.Record) {
	switch rec.Type() {
	case jsonl.TypeSession:
		m.addFacts(rec, Header, nil, "version", "cwd", "parentSession", "key")
	case jsonl.TypeCompaction:
		m.addFacts(rec, Compaction, rec.Get("summary"), "firstKeptEntryId", "firstKeptEntryIndex", "tokensBefore",
			"tokensAfter", "fromHook", "fromCheckpoint")
		prompt := rec.Get("systemMessage")
		m.addSystem(prompt.Get("content"), prompt.Get("sections"), prompt.Get("toolsAdded"), nil)
	case jsonl.TypeCheckpoint:
		m.addCheckpoint(rec.Get("checkpoint"))
	case jsonl.TypeBranchSummary:
		m.addFacts(rec, BranchSummary, rec.Get("summary"), "fromId")
	case jsonl.TypeReset:
		m.addFacts(rec, Reset, nil, "reason", "firstKeptEntryId")
	case jsonl.TypeModelChange:
		m.entry.Provider, m.entry.Model = rec.Get("provider").String(), rec.Get("modelId").String()
		m.add(ModelChange, nil)
	case jsonl.TypeThinkingLevelChange:
		m.add(ThinkingLevel, rec.Get("thinkingLevel"))
	case jsonl.TypeSessionInfo:
		m.add(Title, rec.Get("name"))
	case jsonl.TypeLabel:
		m.addFacts(rec, Label, rec.Get("label"), "targetId")
	case jsonl.TypeLeaf:
		m.addFacts(rec, Leaf, nil, "targetId", "appendParentId", "appendMode")
	case jsonl.TypeContextEdit:
		m.addEdit(rec)
	case jsonl.TypeUsage:
		m.addFacts(rec, Usage, nil, "kind", "provider", "model")
	case jsonl.TypeCustom:
		m.addCustom(rec)
	case jsonl.TypeCustomMessage:
		m.addCustomMessage(rec)
	default:
		m.add(Other, rec.Value())
	}
}

// fieldNames are the names of the facts of a part, by their names in a record.
var fieldNames = map[string]string{
	"version": "version", "cwd": "cwd", "parentSession": "parent_session", "key": "key",
	"firstKeptEntryId": "first_kept", "firstKeptEntryIndex": "first_kept_index", "tokensBefore": "tokens_before",
	"tokensAfter": "tokens_after", "fromHook": "from_hook", "fromCheckpoint": "from_checkpoint", "fromId": "from",
	"reason": "reason", "targetId": "target", "appendParentId": "append_parent", "appendMode": "append_mode",
	"kind": "work", "provider": "provider", "model": "model",
}

// addFacts adds a part with some fields of its record.
func (m *Maker) addFacts(rec *jsonl.Record, kind Kind, body jsonl.Value, names ...string) {
	p := m.add(kind, body)
	p.Details = rec.Get("details")
	for _, name := range names {
		m.field(p, fieldNames[name], rec.Get(name))
	}
}

// addCheckpoint adds a checkpoint of GoClaw.
func (m *Maker) addCheckpoint(v jsonl.Value) {
	p := m.add(Checkpoint, v.Get("summary"))
	m.field(p, "tokens", v.Get("tokensAtCheckpoint"))
	m.field(p, "messages", v.Get("messageCountAtCheckpoint"))
	m.field(p, "topics", v.Get("topics"))
	m.field(p, "open_questions", v.Get("openQuestions"))
	m.field(p, "key_decisions", v.Get("keyDecisions"))
}

// addEdit adds what pi lets the model see instead of another entry.
func (m *Maker) addEdit(rec *jsonl.Record) {
	replacement := rec.Get("replacement")
	m.addBlocks(ContextEdit, replacement)
	if len(m.entry.Parts) == 0 { // it removes the entry
		m.add(ContextEdit, nil)
	}
	m.field(&m.entry.Parts[len(m.entry.Parts)-1], "target", rec.Get("targetId"))
}

// addCustom adds the record of an extension, which the model does not see.
func (m *Maker) addCustom(rec *jsonl.Record) {
	kind, name := Custom, rec.Get("customType")
	if name.String() == flushType {
		kind = Flush
	}
	if failure := rec.Get("errorMessage"); failure.Exists() && rec.Translator() != nil {
		m.add(Failure, failure).Failed = true
		return
	}
	p := m.add(kind, rec.Get("data"))
	p.Name, p.Hidden = name, true
}

// addCustomMessage adds a message of an extension.
func (m *Maker) addCustomMessage(rec *jsonl.Record) {
	m.addBlocks(Custom, rec.Get("content"))
	m.nameParts(0, rec.Get("customType"))
	if n := len(m.entry.Parts); n > 0 {
		m.entry.Parts[n-1].Details = rec.Get("details")
	}
	display := rec.Get("display")
	isAdded := rec.Translator() != nil && display.Exists() && !display.IsTrue()
	for i := range m.entry.Parts {
		m.entry.Parts[i].Added = isAdded
	}
}
