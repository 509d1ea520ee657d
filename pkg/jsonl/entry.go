package jsonl

// The views below decode the record types that are not messages. Each returns ok false for a record of another type.

// A Header opens a transcript.
type Header struct {
	ID, Timestamp, Cwd, ParentSession string
	Key                               string // claw0 and GoClaw
	Version                           int
	History                           History
	SpawnedBy                         string // the session that started it as a subagent; only translations say so
	SpawnedAs                         string // what that session calls it
	Refusal                           string // why its program does not continue it by itself; only translations say so
}

// A History is the beginning of another session that comes before the text of a session. Only translations have one.
type History struct {
	Session string // its id
	Bytes   int64  // of its text
}

// Header returns the view of a session record. Old headers have sessionId instead of id, and claw0's have created
// instead of timestamp.
func (r *Record) Header() (h Header, ok bool) {
	ok = r.decode(TypeSession, func(key string, v Value) {
		switch key {
		case "id":
			h.ID = v.String()
		case "sessionId":
			if h.ID == "" {
				h.ID = v.String()
			}
		case "timestamp", "created":
			h.Timestamp = v.String()
		case "cwd":
			h.Cwd = v.String()
		case "parentSession":
			h.ParentSession = v.String()
		case "key":
			h.Key = v.String()
		case "spawnedBy":
			if r.program != nil {
				h.SpawnedBy = v.String()
			}
		case "spawnedAs":
			if r.program != nil {
				h.SpawnedAs = v.String()
			}
		case "refusal":
			if r.program != nil {
				h.Refusal = v.String()
			}
		case "history":
			h.History = History{v.Get("session").String(), v.Get("bytes").Int()}
		}
	})
	if ok {
		h.Version = r.Version()
	}
	return h, ok
}

// A Compaction replaces everything before its first kept entry with a summary.
type Compaction struct {
	Summary          string
	FirstKeptEntryID string
	// FirstKeptEntryIndex identifies that entry in version 1. It is -1 if missing.
	FirstKeptEntryIndex       int64
	TokensBefore, TokensAfter int64
	FromCheckpoint, FromHook  bool
	Details                   string // JSON text, or ""
}

// Compaction returns the view of a compaction record.
func (r *Record) Compaction() (c Compaction, ok bool) {
	c.FirstKeptEntryIndex = -1
	ok = r.decode(TypeCompaction, func(key string, v Value) {
		switch key {
		case "summary":
			c.Summary = v.String()
		case "firstKeptEntryId":
			c.FirstKeptEntryID = v.String()
		case "firstKeptEntryIndex":
			c.FirstKeptEntryIndex = v.Int()
		case "tokensBefore":
			c.TokensBefore = v.Int()
		case "tokensAfter":
			c.TokensAfter = v.Int()
		case "fromCheckpoint":
			c.FromCheckpoint = v.IsTrue()
		case "fromHook":
			c.FromHook = v.IsTrue()
		case "details":
			c.Details = string(v)
		}
	})
	return c, ok
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
	Summary                             string
	TokensAtCheckpoint, MessageCount    int64
	Topics, OpenQuestions, KeyDecisions []string
}

// Checkpoint returns the view of a checkpoint record.
func (r *Record) Checkpoint() (c Checkpoint, ok bool) {
	ok = r.decode(TypeCheckpoint, func(key string, v Value) {
		if key != "checkpoint" {
			return
		}
		for k, v := range v.Members() {
			switch k {
			case "summary":
				c.Summary = v.String()
			case "tokensAtCheckpoint":
				c.TokensAtCheckpoint = v.Int()
			case "messageCountAtCheckpoint":
				c.MessageCount = v.Int()
			case "topics":
				c.Topics = v.Strings()
			case "openQuestions":
				c.OpenQuestions = v.Strings()
			case "keyDecisions":
				c.KeyDecisions = v.Strings()
			}
		}
	})
	return c, ok
}

// A Reset is a boundary without a message.
type Reset struct{ Reason, FirstKeptEntryID string }

