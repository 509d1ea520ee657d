package rebuild

import (
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

// rulesOf are the rules of each program.
var rulesOf = map[Program]*rules{
	OpenClaw: openClawRules, Pi: piRules, dialect.GoClawProgram: goClawRules, dialect.Claw0Program: claw0Rules,
	dialect.ClaudeCodeProgram: claudeRules, dialect.CodexProgram: codexRules,
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

// setRules decides whose rules apply.
func (ix *Index) setRules(known Author) {
	ix.Program = ix.evidence.author(known)
	if p := ix.Dialect.Translated(); p != nil {
		ix.Program = p
	}
	ix.rules = rulesOf[ix.Program]
	if ix.Program == OpenClaw && ix.evidence&byGoClaw != 0 && known.Forced == nil {
		ix.rules = goClawRules
	}
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

// rulesLike returns the rules that measure the transcript as a program does. nil is the one that wrote it. What pi 1.5
// has of its own is in its own transcripts.
func (ix *Index) rulesLike(like Program) *rules {
	switch {
	case like == nil || like == Pi && ix.Program == Pi:
		return ix.rules
	case like == Pi:
		return &commonRules
	}
	return rulesOf[like]
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
func (ix *Index) HasTree() bool { return ix.rules.hasTree }

// CanExclude reports whether the program knows messages that it does not send.
func (ix *Index) CanExclude() bool { return ix.rules.canExclude }

// evidence is what the records of a transcript say about the program that wrote it.
type evidence uint32

const (
	byPi       evidence = 1 << iota // something that only pi 0.81 and later writes
	byOpenClaw                      // something that only OpenClaw writes
	byGoClaw                        // a header or a message of GoClaw
)

// when returns what is said if a condition is met, and nothing otherwise.
func (v evidence) when(isMet bool) evidence {
	if isMet {
		return v
	}
	return 0
}

// author decides whose rules apply. Records count more than the folder. pi's own records count more than OpenClaw's:
// OpenClaw does not continue pi's files. Everything else is read as OpenClaw does.
func (v evidence) author(known Author) Program {
	switch {
	case known.Forced != nil:
		return known.Forced
	case v&byPi != 0:
		return Pi
	case known.Folder == Pi && v&byOpenClaw == 0:
		return Pi
	}
	return OpenClaw
}
