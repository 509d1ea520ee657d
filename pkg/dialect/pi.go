package dialect

import (
	"path/filepath"
	"strings"

	"clawctl/internal/portable"
	"clawctl/internal/regex"
)

// piHome returns the folder with pi's sessions.
func piHome(get func(string) string, home string) string {
	if path := VariableValue(get("PI_CODING_AGENT_SESSION_DIR")); path != "" {
		return portable.ExpandHome(path, home)
	}
	if path := VariableValue(get("PI_CODING_AGENT_DIR")); path != "" {
		return filepath.Join(portable.ExpandHome(path, home), "sessions")
	}
	return filepath.Join(home, ".pi", "agent", "sessions")
}

// isPiFolder reports whether a folder belongs to pi: ~/.pi/agent/sessions, or the folder of a project in it, which is
// named after the project's path, such as --home-ada-notes--.
func isPiFolder(folder string) bool {
	base := folder[strings.LastIndexByte(folder, '/')+1:]
	return len(base) > 4 && strings.HasPrefix(base, "--") && strings.HasSuffix(base, "--") ||
		strings.HasSuffix(folder, "/.pi/agent/sessions")
}

var piStem = regex.Lazy(`^\d{4}-\d{2}-\d{2}T[\d-]+Z_(.+)$`)

// piFileID returns the id in a name of the form <time>_<id>.
func piFileID(stem string) (id, state string) {
	if !strings.Contains(stem, "Z_") {
		return "", "" // without the pattern, because folders hold thousands of files
	}
	if m := piStem().FindStringSubmatch(stem); m != nil {
		return m[1], ""
	}
	return "", ""
}

// VariableValue returns the value of a variable of the environment. Blank, undefined and null count as unset.
func VariableValue(value string) string {
	value = strings.TrimSpace(value)
	if value == "undefined" || value == "null" {
		return ""
	}
	return value
}
