package rebuild

import (
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
)

// A Program is the program whose rules decide what a model sees of a transcript.
type Program uint8

// The programs. Unnamed lets the transcript decide.
const (
	Unnamed Program = iota
	OpenClaw
	Pi // 1.5, which also reads what older versions wrote
)

// Programs lists the names of the programs.
var Programs = []string{"openclaw", "pi"}

// ProgramNamed returns the program with a name, or Unnamed.
func ProgramNamed(name string) Program {
	for i, known := range Programs {
		if name == known {
			return Program(i + 1)
		}
	}
	return Unnamed
}

// String returns the name of the program.
func (p Program) String() string {
	if p == Unnamed {
		return ""
	}
	return Programs[p-1]
}

// An Author is what is known about the author of a transcript before it is read.
type Author struct {
	Forced     Program // the user named it
	InPiFolder bool    // the file is in a folder of pi
}

// A rulebook is everything that a program decides in its own way.
type rulebook interface {
	// hasTree reports whether entries have ids and parents. Without them, all messages are the path.
	hasTree() bool
	// parents returns the number of the entry that each entry continues, or -1.
	parents(ix *Index) []int32
	// eachLeaf calls note with every row and the entry that is current before it.
	eachLeaf(ix *Index, note func(row int, leaf sym))
	// canExclude reports whether the program knows messages that it does not send.
	canExclude() bool
	// groups returns the entries that form a message each, or nil if every item of the context is one.
	groups(c *Context) [][]int32
	// group writes the message that a group of entries forms.
	group(c *Context, entries []int32, body func(int32) *jsonl.Record) string
	// sendsValues reports whether a result may be any JSON value, which is sent as its text.
	sendsValues() bool

	// isChained reports whether a row of version 1 gets an id and becomes a child of the previous one.
	isChained(e *entry) bool
	// find returns the context that ends with a leaf, or with the leaf of the transcript if it is "".
	find(ix *Index, leaf string) (*Context, error)
	// isEntry reports whether the program expects an entry to have the shape of its type.
	isEntry(e *entry) bool
	// isForeign reports whether only another program writes an entry.
	isForeign(e *entry) bool
	// isBoundary reports whether an entry separates what the model sees from what it no longer sees.
	isBoundary(e *entry) bool
	// isShown reports whether the model sees an entry of the window. retained is set if it is from before the boundary,
	// kept if a reset keeps it.
	isShown(e *entry, retained, kept bool) bool
	// edit applies the context edits of the window.
	edit(c *Context)
	// native writes what the model sees of an item.
	native(c *Context, it item, body func(int32) *jsonl.Record) string
	// refusal returns why the program refuses a context, or nil.
	refusal(c *Context) error
	// hasManyRoots reports whether a second root is normal.
	hasManyRoots() bool
	// hasPrompt reports whether system messages and compactions hold the prompt.
	hasPrompt() bool
	// needsDates reports whether summaries and custom messages without a date are refused.
	needsDates() bool

	// stretch returns the entries that the next compaction summarizes or keeps, and the first of them that may be kept.
	stretch(c *Context) (entries []int32, start int)
	// isMessage reports whether an entry of the stretch counts as a message.
	isMessage(c *Context, i int32) bool
	// cut reports whether a compaction may keep the entries from here, and whether a turn begins here.
	cut(c *Context, i int32) (cut, turn bool)
	// estimate returns the size of a message, which decides where a compaction cuts.
	estimate(rec *jsonl.Record) int
}

// treeRules are what OpenClaw and pi have in common: entries form a tree, and each is a message of its own.
type treeRules struct{}

func (treeRules) hasTree() bool             { return true }
func (treeRules) canExclude() bool          { return true }
func (treeRules) sendsValues() bool         { return false }
func (treeRules) groups(*Context) [][]int32 { return nil }

// group is not called, because there are no groups.
func (treeRules) group(*Context, []int32, func(int32) *jsonl.Record) string { return "" }

// rulebooks are the rules of the programs that write OpenClaw's records. Which of them applies is for the records and
// the folder to say.
var rulebooks = [...]rulebook{OpenClaw: openClawRules{}, Pi: piRules{}}

// translatedRules are the rules of the programs whose lines are translated.
var translatedRules = map[*dialect.Program]rulebook{dialect.Claw0Program: claw0Rules{}}

// rules returns the rules of the program that wrote the transcript.
func (ix *Index) rules() rulebook { return ix.rulebook }

// setRules decides whose rules apply.
func (ix *Index) setRules(known Author) {
	ix.Program = ix.evidence.author(known)
	ix.rulebook = rulebooks[ix.Program]
	if p := ix.Dialect.Translated(); p != nil {
		ix.rulebook = translatedRules[p]
	}
}

// Writer returns the name of the program that wrote the transcript.
func (ix *Index) Writer() string {
	if p := ix.Dialect.Program(); p != nil && p != dialect.OpenClawProgram {
		return p.Name
	}
	return ix.Program.String()
}

// HasTree reports whether entries have ids and parents. Without them, all messages are the path.
func (ix *Index) HasTree() bool { return ix.rulebook.hasTree() }

// CanExclude reports whether the program knows messages that it does not send.
func (ix *Index) CanExclude() bool { return ix.rulebook.canExclude() }

// evidence is what the records of a transcript say about the program that wrote it.
type evidence struct {
	pi       bool // something that only pi 0.81 and later writes
	openClaw bool // something that only OpenClaw writes
}

// author decides whose rules apply. Records count more than the folder. pi's own records count more than OpenClaw's:
// OpenClaw does not continue pi's files. Everything else is read as OpenClaw does.
func (v evidence) author(known Author) Program {
	switch {
	case known.Forced != Unnamed:
		return known.Forced
	case v.pi:
		return Pi
	case known.InPiFolder && !v.openClaw:
		return Pi
	}
	return OpenClaw
}
