// Package dialect knows the programs whose transcripts clawctl reads. [Table] has a row for each: how to recognize its
// lines, how to translate them, which folders are its own, and what repair may write for it.
//
// Above the reader there is one form of records: OpenClaw's. The lines of a program that writes others are translated
// one by one. A translation is a pure function of one line, and gives one record. What depends on other lines belongs
// elsewhere: to the rules of the program in package rebuild. A program that has a translation has a folder below this
// one, which knows nothing of the table.
package dialect

import (
	"slices"
	"sync"

	"clawctl/pkg/dialect/claudecode"
	"clawctl/pkg/dialect/claw0"
	"clawctl/pkg/dialect/codex"
	"clawctl/pkg/dialect/shape"
	"clawctl/pkg/jsontext"
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
func (d Dialect) Program() *Program { return programs()[d] }

// Translated returns the row of the program that writes the dialect if its lines are translated, or nil.
func (d Dialect) Translated() *Program {
	if p := programs()[d]; p != nil && p.Translate != nil {
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
	Types func() []string
	// Detect returns the dialect of a line, or Unknown if another program may have written it.
	Detect func(kind string, line jsontext.Value) Dialect
	// Translate appends the form of a line: a record of OpenClaw, which may have these members beside OpenClaw's own:
	//
	//	continues           true for an answer that belongs to the one before it
	//	answer              the id of the answer whose part the record is
	//	role                in a record of type custom_message: "system", "custom" or "user", who speaks; "system" in one
	//	                    of type custom: the model sees only what follows it
	//	sentAs, sent        in a prompt that is sent in another form: as whose message, "system" or "custom", and its blocks
	//	division            how many blocks each message has that an addition to the conversation consists of
	//	apart               true for an addition that is a message of its own, not joined to the result before it, if the
	//	                    model takes messages of the system
	//	beside              true for an addition that always stands behind the result before it
	//	isUnanswered        true for what no model is asked about
	//	inSession           the id of the session that the record was written in
	//	errorMessage        in a record of type custom: what an attempt to ask the model has failed with
	//	lastKeptEntryId     in a record of type custom: the last of the entries that a compaction keeps; the first is
	//	                    firstKeptEntryId
	//	reason, tokensBefore, tokensAfter
	//	                    in such a record: why the context was compacted, and its sizes
	//	messages            in a compaction: the messages that replace everything before it, instead of the summary
	//	added               true in a text block: the program put it around what the user said
	//	stated              in such a message: the item that it was made from
	//	messages            in a record of type custom: results that are sent instead of those of the same calls
	//	isFinal             true for a result that is never sent otherwise
	//	systemMessage       in a header: the prompt, as a message
	//	history             in a header: the session whose first bytes come before this one, and how many they are
	//	spawnedBy           in a header: the session that started this one as a subagent
	//	spawnedAs           in a header: what that session calls it
	//	refusal             in a header: why the program does not continue the session by itself, in its own words
	//	malformed           the member of the line's payload because of which the program cannot read it
	//	suggested           true in a name of the session that a program chose: one that the user gave it counts more
	//	usage               null in an answer: another record has it
	//	usage.series        the counts are a running total, and this is its name
	//	usage.fallback      true: the counts matter only until a record of the session has some without it
	//	usage.counter       what the program's counter of the series showed. The counts are those of one answer, and are
	//	                    repeated until the counter changes
	//
	// A translation of type rollback takes back the last turns, as many as "turns" says.
	//
	// It appends nothing if the line is not the program's. nil means that lines are read as they are.
	Translate func(dst []byte, kind string, line *jsontext.Outline) []byte

	// NewPrompt and MissingResult return lines that repair adds: a message of the user, and a result for a call that has
	// none. at is the line of the message that they belong to. If they are nil, repair leaves the
	// conversation of a translated transcript alone.
	NewPrompt     func(at jsontext.Value, text string) []byte
	MissingResult func(d Dialect, at jsontext.Value, call string) []byte

	// CopyID returns the id that a line keeps in all copies of it, whatever time they have, or nil if it has none. nil
	// means that copies keep their time too.
	CopyID func(line jsontext.Value) jsontext.Value
	// Restated returns what a line says, without its time. A fork of the program begins with the lines of the session
	// that it was made from, under new times. isTurn reports whether it is the beginning of a turn, which only that turn
	// says. nil means that the program makes no such forks.
	Restated func(line jsontext.Value) (said jsontext.Value, isTurn bool)

	// Home returns the folder with the program's sessions. get reads the environment.
	Home func(get func(variable string) string, userHome string) string
	// OwnsFolder reports whether a folder, written with slashes, is one of the program's own. Their names are those of
	// projects.
	OwnsFolder func(folder string) bool
	// FileID returns the id of the session in a file with this name, without its suffix, or "" if the name is not one of
	// the program's own. Several files may be states of one session. Then state tells them apart, "" for the first, and
	// the last one by name counts. nil means that names are ids.
	FileID func(stem string) (id, state string)
	// NamesByID is set if people know the program's sessions by their ids, because nothing else names them.
	NamesByID bool
	// HomeName is the usual name of the folder in which the program keeps everything, and HomeFolders are those in it with
	// sessions. Nothing else in it is opened: it may hold credentials.
	HomeName    string
	HomeFolders []string
	// IsArchive reports whether the program moves sessions to a folder that are no longer used.
	IsArchive func(folder string) bool
	// SpawnedBy returns the id of the session whose subagents have their files in a folder, or "".
	SpawnedBy func(folder string) string
	// Spawner returns the id of the session that has started that of a line, if the line is one of a subagent, or "". nil
	// means that headers say so.
	Spawner func(line jsontext.Value) string
	// Spawned returns the ids of the sessions that a line says were started. nil means that their folders say so. It is
	// where to look for files: which session has started another is for that one to say, by SpawnedBy, Spawner or its
	// header, because a line can name any id.
	Spawned func(line jsontext.Value) []string
	// Keeps reports whether the program keeps a file beside its sessions that belongs to one of them.
	Keeps func(folder, base string) bool
	// Beside returns the folders in which the program keeps what the file with a stem in a folder does not have: the
	// sessions of subagents, and long results of tools.
	Beside func(folder, stem string) (subagents, results string)
	// Started reports whether a result says that a subagent was started, by its id or by what its session calls it. nil
	// means that such a result has the id. It only chooses the call beside which a known subagent is shown.
	Started func(result, id, name string) bool
	// StoredIn returns the name of the file that has a result of which a text is only the beginning, or "".
	StoredIn func(text string) string
	// NameMarks are words of which a line has one if it names its session. nil means those of OpenClaw.
	NameMarks []string
	// NamesFile is the name of a file with the names of sessions, above the folders of the sessions. ReadName reads one of
	// its lines.
	NamesFile string
	ReadName  func(line jsontext.Value) (id, name string)
	// Describes returns the session that one of the files which the program keeps is about, and what it is called there.
	Describes func(base string, text jsontext.Value) (id, name string)
	// Others describe other files that the program writes in lines of JSON, by the keys that each line has.
	Others []shape.Other

	// ForkedFrom returns the id of the session that a line was copied from when its session was made as a fork of that
	// one, or "". more is false if no later line says that either. nil means that headers say so.
	ForkedFrom func(line jsontext.Value) (id string, more bool)
	// Origin returns what a line says about where its session ran: the working directory, and the branch of git. nil
	// means that only headers say so.
	Origin func(line jsontext.Value) (folder, branch jsontext.Value)
	// Resume returns the command with which a shell continues a session, or "" if the program would not find it. nil
	// means that the program cannot continue a session that is named.
	Resume func(s LiveSession, env Environment) string

	// Backends are the names by which OpenClaw says that the program did the work of a session.
	Backends []string
	// Folder returns the folder that the program keeps its files in, with its sessions in HomeFolders. get reads the
	// environment. It is searched only for the sessions that OpenClaw refers to, and only if the user allows it.
	Folder func(get func(variable string) string, userHome string) string
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
		Types: claudecode.Types, Translate: claudecode.Translate,
		Detect: func(kind string, line jsontext.Value) Dialect {
			return ClaudeCode.ifTrue(claudecode.Detect(kind, line))
		},
		CopyID:     claudecode.CopyID,
		OwnsFolder: claudecode.OwnsFolder, Origin: claudecode.Origin, Known: claudecode.Known, Resume: resumeClaudeCode,
		ForkedFrom: claudecode.ForkedFrom,
		HomeName:   claudeFolder, HomeFolders: []string{"projects"},
		NamesByID: true, FileID: claudecode.FileID, SpawnedBy: claudecode.SpawnedBy, Keeps: claudecode.Keeps,
		NameMarks: claudecode.NameMarks, Spawner: claudecode.Spawner,
		Beside: claudecode.Beside, StoredIn: claudecode.StoredIn, Describes: claudecode.Describes,
		Others:   claudecode.Others,
		Backends: []string{"claude-cli", "claude", "claude-code"}, Folder: claudeHome,
	}
	CodexProgram = &Program{
		Name: "codex", Title: "Codex", Dialects: []Dialect{Codex}, FileID: codex.FileID,
		Types: codex.Types, Translate: codex.Translate,
		Detect: func(kind string, line jsontext.Value) Dialect { return Codex.ifTrue(codex.Detect(kind, line)) },
		CopyID: codex.CopyID, Restated: codex.Restated,
		OwnsFolder: codex.OwnsFolder, Origin: codex.Origin, Known: codex.Known, Resume: resumeCodex,
		HomeName: codexFolder, HomeFolders: []string{"sessions", "archived_sessions"},
		NamesByID: true, IsArchive: codex.IsArchive, NamesFile: codex.NamesFile, ReadName: codex.ReadName,
		Others: codex.Others, Spawned: codex.Spawned, Started: codex.Started,
		Backends: []string{"codex", "codex-cli", "codex-app-server", "openai-codex"},
		Folder:   codexHome, AgentFolders: []string{"codex-home", "cli-auth/codex/*"},
	}
)

// ifTrue returns the dialect if a line is one of its own.
func (d Dialect) ifTrue(isOwn bool) Dialect {
	if isOwn {
		return d
	}
	return Unknown
}

// Table has a row for every program.
var Table = []*Program{OpenClawProgram, PiProgram, GoClawProgram, Claw0Program, ClaudeCodeProgram, CodexProgram}

// programs are the rows by the dialects that they write.
var programs = sync.OnceValue(func() *[len(names)]*Program {
	var list [len(names)]*Program
	for _, p := range Table {
		for _, d := range p.Dialects {
			list[d] = p
		}
	}
	return &list
})

// translators are the rows whose lines are translated, by the types of those lines.
var translators = sync.OnceValue(func() map[string][]*Program {
	byType := map[string][]*Program{}
	for _, p := range Table {
		for _, kind := range p.types() {
			byType[kind] = append(byType[kind], p)
		}
	}
	return byType
})

// types returns the types of the lines that are translated.
func (p *Program) types() []string {
	if p.Types == nil {
		return nil
	}
	return p.Types()
}

// Translators returns the rows of the programs that translate lines of a type.
func Translators(kind string) []*Program {
	if kind == Joined {
		return []*Program{joinedProgram}
	}
	return translators()[kind]
}

// FileID returns the id of the session in a file whose name, without its suffix, is that of one of the programs, or "",
// and which state of the session it is.
func FileID(stem string) (id, state string) {
	for _, p := range Table {
		if p.FileID != nil {
			if id, state := p.FileID(stem); id != "" {
				return id, state
			}
		}
	}
	return "", ""
}

// HomeOwner returns the program that keeps everything in folders with a name, or nil.
func HomeOwner(name string) *Program {
	return find(func(p *Program) bool { return p.HomeName != "" && p.HomeName == name })
}

// find returns the first row that fits, or nil.
func find(fits func(*Program) bool) *Program {
	if at := slices.IndexFunc(Table, fits); at >= 0 {
		return Table[at]
	}
	return nil
}

// LooksLike says what a line is that is not one of a transcript, or "" if nobody knows.
func LooksLike(line jsontext.Value) string {
	for _, p := range Table {
		for _, other := range p.Others {
			if other.Fits(line) {
				return other.What + " of " + p.Title
			}
		}
	}
	for _, other := range elsewhere {
		if other.Fits(line) {
			return other.What
		}
	}
	return ""
}

// elsewhere are texts about conversations that many programs write.
var elsewhere = []shape.Other{
	{What: "a trajectory for evaluation", Keys: []string{"schema_version", "agent", "steps"}},
	{What: "a request to a model", Keys: []string{"model", "messages"}},
	{What: "a request to a model", Keys: []string{"model", "input"}},
	{What: "examples for fine-tuning", Keys: []string{"messages"}},
}

// Titles returns the names of all programs as people write them.
func Titles() (list []string) {
	for _, p := range Table {
		list = append(list, p.Title)
	}
	return list
}

// FolderOwner returns the program that a folder belongs to, or nil.
func FolderOwner(folder string) *Program {
	return find(func(p *Program) bool { return p.OwnsFolder != nil && p.OwnsFolder(folder) })
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
