package jsonl

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
	ok = r.decode(TypeSession, func(key string, v Value) {
		switch key {
		case "id":
			h.ID = v.String()
		case "sessionId":
			if h.ID == "" {
				h.ID = v.String()
			}
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
	return h, ok
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
	ok = r.decode(TypeCompaction, func(key string, v Value) {
		switch key {
		case "summary":
			c.Summary = v.String()
		case "firstKeptEntryId":
			c.FirstKeptEntryID = v.String()
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
	Summary            string
	TokensAtCheckpoint int64
}

// Checkpoint returns the view of a checkpoint record.
func (r *Record) Checkpoint() (c Checkpoint, ok bool) {
	ok = r.decode(TypeCheckpoint, func(key string, v Value) {
		if key == "checkpoint" {
			c = Checkpoint{v.Get("summary").String(), v.Get("tokensAtCheckpoint").Int()}
		}
	})
	return c, ok
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
	read := func(key string, v Value) {
		switch key {
		case "customType":
			c.CustomType = v.String()
		case "data":
			c.Data = string(v)
		case "content":
			c.Content = v
		}
	}
	ok = r.decode(TypeCustom, read) || r.decode(TypeCustomMessage, read)
	return c, ok
}

// IsSuggestion reports whether the name that the record gives its session is one that a program chose.
func (r *Record) IsSuggestion() bool { return r.program != nil && r.Get("suggested").IsTrue() }

// SessionName returns the name in a session_info record.
func (r *Record) SessionName() (name string, ok bool) { return r.text(TypeSessionInfo, "name") }

// text returns the value of a key of a record of the given type.
func (r *Record) text(typ, key string) (text string, ok bool) {
	if !r.Legible() || r.Type() != typ {
		return "", false
	}
	return r.Get(key).String(), true
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
