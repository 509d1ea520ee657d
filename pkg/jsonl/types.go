package jsonl

import (
	"clawctl/pkg/dialect"
	"sync"
)

// The types of records.
const (
	TypeSession             = dialect.Session
	TypeMessage             = dialect.Message
	TypeCompaction          = dialect.Compaction
	TypeReset               = dialect.Reset
	TypeBranchSummary       = dialect.BranchSummary
	TypeCustomMessage       = dialect.CustomMessage
	TypeModelChange         = dialect.ModelChange
	TypeThinkingLevelChange = dialect.ThinkingLevelChange
	TypeCustom              = dialect.Custom
	TypeLabel               = dialect.Label
	TypeSessionInfo         = dialect.SessionInfo
	TypeLeaf                = dialect.Leaf
	TypeCheckpoint          = dialect.Checkpoint
	TypeUsage               = dialect.Usage
	TypeContextEdit         = dialect.ContextEdit
	TypeRollback            = dialect.Rollback // only in translations
)

// Types lists every type that a line may state, in the order in which help texts and completion show them.
func Types() []string { return dialect.Types() }

// lineTypes are the types that the reader tells apart: those that a line may state, and that of lines which clawctl
// writes for itself.
var lineTypes = sync.OnceValue(func() []string { return append(Types(), dialect.Joined) })

// typeTable finds the index of a type in lineTypes, plus one.
var typeTable = sync.OnceValue(func() *keyTable {
	names := make([]keyName, len(lineTypes()))
	for i, name := range lineTypes() {
		names[i] = keyName{name, field(i + 1)}
	}
	return newKeyTableFrom(typeFactor, names)
})

// typeFactor separates lineTypes. A search for it would take a tenth of the time of a start.
const typeFactor = 0x9e3779b98133b6db

// translators are the programs that translate lines of a type, by its number in typeTable.
var translators = sync.OnceValue(func() [][]*dialect.Program {
	list := make([][]*dialect.Program, len(lineTypes())+1)
	for i, name := range lineTypes() {
		list[i+1] = dialect.Translators(name)
	}
	return list
})