// Reset returns the view of a reset record.
func (r *Record) Reset() (x Reset, ok bool) {
	ok = r.decode(TypeReset, func(key string, v Value) {
		switch key {
		case "reason":
			x.Reason = v.String()
		case "firstKeptEntryId":
			x.FirstKeptEntryID = v.String()
		}
	})
	return x, ok
}

// A BranchSummary summarizes an abandoned branch.
type BranchSummary struct{ FromID, Summary string }

// BranchSummary returns the view of a branch_summary record.
func (r *Record) BranchSummary() (b BranchSummary, ok bool) {
	ok = r.decode(TypeBranchSummary, func(key string, v Value) {
		switch key {
		case "fromId":
			b.FromID = v.String()
		case "summary":
			b.Summary = v.String()
		}
	})
	return b, ok
}

// A Custom is a record of an extension. The content of a custom_message is also shown to the model.
type Custom struct {
	CustomType string
	Data       string // JSON text, or ""
	Content    Value
	Display    bool
}

// Custom returns the view of a custom or custom_message record.
func (r *Record) Custom() (c Custom, ok bool) {
	read := func(key string, v Value) {
		switch key {
		case "customType":
			c.CustomType = v.String()
		case "data":
			c.Data = string(v)
		case "content":
			c.Content = v
		case "display":
			c.Display = v.IsTrue()
		}
	}
	ok = r.decode(TypeCustom, read) || r.decode(TypeCustomMessage, read)
	return c, ok
}

// A ModelChange names the model for the following answers.
type ModelChange struct{ Provider, ModelID string }

// ModelChange returns the view of a model_change record.
func (r *Record) ModelChange() (m ModelChange, ok bool) {
	ok = r.decode(TypeModelChange, func(key string, v Value) {
		switch key {
		case "provider":
			m.Provider = v.String()
		case "modelId":
			m.ModelID = v.String()
		}
	})
	return m, ok
}

// ThinkingLevel returns the level that a thinking_level_change record sets.
func (r *Record) ThinkingLevel() (level string, ok bool) {
	ok = r.decode(TypeThinkingLevelChange, func(key string, v Value) {
		if key == "thinkingLevel" {
			level = v.String()
		}
	})
	return level, ok
}

// A Label names an entry.
type Label struct{ TargetID, Label string }

// Label returns the view of a label record.
func (r *Record) Label() (l Label, ok bool) {
	ok = r.decode(TypeLabel, func(key string, v Value) {
		switch key {
		case "targetId":
			l.TargetID = v.String()
		case "label":
			l.Label = v.String()
		}
	})
	return l, ok
}

// IsSuggestion reports whether the name that the record gives its session is one that a program chose.
func (r *Record) IsSuggestion() bool { return r.program != nil && r.Get("suggested").IsTrue() }

// SessionName returns the name in a session_info record.
func (r *Record) SessionName() (name string, ok bool) {
	ok = r.decode(TypeSessionInfo, func(key string, v Value) {
		if key == "name" {
			name = v.String()
		}
	})
	return name, ok
}

// A Leaf moves the current position. An empty TargetID is null, which empties the context.
type Leaf struct {
	TargetID, AppendParentID string
	Side                     bool
}

// Leaf returns the view of a leaf record.
func (r *Record) Leaf() (l Leaf, ok bool) {
	ok = r.decode(TypeLeaf, func(key string, v Value) {
		switch key {
		case "targetId":
			l.TargetID = v.String()
		case "appendParentId":
			l.AppendParentID = v.String()
		case "appendMode":
			l.Side = v.String() == "side"
		}
	})
	return l, ok
}

// decode calls read for every key of a record of the given type, in order. The last value of a repeated key wins.
func (r *Record) decode(typ string, read func(key string, v Value)) bool {
	if !r.Legible() || r.Type() != typ {
		return false
	}
	for key, v := range r.Value().Members() {
		read(key, v)
	}
	return true
}
