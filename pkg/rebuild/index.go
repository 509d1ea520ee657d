package rebuild

import (
	"strings"

	"clawctl/pkg/jsonl"
)

// An Index is what one reading of a transcript leaves behind: a few bytes for every record and every block of a
// message, never their text. The tree, the context, the conversation of a request and most findings come from it alone;
// whoever needs the text reads the transcript a second time.
type Index struct {
	Dialect jsonl.Dialect

	chunks            [][]entry // the entries: a list that never moves needs no room to grow into
	count             int
	blocks            []block
	names             *symbols
	bytes, imageBytes int64
	lastTotal         int64 // of the last usage that was recorded
	checkpoints       []int32

	header  int     // the first session record with an id, -1 where there is none
	version float64 // that it states; NaN where JavaScript would make no number of it
}

// kind is the type of a record.
type kind uint8

const (
	kindOther kind = iota // a type that OpenClaw does not know, or a line that is no object
	kindKnown             // a type of a relative's that OpenClaw does not know
	kindSession
	kindLeaf
	kindMessage // from here on the types that OpenClaw calls canonical
	kindThinkingLevel
	kindModelChange
	kindCompaction
	kindReset
	kindBranchSummary
	kindCustom
	kindCustomMessage
	kindLabel
	kindSessionInfo
)

var kinds = map[string]kind{
	jsonl.TypeSession: kindSession, jsonl.TypeLeaf: kindLeaf, jsonl.TypeMessage: kindMessage,
	jsonl.TypeThinkingLevelChange: kindThinkingLevel, jsonl.TypeModelChange: kindModelChange,
	jsonl.TypeCompaction: kindCompaction, jsonl.TypeReset: kindReset, jsonl.TypeBranchSummary: kindBranchSummary,
	jsonl.TypeCustom: kindCustom, jsonl.TypeCustomMessage: kindCustomMessage, jsonl.TypeLabel: kindLabel,
	jsonl.TypeSessionInfo: kindSessionInfo,
	jsonl.TypeCheckpoint:  kindKnown, jsonl.TypeUsage: kindKnown, jsonl.TypeContextEdit: kindKnown,
}

var claw0Kinds = map[string]kind{
	jsonl.TypeSession: kindSession, jsonl.TypeUser: kindMessage, jsonl.TypeAssistant: kindMessage,
	jsonl.TypeToolUse: kindMessage, jsonl.TypeToolResult: kindMessage,
}

// isCanonical reports whether OpenClaw knows the type of record.
func (k kind) isCanonical() bool { return k >= kindMessage }

// role is who speaks in a message.
type role uint8

const (
	roleOther role = iota
	roleUser
	roleAssistant
	roleToolResult
	roleCustom
	roleHook
	roleBash
)

// roleNamed returns the role that a message names.
func roleNamed(name string) role {
	switch name {
	case jsonl.RoleUser:
		return roleUser
	case jsonl.RoleAssistant:
		return roleAssistant
	case jsonl.RoleToolResult:
		return roleToolResult
	case jsonl.RoleCustom:
		return roleCustom
	case jsonl.RoleHookMessage:
		return roleHook
	case jsonl.RoleBashExecution:
		return roleBash
	}
	return roleOther
}

// flags are what else an entry is known to be.
type flags uint32

