package rebuild

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
)

// An Index is the result of reading a transcript once: a few bytes for every record and every block of a message,
// without their text. It is enough to find the tree, the context, the conversation of a request and most findings.
// Whoever needs the text reads the transcript again.
type Index struct {
	Dialect jsonl.Dialect
	Program Program // whose rules decide what the model sees
	Refusal string  // why that program does not continue the session by itself, in its own words, or ""

	chunks            [][]entry // the entries; chunks need no spare room to grow, and only the first one ever moves
	count             int
	inner             []innerMessage // of compactions and replacements; their entries follow those of the records
	blocks            blockList
	names             *symbols
	rules             *rules // of the program that wrote it
	bytes, imageBytes int64
	lastTotal         int64 // of the last recorded usage
	checkpoints       []int32
	answers           map[int32]sym // the ids of answers that are written in parts, by the entries of the parts
	sessions          []sessionRun  // the sessions that rows were written in, by their first rows
	evidence          evidence
	hasMark           bool                     // the text begins with a byte order mark
	onlyPath          bool                     // messages have no blocks, no references and no digest
	faults            map[failure.Code][]int32 // entries, in their order
	misfits           []noted[misfit]          // likewise
	replays           []noted[replay]          // likewise
	edits             map[int32]int32          // entries whose content another one has, such as a context edit

	header  int     // the first session record with an id, or -1
	version float64 // the version that it states; NaN if JavaScript would not read it as a number
}

// A kind is the type of a record.
type kind uint8

const (
	kindOther       kind = iota // a type that OpenClaw does not know, or a line that is not an object
	kindKnown                   // a type of a related program that OpenClaw does not know
	kindUsage                   // pi's paid work without a message
	kindContextEdit             // pi's change of what the model sees of another entry
	kindRollback                // the last turns are taken back
	kindSession
	kindLeaf
	kindMessage // the following types are the ones that OpenClaw calls canonical
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
	jsonl.TypeCheckpoint:  kindKnown, jsonl.TypeUsage: kindUsage, jsonl.TypeContextEdit: kindContextEdit,
	jsonl.TypeRollback: kindRollback,
}

// isCanonical reports whether OpenClaw knows the type of record.
func (k kind) isCanonical() bool { return k >= kindMessage }

// isPi reports whether only pi writes the type of record.
func (k kind) isPi() bool { return k == kindUsage || k == kindContextEdit }

// A role says who speaks in a message.
type role uint8

const (
	roleOther role = iota
	roleUser
	roleAssistant
	roleToolResult
	roleCustom
	roleHook
	roleBash
	roleSystem // pi's prompt and tools
)

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
	case jsonl.RoleSystem:
		return roleSystem
	}
	return roleOther
}

// flags describe an entry.
type flags uint32

const (
	side           flags = 1 << iota // appendMode is "side"
	oddAppendMode                    // a leaf's appendMode is something else
	timeFits                         // the timestamp is a string, or missing
	dated                            // JavaScript can read the timestamp
	bodyFits                         // the fields of its type have the shape that OpenClaw requires
	hookFits                         // it becomes a message of role custom: version 2's hook, or custom without customType
	excluded                         // excludeFromContext is true
	hidden                           // excludeFromContext is anything that JavaScript treats as true
	emptySummary                     // of a branch
	failed                           // the answer stopped with an error or was aborted
	synthetic                        // a tool result that OpenClaw inserted for a missing one
	mirror                           // no model sent it
	errorResult                      // a tool result that reports an error
	loneSurrogate                    // its text has half of a character
	badText                          // its text is not UTF-8
	contentMissing                   // no content, or null
	continues                        // an answer that belongs to the one before
	untyped                          // no type, or one that is not a string
	unknownRole                      // no role, or one that no program writes
	undated                          // no timestamp at all
	deferred                         // the provider answers later, and the message is empty until then
	unmetered                        // an answer with a time whose usage is missing or null
	projected                        // another text was sent than the user wrote
	carrier                          // a custom message that carries the context of the runtime
	byHook                           // a compaction that a hook has made
	sentMirror                       // no model sent it, and the next one gets it nevertheless
	unanswered                       // no model is asked about what the user's message says
	final                            // a tool result that the program does not replace by another one
	added                            // a prompt that is sent like what a program adds to the conversation
	addedBySystem                    // and in the name of the system
	apart                            // an addition that is a message of its own, not joined to a result
	beside                           // an addition that stands behind a result
)

// An entry is one record.
type entry struct {
	offset int64
	digest uint64 // of its text
	line   uint32
	id     sym
	parent sym
	// ref and ref2 are what the record refers to. For a leaf: target and append parent. For a label: the target. For a
	// compaction or reset: the first kept entry, and its index in version 1. For a tool result: the call and the tool.
	// For an assistant message or model change: provider and model. For a thinking level change: the level. For a
	// context edit: the target, and null if it omits it, missing if it has no replacement. For a rollback: in ref2, the
	// number of turns. For an addition to the conversation: in ref2, of how many messages it consists, or 0.
	ref, ref2 sym
	flags     flags
	blocks    uint32 // where its blocks begin in the blockList
	kind      kind
	role      role // of a message; a compaction that holds the prompt has the role of the system
	api       API  // of an answer
}

