package source

import (
	"path/filepath"
	"strings"
)

// piAgent is the agent of sessions in pi's folders. pi has no agents of its own.
const piAgent = "pi"

// piSessions returns the folder with pi's sessions. get reads the environment.
func piSessions(get func(string) string, home string) string {
	expand := func(path string) string {
		if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
			return filepath.Join(home, rest)
		}
		return path
	}
	if path := variableValue(get("PI_CODING_AGENT_SESSION_DIR")); path != "" {
		return expand(path)
	}
	if path := variableValue(get("PI_CODING_AGENT_DIR")); path != "" {
		return filepath.Join(expand(path), "sessions")
	}
	return filepath.Join(home, ".pi", "agent", "sessions")
}

// isPiFolder reports whether a folder belongs to pi: ~/.pi/agent/sessions, or the folder of a project in it, which is
// named after the project's path, such as --home-ada-notes--.
func isPiFolder(folder string) bool {
	folder = filepath.ToSlash(folder)
	base := folder[strings.LastIndexByte(folder, '/')+1:]
	return len(base) > 4 && strings.HasPrefix(base, "--") && strings.HasSuffix(base, "--") ||
		strings.HasSuffix(folder, "/.pi/agent/sessions")
}

// IsInPiFolder reports whether the session is a file in a folder of pi.
func (s *Session) IsInPiFolder() bool {
	return !s.InDatabase && s.Root != "" && isPiFolder(filepath.Dir(filepath.Join(s.Root, filepath.FromSlash(s.Below))))
}