const (
	side           flags = 1 << iota // appendMode is "side"
	oddAppendMode                    // a leaf's appendMode is something else
	timeFits                         // the timestamp is a string, or missing
	dated                            // the timestamp is one that JavaScript reads
	bodyFits                         // the fields of its type have the shape that OpenClaw asks for
	hookFits                         // it becomes a message of role custom: version 2's hook, or custom without customType
	excluded                         // excludeFromContext is true
	hidden                           // excludeFromContext is anything that JavaScript takes for true
	emptySummary                     // of a branch
	failed                           // the answer stopped with an error or was aborted
	synthetic                        // a tool result that OpenClaw put in for one that was missing
	mirror                           // no model sent it
	errorResult                      // a tool result that reports an error
	loneSurrogate                    // its text has half of a character
	badText                          // its text is not UTF-8
	contentMissing                   // no content, or null
	claw0Call                        // one of claw0's lines of type tool_use
	untyped                          // no type, or one that is no string
	repeatedKey                      // a key stands twice in the record, its message or a block
	unknownRole                      // no role, or one that no program writes
	backwards                        // its time is before that of the record before it
	undated                          // no timestamp at all
	noUsage                          // an answer without what the provider counted
	oldUsage                         // that in the shape of OpenClaw 2026.5 and 2026.6
	wrongTotal                       // a total that is not the sum of its parts
	mirrorUsage                      // a message that no model sent, with usage
	masked                           // something was blanked out in what is sent back as it stands
	secret                           // what looks like a key or a password
	harness                          // driven through a command line, its tool calls lie elsewhere
)

// An entry is one record.
type entry struct {
	offset int64
	digest uint64 // of its text
	line   uint32
	id     sym
	parent sym
	// ref and ref2 name what the record points to:
	// leaf: target and append parent; label: target; compaction and reset: the first kept entry, and version 1's index of
	// it; tool result: the call and the tool; assistant and model change: provider and model; thinking level: the level.
	ref, ref2 sym
	flags     flags
	blocks    uint32 // the first of its blocks; they end where those of the next entry begin
	kind      kind
	role      role
}

func (e *entry) has(f flags) bool { return e.flags&f != 0 }

// isMirror reports whether an entry is a message that no model sent; such messages are never part of a conversation.
func (e *entry) isMirror() bool { return e.role == roleAssistant && e.has(mirror) }

// chunkBits is the size of a chunk of entries as a power of two.
const chunkBits = 10

func (ix *Index) len() int { return ix.count }

// at returns an entry by its number.
func (ix *Index) at(i int32) *entry { return &ix.chunks[i>>chunkBits][i&(1<<chunkBits-1)] }

func (ix *Index) add(e entry) {
	if ix.count>>chunkBits == len(ix.chunks) {
		ix.chunks = append(ix.chunks, make([]entry, 1<<chunkBits))
	}
	ix.count++
	*ix.at(int32(ix.count - 1)) = e
}

// A Place is where a record stands.
type Place struct {
	Line, Offset int64
	Entry        string // its id, "" where it has none
}

func (ix *Index) placeOf(i int32) Place {
	e := ix.at(i)
	return Place{int64(e.line), e.offset, ix.idText(e.id)}
}

// idText is the id of an entry for people; one that was made up is "".
func (ix *Index) idText(s sym) string {
	text := ix.names.text(s)
	switch {
	case strings.HasPrefix(text, "\xff"):
		return ""
	case len(text) > maxID:
		return strings.ToValidUTF8(text[:maxID], "") + "…"
	}
	return text
}

// maxID is how much of an id is shown; no program writes ids of that length.
const maxID = 128

// HeaderID returns the id that the header states, "" where there is no header.
func (ix *Index) HeaderID() string {
	if ix.header < 0 {
		return ""
	}
	return ix.names.text(ix.at(int32(ix.header)).id)
}

// HeaderLine returns the line of the header.
func (ix *Index) HeaderLine() int64 {
	if ix.header < 0 {
		return 0
	}
	return int64(ix.at(int32(ix.header)).line)
}

// LastTotal returns how large the context was when a model answered last, 0 where that was not recorded.
func (ix *Index) LastTotal() int64 { return ix.lastTotal }

// LastCheckpoint returns the line of the last checkpoint record, 0 where there is none.
func (ix *Index) LastCheckpoint() int64 {
	if n := len(ix.checkpoints); n > 0 {
		return int64(ix.at(ix.checkpoints[n-1]).line)
	}
	return 0
}
