package dialect

import (
	"path/filepath"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/regex"
	"clawctl/internal/shell"
	"clawctl/pkg/dialect/claudecode"
	"clawctl/pkg/dialect/codex"
)

// A LiveSession is a session at its place: what the program that wrote it needs to find it again.
type LiveSession struct {
	ID   string // as its header states it, or else as its file name does
	Key  string // under which an index registers it; "" if none does
	File string // absolute path of its file, or of the database that holds it
	Cwd  string // the folder that the program worked in; "" if nothing says so
}

// An Environment says where the programs of a user keep their sessions.
type Environment struct {
	Get      func(variable string) string
	UserHome string
	StateDir string // OpenClaw's, which is in use
}

// Writer returns the program that continues the sessions of a dialect in a folder of owner, which may be nil. It
// returns nil if no program does.
func (d Dialect) Writer(owner *Program) *Program {
	writes := d.Program()
	switch {
	case owner == nil, owner == writes:
		return writes
	case len(owner.Dialects) == 0 && writes != nil && writes.Translate == nil: // it writes those of another program
		return owner
	}
	return nil
}

// ResumeCommand returns the command with which a shell continues a session in the program, or "" if the program would
// not find it.
func (p *Program) ResumeCommand(s LiveSession, env Environment) string {
	if p == nil || p.Resume == nil {
		return ""
	}
	return p.Resume(s, env)
}

// resumeOpenClaw names the key. Only the gateway of the state folder in use is asked: other folders have none, or are
// copies.
func resumeOpenClaw(s LiveSession, env Environment) string {
	below, err := filepath.Rel(env.StateDir, s.File)
	if err != nil || !strings.HasPrefix(filepath.ToSlash(below), "agents/") || !isArgument(s.Key) {
		return ""
	}
	return failure.Command("openclaw", "tui", "--session", s.Key)
}

// resumePi names the file. pi changes to the folder that its header states.
func resumePi(s LiveSession, _ Environment) string { return failure.Command("pi", "--session", s.File) }

// resumeClaudeCode names the id, which Claude Code looks for among the sessions of the folder that it runs in. Newer
// versions look elsewhere too, but work in that folder.
func resumeClaudeCode(s LiveSession, env Environment) string {
	home, ok := claudecode.HomeOf(filepath.ToSlash(s.File), s.ID, s.Cwd)
	if !ok || !isUUID(s.ID) {
		return ""
	}
	return inFolder(s.Cwd, env.lookIn(claudeVariable, claudeFolder, home, failure.Command("claude", "--resume", s.ID)))
}

// resumeCodex names the thread. Codex asks which folder to work in if that of the thread is another.
func resumeCodex(s LiveSession, env Environment) string {
	home, ok := codex.HomeOf(filepath.ToSlash(s.File))
	if !ok || !isUUID(s.ID) {
		return ""
	}
	return inFolder(s.Cwd, env.lookIn(codexVariable, codexFolder, home, failure.Command("codex", "resume", s.ID)))
}

// lookIn returns a command that looks for sessions in the folder that a variable names, so that it looks in home. If it
// does so anyway, that is the command as it is.
func (env Environment) lookIn(variable, usual, home, command string) string {
	home = filepath.FromSlash(home)
	looked := VariableValue(env.Get(variable))
	if looked == "" {
		looked = filepath.Join(env.UserHome, usual)
	}
	if filepath.Clean(looked) == home {
		return command
	}
	return shell.Current().With(variable, home, command)
}

// inFolder returns a command that changes to a folder before another command. Without a folder that is the other one.
func inFolder(folder, command string) string {
	if !isArgument(folder) {
		return command
	}
	return shell.Current().InFolder(folder, command)
}

// isArgument reports whether a text of a transcript is an argument, and not an option or nothing.
func isArgument(text string) bool { return text != "" && text[0] != '-' }

var uuidText = regex.Lazy(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// isUUID reports whether an id is one that a program has made.
func isUUID(id string) bool { return uuidText().MatchString(id) }

// An ownedError means that only the program that wrote a transcript may change it, or knows what others need of it.
type ownedError struct{ Program *Program }

func (e *ownedError) Error() string {
	return "a session of " + e.Program.Title + ", which clawctl neither changes nor converts"
}

// FailureAt says what clawctl can do with the transcript instead.
func (e *ownedError) FailureAt(name string) *failure.Error {
	return failure.New(failure.OwnedFile, "%v", e).At(name).WithHint(failure.Command("clawctl", "rebuild", name))
}

// CheckOwner returns an ownedError if clawctl does not know how to write what the program reads.
func (d Dialect) CheckOwner() error {
	if p := d.Translated(); p != nil && p.NewPrompt == nil {
		return &ownedError{p}
	}
	return nil
}
