package jsonl

import "cmp"

// The views below decode the record types that are not messages. Each returns ok false for a record of another type.

// A Header opens a transcript.
type Header struct {
	ID, Cwd, ParentSession string
	Key                    string // claw0 and GoClaw
	History                History
	SpawnedBy              string // the session that started it as a subagent; only translations say so
	SpawnedAs              string // what that session calls it
	Refusal                string // why its program does not continue it by itself; only translations say so
}

// A History is the beginning of another session that comes before the text of a session. Only translations have one.
type History struct {
	Session string // its id
	Bytes   int64  // of its text
}

// Header returns the view of a session record. Old headers have sessionId instead of id.
func (r *Record) Header() (h Header, ok bool) {
	if !r.isOf(TypeSession) {
		return h, false
	}
	h = Header{ID: cmp.Or(r.ID(), r.Get("sessionId").String()), Cwd: r.Get("cwd").String(),
		ParentSession: r.Get("parentSession").String(), Key: r.Get("key").String()}
	history := r.Get("history")
	h.History = History{history.Get("session").String(), history.Get("bytes").Int()}
	if r.program != nil {
		h.SpawnedBy, h.SpawnedAs = r.Get("spawnedBy").String(), r.Get("spawnedAs").String()
		h.Refusal = r.Get("refusal").String()
	}
	return h, true
}

// A Compaction replaces everything before its first kept entry with a summary.
type Compaction struct {
	Summary          string
	FirstKeptEntryID string
	TokensAfter      int64
	FromCheckpoint   bool
	FromHook         bool
	Details          string // JSON text, or ""
}

// Compaction returns the view of a compaction record.
func (r *Record) Compaction() (c Compaction, ok bool) {
	if !r.isOf(TypeCompaction) {
		return c, false
	}
	return Compaction{r.Get("summary").String(), r.Get("firstKeptEntryId").String(), r.Get("tokensAfter").Int(),
		r.Get("fromCheckpoint").IsTrue(), r.Get("fromHook").IsTrue(), string(r.Get("details"))}, true
}

// Usage returns the usage in a record that is not a message: the cost of a compaction or of the summary of a branch, or
// of other work that pi paid for.
func (r *Record) Usage() (u Usage, ok bool) {
	switch r.Type() {
	case TypeUsage, TypeCompaction, TypeBranchSummary:
		return usageOf(r.Get("usage"))
	}
	return u, false
}

// A Checkpoint is GoClaw's rolling summary.
type Checkpoint struct {
	Summary            string
	TokensAtCheckpoint int64
}

// Checkpoint returns the view of a checkpoint record.
func (r *Record) Checkpoint() (c Checkpoint, ok bool) {
	if !r.isOf(TypeCheckpoint) {
		return c, false
	}
	v := r.Get("checkpoint")
	return Checkpoint{v.Get("summary").String(), v.Get("tokensAtCheckpoint").Int()}, true
}

// BranchSummary returns the summary in a branch_summary record, of an abandoned branch.
func (r *Record) BranchSummary() (summary string, ok bool) {
	return r.text(TypeBranchSummary, "summary")
}

// A Custom is a record of an extension. The content of a custom_message is also shown to the model.
type Custom struct {
	CustomType string
	Data       string // JSON text, or ""
	Content    Value
}

// Custom returns the view of a custom or custom_message record.
func (r *Record) Custom() (c Custom, ok bool) {
	if !r.isOf(TypeCustom) && !r.isOf(TypeCustomMessage) {
		return c, false
	}
	return Custom{r.Get("customType").String(), string(r.Get("data")), r.Get("content")}, true
}

// IsSuggestion reports whether the name that the record gives its session is one that a program chose.
func (r *Record) IsSuggestion() bool { return r.program != nil && r.Get("suggested").IsTrue() }

// SessionName returns the name in a session_info record.
func (r *Record) SessionName() (name string, ok bool) { return r.text(TypeSessionInfo, "name") }

// text returns the value of a key of a record of the given type.
func (r *Record) text(typ, key string) (text string, ok bool) {
	if !r.isOf(typ) {
		return "", false
	}
	return r.Get(key).String(), true
}

// isOf reports whether a record can be read and has a type.
func (r *Record) isOf(typ string) bool { return r.Legible() && r.Type() == typ }
