// Package dialect knows the programs whose transcripts clawctl reads. [Table] has a row for each: how to recognize its
// lines, how to translate them, which folders are its own, and what repair may write for it.
//
// Above the reader there is one form of records: OpenClaw's. The lines of a program that writes others are translated
// one by one. A translation is a pure function of one line, and gives one record. What depends on other lines belongs
// elsewhere: to the rules of the program in package rebuild. A program that has a translation has a folder below this
// one, which knows nothing of the table.
package dialect

import (
	"clawctl/pkg/dialect/claudecode"
	"clawctl/pkg/dialect/claw0"
	"clawctl/pkg/dialect/codex"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/shape"
)

// A Dialect is the form of a transcript: the program that wrote it, and the version of its records. It is detected from
// the records, never from a file name.
type Dialect uint8

// The dialects. OpenClawV1 to OpenClawV4 are the versions that a header states.
const (
	Unknown Dialect = iota
	Claw0Flat
	Claw0Guard
	OpenClawV1
	OpenClawV2
	OpenClawV3
	OpenClawV4
	GoClaw
	ClaudeCode
	Codex
)

// names are the names of the dialects in reports.
var names = [...]string{
	"unknown", "claw0-flat", "claw0-guard", "openclaw-v1", "openclaw-v2", "openclaw-v3", "openclaw-v4", "goclaw",
	"claude-code", "codex",
}

// String returns the name that reports use.
func (d Dialect) String() string { return names[d] }

// IsKnown reports whether a record has shown the dialect.
func (d Dialect) IsKnown() bool { return d != Unknown }

// Program returns the row of the program that writes the dialect, or nil if that is not known. The dialects of OpenClaw
// are those of pi too.
func (d Dialect) Program() *Program { return programs[d] }

// Translated returns the row of the program that writes the dialect if its lines are translated, or nil.
func (d Dialect) Translated() *Program {
	if p := programs[d]; p != nil && p.Translate != nil {
		return p
	}
	return nil
}

// A Program is a row of the table. Fields that are nil or empty mean that the program has nothing of its own there.
type Program struct {
	Name     string    // in flags and reports
	Title    string    // as people write it
	Dialects []Dialect // that it writes

	// Types are the types of the lines that Detect and Translate know.
	Types []string
	// Detect returns the dialect of a line, or Unknown if another program may have written it.
	Detect func(kind string, line jsontext.Value) Dialect
	// Translate appends the form of a line: a record of OpenClaw, which may have these members beside OpenClaw's own:
	//
	//	continues           true for an answer that belongs to the one before it
	//	answer              the id of the answer whose part the record is
	//	role                in a record of type custom_message: "system" or "custom", who speaks; "system" in one of type
	//	                    custom: the model sees only what follows it
	//	lastKeptEntryId     in a record of type custom: the last of the entries that a compaction keeps; the first is
	//	                    firstKeptEntryId
	//	messages            in a compaction: the messages that replace everything before it, instead of the summary
	//	stated              in such a message: the item that it was made from
	//	systemMessage       in a header: the prompt, as a message
	//	history             in a header: the session whose first bytes come before this one, and how many they are
	//	usage               null in an answer: another record has it
	//	usage.series        the counts are a running total, and this is its name
	//	usage.fallback      true: the counts matter only until a record of the session has some without it
	//
	// A translation of type rollback takes back the last turns, as many as "turns" says.
	//
	// It appends nothing if the line is not the program's. nil means that lines are read as they are.
	Translate func(dst []byte, kind string, line jsontext.Value) []byte

	// NewPrompt and MissingResult return lines that repair adds: a message of the user, and a result for a call that has
	// none. at is the line of the message that they belong to. If they are nil, repair leaves the
	// conversation of a translated transcript alone.
	NewPrompt     func(at jsontext.Value, text string) []byte
	MissingResult func(d Dialect, at jsontext.Value, call string) []byte

	// Home returns the folder with the program's sessions. get reads the environment.
	Home func(get func(variable string) string, userHome string) string
	// OwnsFolder reports whether a folder, written with slashes, is one of the program's own. Their names are those of
	// projects.
	OwnsFolder func(folder string) bool
	// FileID returns the id of the session in a file with this name, without its suffix, or "" if the name is not one of
	// the program's own. nil means that names are ids.
	FileID func(stem string) string
	// Cwd returns the folder that a line says the program worked in, or "". nil means that only headers say so.
	Cwd func(line jsontext.Value) string
	// Resume returns the command with which a shell continues a session, or "" if the program would not find it. nil
	// means that the program cannot continue a session that is named.
	Resume func(s Stored, env Environment) string

	// Backends are the names by which OpenClaw says that the program did the work of a session.
	Backends []string
	// Folder returns the folder that the program keeps its files in, and SessionFolders are those below it with sessions.
	// get reads the environment. They are searched only for the sessions that OpenClaw refers to, and only if the user
	// allows it.
	Folder         func(get func(variable string) string, userHome string) string
	SessionFolders []string
	// AgentFolders are the folders that OpenClaw makes for the program below that of an agent, in place of Folder. A star
	// stands for any name.
	AgentFolders []string

	// Known returns everything that the program is known to write. What another program without a translation writes
	// too is only in the first row.
	Known func() []shape.Object
}