func (e *entry) has(f flags) bool { return e.flags&f != 0 }

// isSystem reports whether an entry is a system message of pi.
func (e *entry) isSystem() bool { return e.is(roleSystem) }

// is reports whether an entry is a message with a role.
func (e *entry) is(r role) bool { return e.kind == kindMessage && e.role == r }

// isMirror reports whether an entry is a message that no model sent. Such messages are never part of a conversation.
func (e *entry) isMirror() bool { return e.role == roleAssistant && e.has(mirror) }

const (
	chunkBits  = 10 // the size of a chunk of entries as a power of two
	firstChunk = 64 // how many entries the first chunk has room for at first, which is enough for a short session
)

func (ix *Index) len() int { return ix.count }

// at returns an entry by its number.
func (ix *Index) at(i int32) *entry { return &ix.chunks[i>>chunkBits][i&(1<<chunkBits-1)] }

// all yields the entries of the records with their numbers.
func (ix *Index) all() iter.Seq2[int32, *entry] {
	return func(yield func(int32, *entry) bool) {
		for i := range int32(ix.count) {
			if !yield(i, ix.at(i)) {
				return
			}
		}
	}
}

// A sessionRun is a number of rows that were written in one session.
type sessionRun struct {
	first int32
	id    string // in JSON
}

// isOfAnotherSession reports whether a row says that it was written in another session than the last one.
func (ix *Index) isOfAnotherSession(i int32) bool {
	n := sort.Search(len(ix.sessions), func(n int) bool { return ix.sessions[n].first > i })
	return n > 0 && ix.sessions[n-1].id != ix.sessions[len(ix.sessions)-1].id
}

// add adds an entry. It is valid until the next one is added, which may move the first chunk.
func (ix *Index) add() *entry {
	switch {
	case ix.count == 0 && ix.chunks == nil:
		ix.chunks = [][]entry{make([]entry, firstChunk)}
	case ix.count>>chunkBits == len(ix.chunks):
		ix.chunks = append(ix.chunks, make([]entry, 1<<chunkBits))
	case ix.count == len(ix.chunks[0]) && ix.count < 1<<chunkBits:
		ix.chunks[0] = append(make([]entry, 0, 4*ix.count), ix.chunks[0]...)[:4*ix.count]
	}
	ix.count++
	return ix.at(int32(ix.count - 1))
}

// addInner adds the entries of messages inside other records, after those of all records.
func (ix *Index) addInner(blocks blockList) {
	base := ix.blocks.join(blocks)
	rows := ix.count
	for i := range ix.inner {
		e := ix.add()
		*e = ix.inner[i].entry
		e.blocks += base
	}
	ix.count = rows
}

// An innerMessage is a message inside a compaction, or inside a record that replaces results.
type innerMessage struct {
	entry entry
	row   int32 // the entry of that record
	at    int   // which of its messages it is
}

// innerAt returns the message inside another record that an entry stands for, or nil if it is that of a record.
func (ix *Index) innerAt(i int32) *innerMessage {
	if at := int(i) - ix.count; at >= 0 {
		return &ix.inner[at]
	}
	return nil
}

// rowOf returns the entry of the record that an entry is made from, which may be a compaction.
func (ix *Index) rowOf(i int32) int32 {
	if m := ix.innerAt(i); m != nil {
		return m.row
	}
	return i
}

// innerOf returns the entries of the messages inside a compaction.
func (ix *Index) innerOf(row int32) (entries []int32) {
	byRow := func(m innerMessage, row int32) int { return cmp.Compare(m.row, row) }
	first, _ := slices.BinarySearchFunc(ix.inner, row, byRow)
	for i := first; i < len(ix.inner) && ix.inner[i].row == row; i++ {
		entries = append(entries, int32(ix.count+i))
	}
	return entries
}

// A Place is the position of a record.
type Place struct {
	Line, Offset int64
	Entry        string // its id, or "" if it has none
}

func (ix *Index) placeOf(i int32) Place {
	e := ix.at(i)
	return Place{int64(e.line), e.offset, ix.idText(e.id)}
}

// idText returns the id of an entry for people, or "" for an id that clawctl generated.
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

// maxID is the maximum number of characters of an id that are shown. No program writes ids of that length.
const maxID = 128

// HeaderID returns the id in the header, or "" if there is no header.
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

// LastTotal returns the size of the context at the last answer of a model, or 0 if it was not recorded.
func (ix *Index) LastTotal() int64 { return ix.lastTotal }

// LastCheckpoint returns the line of the last checkpoint record, or 0 if there is none.
func (ix *Index) LastCheckpoint() int64 {
	if n := len(ix.checkpoints); n > 0 {
		return int64(ix.at(ix.checkpoints[n-1]).line)
	}
	return 0
}
