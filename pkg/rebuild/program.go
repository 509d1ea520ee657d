package rebuild

import (
	"clawctl/internal/failure"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
)

// A Program is the program whose rules decide what a model sees of a transcript. nil lets the transcript decide.
type Program = *dialect.Program

// The programs that write OpenClaw's records. The rules of pi are those of 1.5, which also reads what older versions
// wrote.
var (
	OpenClaw = dialect.OpenClawProgram
	Pi       = dialect.PiProgram
)

// rulebooks are the rules of each program. GoClaw's are those of OpenClaw, except for sizes.
var rulebooks = map[Program]*rulebook{
	OpenClaw: &openClawRules, Pi: &piRules, dialect.GoClawProgram: &openClawRules, dialect.Claw0Program: &claw0Rules,
	dialect.ClaudeCodeProgram: &claudeRules, dialect.CodexProgram: &codexRules,
}

// choices are the programs that may have written the same records. Which of them did is for the records and the folder
// to say, or for the user.
var choices = []Program{OpenClaw, Pi}

// Programs lists the names of the programs that the user may choose.
var Programs = []string{OpenClaw.Name, Pi.Name}

// ProgramNamed returns the program with a name that the user may choose, or nil.
func ProgramNamed(name string) Program {
	for _, p := range choices {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// An Author is what is known about the author of a transcript before it is read.
type Author struct {
	Forced Program // the user named it
	Folder Program // whose folder the file is in, or nil
}

// A rulebook is everything that a program decides in its own way. A program that has nothing to settle, edit, refuse or
// group has no such function.
type rulebook struct {
	hasTree      bool // entries have ids and parents; without them, all messages are the path
	hasHeader    bool // a transcript begins with a record about the session
	hasManyRoots bool // a second root is normal
	copiesKept   bool // what a boundary keeps may follow it, because a fork has written it again
	hasPrompt    bool // system messages and compactions hold the prompt
	canExclude   bool // the program knows messages that it does not send
	needsDates   bool // summaries and custom messages without a date are refused
	needsUsage   bool // an answer without usage is refused
	sendsValues  bool // a result may be any JSON value, which is sent as its text
	sendsApart   bool // messages are sent without looking at the ones before them
	recordsSent  bool // other texts than were written, and the checkpoints of providers, are recorded

	// isChained reports whether a row of version 1 gets an id and becomes a child of the previous one.
	isChained func(e *entry) bool
	// isEntry reports whether the program expects an entry to have the shape of its type.
	isEntry func(e *entry) bool
	// isForeign reports whether only another program writes an entry.
	isForeign func(e *entry) bool
	// isBoundary reports whether an entry separates what the model sees from what it no longer sees.
	isBoundary func(e *entry) bool
	// isShown reports whether the model sees an entry of the window. retained is set if it is from before the boundary,
	// kept if a reset keeps it.
	isShown func(e *entry, retained, kept bool) bool
	// settle corrects links of the index that are only known to be wrong after the last record.
	settle func(ix *Index)
	// parents returns the number of the entry that each entry continues, or -1.
	parents func(ix *Index) []int32
	// eachLeaf calls note with every row and the entry that is current before it.
	eachLeaf func(ix *Index, note func(row int, leaf sym))
	// find returns the context that ends with a leaf, or with the leaf of the transcript if it is "".
	find func(ix *Index, leaf string) (*Context, error)
	// edit applies the context edits of the window.
	edit func(c *Context)
	// refusal returns why the program refuses a context, or nil.
	refusal func(c *Context) error
	// refuses reports whether the program refuses to continue a transcript with a problem of its records.
	refuses func(code failure.Code) bool
	// corrects reports whether the program corrects a problem by itself before it sends a request.
	corrects func(p *problem) bool
	// native writes what the model sees of an item.
	native func(c *Context, it item, body func(int32) *jsonl.Record) string
	// groups returns the entries that form a message each, or nil if every item of the context is one.
	groups func(c *Context) []group
	// group writes the message that a group of entries forms.
	group func(c *Context, g group, body func(int32) *jsonl.Record) string
	// boundaries returns the boundaries of a context, and what left it at each of them.
	boundaries func(c *Context) *Boundaries
	// stretch returns the entries that the next compaction summarizes or keeps, and the first of them that may be kept.
	stretch func(c *Context) (entries []int32, start int)
}

// A group is the entries that form a message.
type group struct {
	entries []int32
	made    uint8 // what kind of message the program makes of them, in the words of its rules
	open    []sym // the calls among them that have no result
	part    int   // which of the messages that the first entry consists of is the first
	bare    bool  // thinking is left out, because another model thought it
	system  bool  // the model takes messages of the system between others
}

// rules returns the rules of the program that wrote the transcript.
func (ix *Index) rules() *rulebook { return ix.rulebook }

// setRules decides whose rules apply.
func (ix *Index) setRules(known Author) {
	ix.Program = ix.evidence.author(known)
	if p := ix.Dialect.Translated(); p != nil {
		ix.Program = p
	}
	ix.rulebook, ix.ruler = rulebooks[ix.Program], rulers[ix.Program]
	if ix.Program == OpenClaw && ix.evidence.goClaw && known.Forced == nil {
		ix.ruler = rulers[dialect.GoClawProgram]
	}
}

// rulers are how each program measures a context.
var rulers = map[Program]*ruler{
	OpenClaw: &openClawRuler, Pi: &piRuler, dialect.GoClawProgram: &countRuler, dialect.Claw0Program: &claw0Ruler,
	dialect.ClaudeCodeProgram: &countRuler, dialect.CodexProgram: &countRuler,
}

// Likes lists the programs whose compactions clawctl can imitate.
var Likes = []string{OpenClaw.Name, Pi.Name, dialect.Claw0Program.Name}

// LikeNamed returns the program of that list with a name, or nil.
func LikeNamed(name string) Program {
	for _, p := range dialect.Table {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// rulerOf returns how a program measures the transcript. nil is the one that wrote it. What pi 1.5 has of its own is in
// its own transcripts.
func (ix *Index) rulerOf(like Program) *ruler {
	switch {
	case like == nil || like == Pi && ix.Program == Pi:
		return ix.ruler
	case like == Pi:
		return &countRuler
	}
	return rulers[like]
}

// authorOf returns the program that may have written a record.
func authorOf(rec *jsonl.Record) Program {
	switch {
	case rec.Translator() != nil && !rec.Translator().IsJoined():
		return rec.Translator()
	case dialect.IsGoClawID(rec.Noted(jsonl.FieldID)):
		return dialect.GoClawProgram
	}
	return OpenClaw
}

// Writer returns the name of the program that wrote the transcript.
func (ix *Index) Writer() string {
	if p := ix.Dialect.Program(); p != nil && p != OpenClaw {
		return p.Name
	}
	return ix.Program.Name
}

// HasTree reports whether entries have ids and parents. Without them, all messages are the path.
func (ix *Index) HasTree() bool { return ix.rulebook.hasTree }

// CanExclude reports whether the program knows messages that it does not send.
func (ix *Index) CanExclude() bool { return ix.rulebook.canExclude }

// evidence is what the records of a transcript say about the program that wrote it.
type evidence struct {
	pi       bool // something that only pi 0.81 and later writes
	openClaw bool // something that only OpenClaw writes
	goClaw   bool // a header or a message of GoClaw
}

// add adds what other records say.
func (v *evidence) add(o evidence) {
	v.pi, v.openClaw, v.goClaw = v.pi || o.pi, v.openClaw || o.openClaw, v.goClaw || o.goClaw
}

// addVersion adds what the version of the header says.
func (v *evidence) addVersion(version float64) { v.openClaw = v.openClaw || version > 3 }

// author decides whose rules apply. Records count more than the folder. pi's own records count more than OpenClaw's:
// OpenClaw does not continue pi's files. Everything else is read as OpenClaw does.
func (v evidence) author(known Author) Program {
	switch {
	case known.Forced != nil:
		return known.Forced
	case v.pi:
		return Pi
	case known.Folder == Pi && !v.openClaw:
		return Pi
	}
	return OpenClaw
}