// The rows of programs that rules and reports refer to.
var (
	OpenClawProgram = &Program{
		Name: "openclaw", Title: "OpenClaw", Dialects: []Dialect{OpenClawV1, OpenClawV2, OpenClawV3, OpenClawV4},
		Known: knownOpenClaw, Resume: resumeOpenClaw,
	}
	PiProgram = &Program{
		Name: "pi", Title: "pi", Home: piHome, OwnsFolder: isPiFolder, FileID: piFileID, Known: knownPi,
		Resume: resumePi,
	}
	GoClawProgram = &Program{Name: "goclaw", Title: "GoClaw", Dialects: []Dialect{GoClaw}, Known: knownGoClaw}
	Claw0Program  = &Program{
		Name: "claw0", Title: "claw0", Dialects: []Dialect{Claw0Flat, Claw0Guard},
		Types: claw0.Types, Translate: claw0.Translate, NewPrompt: claw0.NewPrompt, Known: claw0.Known,
		Detect: func(kind string, line jsontext.Value) Dialect { return claw0Dialects[claw0.Detect(kind, line)] },
		MissingResult: func(d Dialect, at jsontext.Value, call string) []byte {
			return claw0.MissingResult(d.claw0Form(), at, call)
		},
	}
)

// The rows of the programs that OpenClaw lets do a part of the work.
var (
	ClaudeCodeProgram = &Program{
		Name: "claude-code", Title: "Claude Code", Dialects: []Dialect{ClaudeCode},
		Types: claudecode.Types, Translate: claudecode.Translate, Detect: detectBy(claudecode.Detect, ClaudeCode),
		OwnsFolder: claudecode.OwnsFolder, Known: claudecode.Known, Cwd: claudecode.Cwd, Resume: resumeClaudeCode,
		Backends: []string{"claude-cli", "claude", "claude-code"},
		Folder:   folderIn(claudeVariable, claudeFolder), SessionFolders: []string{"projects"},
	}
	CodexProgram = &Program{
		Name: "codex", Title: "Codex", Dialects: []Dialect{Codex}, FileID: codex.FileID,
		Types: codex.Types, Translate: codex.Translate, Detect: detectBy(codex.Detect, Codex),
		OwnsFolder: codex.OwnsFolder, Known: codex.Known, Resume: resumeCodex,
		Backends: []string{"codex", "codex-cli", "codex-app-server", "openai-codex"},
		Folder:   folderIn(codexVariable, codexFolder), SessionFolders: []string{"sessions", "archived_sessions"},
		AgentFolders: []string{"codex-home", "cli-auth/codex/*"},
	}
)

// detectBy returns a Detect that answers with a dialect.
func detectBy(isOwn func(kind string, line jsontext.Value) bool, d Dialect) func(string, jsontext.Value) Dialect {
	return func(kind string, line jsontext.Value) Dialect {
		if isOwn(kind, line) {
			return d
		}
		return Unknown
	}
}

// Table has a row for every program.
var Table = []*Program{OpenClawProgram, PiProgram, GoClawProgram, Claw0Program, ClaudeCodeProgram, CodexProgram}

// programs are the rows by the dialects that they write.
var programs = func() (list [len(names)]*Program) {
	for _, p := range Table {
		for _, d := range p.Dialects {
			list[d] = p
		}
	}
	return list
}()

// translators are the rows whose lines are translated, by the types of those lines.
var translators = func() map[string][]*Program {
	byType := map[string][]*Program{}
	for _, p := range Table {
		for _, kind := range p.Types {
			byType[kind] = append(byType[kind], p)
		}
	}
	byType[Joined] = []*Program{joinedProgram}
	return byType
}()

// Translators returns the rows of the programs that translate lines of a type.
func Translators(kind string) []*Program { return translators[kind] }

// FileID returns the id of the session in a file whose name, without its suffix, is that of one of the programs, or "".
func FileID(stem string) string {
	for _, p := range Table {
		if p.FileID != nil {
			if id := p.FileID(stem); id != "" {
				return id
			}
		}
	}
	return ""
}

// FolderOwner returns the program that a folder belongs to, or nil.
func FolderOwner(folder string) *Program {
	for _, p := range Table {
		if p.OwnsFolder != nil && p.OwnsFolder(folder) {
			return p
		}
	}
	return nil
}

// Version returns the version of OpenClaw's records, or 0 for the dialect of another program.
func (d Dialect) Version() int {
	if !d.isVersion() {
		return 0
	}
	return int(d-OpenClawV1) + 1
}

// JoinsTexts reports whether an answer that continues another one joins a text, and not only calls.
func (d Dialect) JoinsTexts() bool { return d == Claw0Guard }

// claw0Dialects are the dialects of claw0 by their forms.
var claw0Dialects = [...]Dialect{claw0.None: Unknown, claw0.Flat: Claw0Flat, claw0.Guard: Claw0Guard}

// claw0Form returns the form of claw0 that a dialect is.
func (d Dialect) claw0Form() claw0.Form {
	if d == Claw0Guard {
		return claw0.Guard
	}
	return claw0.Flat
}
