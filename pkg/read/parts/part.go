package parts

import (
	"strconv"
	"time"

	"clawctl/pkg/jsonl"
)

// A Kind says what a part is. Kinds are stable: programs match on them.
type Kind string

// The kinds of parts.
const (
	Header        Kind = "header"         // the start of the transcript
	System        Kind = "system"         // a section of the system prompt
	User          Kind = "user"           // what the user said
	Sent          Kind = "sent"           // what the model was sent instead of what the user said
	Assistant     Kind = "assistant"      // what the model said
	Thinking      Kind = "thinking"       // what the model thought
	Call          Kind = "call"           // a tool call; the body is the arguments
	Result        Kind = "result"         // the text of a tool result
	Image         Kind = "image"          // the body is the data in base64
	Failure       Kind = "failure"        // why an answer failed
	Compaction    Kind = "compaction"     // the summary that replaces what is before it
	Checkpoint    Kind = "checkpoint"     // a rolling summary
	BranchSummary Kind = "branch_summary" // the summary of an abandoned branch
	Reset         Kind = "reset"          // a new beginning without a summary
	ModelChange   Kind = "model_change"
	ThinkingLevel Kind = "thinking_level"
	Title         Kind = "title"  // a name for the session
	Label         Kind = "label"  // a name for an entry
	Flush         Kind = "flush"  // the request to save memories was delivered
	Custom        Kind = "custom" // an extension's record or message
	Leaf          Kind = "leaf"   // moves to another branch
	ContextEdit   Kind = "context_edit"
	Usage         Kind = "usage" // paid work without a message
	Other         Kind = "other" // a record or block of an unknown type; the body is its JSON
	Damage        Kind = "damage"
)

// Kinds lists every kind, in the order in which help shows them.
var Kinds = []Kind{
	Header, System, User, Sent, Assistant, Thinking, Call, Result, Image, Failure, Compaction, Checkpoint, BranchSummary,
	Reset, ModelChange, ThinkingLevel, Title, Label, Flush, Custom, Leaf, ContextEdit, Usage, Other, Damage,
}

// A Part is one piece of a record. Body, Name and Call are views of the record.
type Part struct {
	Kind   Kind
	Number int // in its entry, from 0
	// Body is the text as a JSON string, or any other JSON value, or nil if there is none.
	Body jsonl.Value
	// Name is a JSON string or nil: the tool of a call or result, the section of a system prompt, the type of a custom
	// record, the media type of an image.
	Name jsonl.Value
	// Call is the id of a tool call, as a JSON string or nil.
	Call jsonl.Value
	// Failed is set for a result that reports an error, and for the failure of an answer.
	Failed bool
	// Hidden is set for a message that the model never sees.
	Hidden bool
	// Added is set for what a program added for the model without showing it to the user, such as an attachment or what it
	// knows about its environment. Whatever shows a conversation folds it.
	Added bool
	// Details are what a program noted beside the text, for people or for itself: a JSON value, or nil.
	Details jsonl.Value
	// Fields are further facts, such as the tokens before a compaction.
	Fields []Field
}

// A Field is a named fact of a part.
type Field struct {
	Name  string
	Value jsonl.Value
}

// Text decodes the body: the text of a string, and the JSON of any other value.
func (p *Part) Text() string { return TextOf(p.Body) }

// ToolName returns the decoded name.
func (p *Part) ToolName() string { return p.Name.String() }

// SetField adds a field after the part was made.
func (p *Part) SetField(name, text string) {
	p.Fields = append(p.Fields[:len(p.Fields):len(p.Fields)], Field{name, quoted(text)})
}

// SetNumber adds a field with a number after the part was made.
func (p *Part) SetNumber(name string, n int64) {
	p.Fields = append(p.Fields[:len(p.Fields):len(p.Fields)], Field{name, jsonl.Value(strconv.FormatInt(n, 10))})
}

// SetText replaces the body by a text.
func (p *Part) SetText(text string) { p.Body = quoted(text) }

// Field returns a field, or nil if the part does not have it.
func (p *Part) Field(name string) jsonl.Value {
	for _, f := range p.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// TextOf returns the text of a string, and any other value as JSON.
func TextOf(v jsonl.Value) string {
	if v == nil || v.IsString() {
		return v.String()
	}
	return string(v.UTF8())
}

// An Entry is a record as people see it. It is valid as long as the record.
type Entry struct {
	Record *jsonl.Record
	ID     string // "" if the record has none
	Parent string // "" if it has none
	Line   int64  // 1-based; 0 if it is not known
	Offset int64  // -1 if the record is not part of a file
	Role   string // of its message, or ""
	// Time is the time of the record, the zero time if it has none.
	Time            time.Time
	Provider, Model string // of an answer
	Stop            string // why an answer ended
	Usage           jsonl.Usage
	HasUsage        bool
	// Harness is the title of the program that the record is from, if that did the work for another one, or "". Path is
	// then its file, as far as that is known.
	Harness, Path string
	Parts         []Part
}

// IsForScreen reports whether a part is a line that another program wrote for its own screen. Nothing shows it.
func (e *Entry) IsForScreen(p *Part) bool {
	return p.Hidden && len(p.Body) == 0 && e.Record.Translator() != nil
}

// IsMirror reports whether no model sent the message of the entry: it is OpenClaw's own.
func (e *Entry) IsMirror() bool {
	msg, ok := e.Record.Message()
	return ok && msg.IsMirror()
}
