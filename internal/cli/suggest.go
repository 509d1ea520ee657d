package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/source"
)

// didYouMean is the run's own command with the session that a wrong name most likely meant; "" if none comes near it.
func (a *App) didYouMean(typed string, known []*source.Session) string {
	if near := nearestSession(typed, known); near != "" {
		return a.commandNaming(typed, near)
	}
	return ""
}

// MissingPath is InputError for a path that was named. If there is none, the hint is the command with the path that was
// most likely meant, or else the command that lists what there is.
func (a *App) MissingPath(path string, err error, list string) *failure.Error {
	f := InputError(path, err)
	if f.Code == failure.NotFound {
		f.Hint = cmp.Or(a.nearPath(path), list)
	}
	return f
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
// beginning is, that ends with the name as a part of its own, or that contains it.
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
	for _, fits := range []func(text, part string) bool{endsWithPart, strings.Contains} {
		if i := slices.IndexFunc(lower, func(name string) bool { return fits(name, wanted) }); i >= 0 {
			return names[i]
		}
	}
	return ""
}

// endsWithPart reports whether the last parts of a key are these.
func endsWithPart(key, part string) bool { return strings.HasSuffix(key, ":"+part) }

// IsByRecency reports whether a name stands for the sessions that were used last, so that it cannot be a key.
func IsByRecency(name string) bool {
	_, ok := source.ParseRecency(name)
	return ok
}

// sessionNames returns the keys and ids of sessions: keys first, live sessions before others.
func sessionNames(sessions []*source.Session) (names []string) {
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
