package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/pkg/source"
)

// ListCommand is the command that lists the sessions of this user, or explains what may be named if there are none.
func (a *App) ListCommand() string {
	state, _ := a.StateDir()
	own, err := a.StorePath("")
	if state.Exists || err == nil && openfile.IsThere(own.Value) {
		return "clawctl sessions"
	}
	return "clawctl help sources"
}

// CommandOn is the run's own command for another source than that of its first operand, or of the flags that choose
// one.
func (a *App) CommandOn(source string) string {
	args := slices.Clone(a.Args)
	if len(a.operands) > 0 {
		args[lastIndex(args, a.operands[0])] = source
		return commandLine(args)
	}
	for _, flag := range []string{"--session", "--agent", "--kind"} {
		args = WithoutFlag(args, flag)
	}
	return commandLine(args, source)
}

// didYouMean is the run's own command with the session that a wrong name most likely meant; "" if none comes near it.
func (a *App) didYouMean(typed string, known []*source.Session) string {
	if near := nearestSession(typed, known); near != "" {
		return a.commandNaming(typed, near)
	}
	return ""
}

// withAgent is the run's own command with --agent, if a word that is no source is the name of an agent, and the command
// takes several sessions. It is "" otherwise.
func (a *App) withAgent(typed string, known []*source.Session) string {
	isItsSession := func(s *source.Session) bool { return s.Agent == typed }
	at := lastIndex(a.Args, typed)
	if at < 0 || !strings.HasSuffix(a.command.Operands, "...") || !slices.ContainsFunc(known, isItsSession) {
		return ""
	}
	if _, takes := NewFlagTable(a.command.OwnFlags())["agent"]; !takes {
		return ""
	}
	return commandLine(slices.Delete(slices.Clone(a.Args), at, at+1), "--agent", typed)
}

// lastIndex returns the place of the last argument that is a word, or -1. Operands come after the command.
func lastIndex(args []string, word string) int {
	for i, arg := range slices.Backward(args) {
		if arg == word {
			return i
		}
	}
	return -1
}

// CheckPattern looks for two mistakes of a search none of whose sources leads anywhere: a PATTERN that is an existing
// path comes after SOURCE, and one of several words lacks its quotes. It returns the failure with the command that was
// meant, or nil.
func CheckPattern(a *App, pattern string, sources []string, s Search) error {
	args, first := slices.Clone(a.Args), (*failure.Error)(nil)
	for _, word := range sources {
		if IsPath(word) {
			return nil
		}
		_, err := Find(a, word, s)
		var f *failure.Error
		if !errors.As(err, &f) || f.Code != failure.NotFound {
			return nil
		}
		if first == nil {
			first = f
		}
		args = slices.Delete(args, lastIndex(args, word), lastIndex(args, word)+1)
	}
	at := lastIndex(args, pattern)
	if first == nil || at < 0 { // as in --regexp=PATTERN
		return nil
	}
	text := strings.Join(sources, " ")
	if IsPath(pattern) {
		return failure.Usage(commandLine(slices.Replace(args, at, at+1, text, pattern)),
			"PATTERN comes before SOURCE: %s is a path, and %q is not a source", pattern, text)
	}
	if first.Hint != a.ListCommand() || slices.ContainsFunc(sources, source.LooksLikePath) {
		return nil // a session with a similar name is more likely
	}
	return first.WithHint(commandLine(slices.Replace(args, at, at+1, pattern+" "+text)))
}

// MissingPath is InputError for a path that was named. If there is none, the hint is the command with the path that was
// most likely meant, or else the command that lists what there is. If there is a link, it is the command that shows it.
func (a *App) MissingPath(path string, err error, list string) *failure.Error {
	f := InputError(path, err)
	if f.Code != failure.NotFound {
		return f
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return failure.New(failure.NotFound, "the link leads to nothing").At(path).WithHint(failure.Command("ls", "-l", path))
	}
	return f.WithHint(cmp.Or(a.nearPath(path), list))
}

// nearPath is the run's own command with the file beside it that a wrong path most likely meant; "" if none comes near.
func (a *App) nearPath(typed string) string {
	folder, name := filepath.Split(typed)
	entries, _ := os.ReadDir(cmp.Or(folder, "."))
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if near := failure.Nearest(name, names); near != "" {
		return a.commandNaming(typed, folder+near)
	}
	return ""
}

// commandNaming is the run's own command with another name for a session: alone, after a #, or as the value of a flag.
// It is "" if no argument has the name.
func (a *App) commandNaming(typed, name string) string {
	args := slices.Clone(a.Args)
	for i, arg := range slices.Backward(args) {
		switch {
		case arg == typed:
			args[i] = name
		case strings.HasSuffix(arg, "#"+typed), strings.HasSuffix(arg, "="+typed):
			args[i] = strings.TrimSuffix(arg, typed) + name
		default:
			continue
		}
		return failure.Command(append([]string{"clawctl"}, args...)...)
	}
	return ""
}

// nearestSession returns the key or id that a wrong name most likely meant, or "": one that is a typo away, whose
// beginning is, that ends with the name as a part of its own, that is the main session of an agent with the name, or
// that contains it.
func nearestSession(typed string, known []*source.Session) string {
	if typed == "" || IsByRecency(typed) {
		return ""
	}
	wanted := strings.ToLower(typed)
	names := sessionNames(known)
	beginnings := make([]string, len(names))
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = strings.ToLower(name)
		beginnings[i] = lower[i][:min(len(lower[i]), len(wanted))]
	}
	for _, list := range [][]string{lower, beginnings} {
		if near := failure.Nearest(wanted, list); near != "" {
			return names[slices.Index(list, near)]
		}
	}
	for _, fits := range []func(text, part string) bool{endsWithPart, isMainOf, strings.Contains} {
		if i := slices.IndexFunc(lower, func(name string) bool { return fits(name, wanted) }); i >= 0 {
			return names[i]
		}
	}
	return ""
}

// endsWithPart reports whether the last parts of a key are these.
func endsWithPart(key, part string) bool { return strings.HasSuffix(key, ":"+part) }

// isMainOf reports whether a key is that of the main session of an agent.
func isMainOf(key, agent string) bool { return key == "agent:"+agent+":main" }

// IsByRecency reports whether a name stands for the sessions that were used last, so that it cannot be a key.
func IsByRecency(name string) bool {
	_, ok := source.ParseRecency(name)
	return ok
}

// sessionNames returns the keys and ids of sessions: keys first, live sessions before others.
func sessionNames(sessions []*source.Session) []string {
	var names []string
	var ids []string
	for _, isLive := range []bool{true, false} {
		for _, s := range sessions {
			if (s.Kind == source.Live) == isLive {
				names, ids = append(names, s.Key), append(ids, s.ID)
			}
		}
	}
	return append(names, ids...)
}
