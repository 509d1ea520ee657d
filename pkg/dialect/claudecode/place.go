package claudecode

import (
	"path"
	"strings"
	"unicode/utf16"
)

// longestProject is how long the name of a project's folder may be before a sum of the whole path replaces its end.
const longestProject = 200

// HomeOf returns the folder with all of Claude Code's files, if Claude Code finds the file of a session there when it
// runs in cwd, which is where it looks first. The file is written with slashes.
func HomeOf(file, id, cwd string) (home string, ok bool) {
	folder, base := path.Split(file)
	projects, project := path.Split(path.Clean(folder))
	home, last := path.Split(path.Clean(projects))
	name := projectName(cwd)
	if cut := min(len(name), longestProject); cut < len(name) && len(project) > cut {
		name, project = name[:cut], project[:cut]
	}
	return path.Clean(home), base == id+".jsonl" && last == "projects" && cwd != "" && project == name
}

// projectName returns the name of the folder for the sessions of a project: its path with - for every UTF-16 unit that
// is not a letter or a digit of ASCII.
func projectName(cwd string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(cwd)) {
		switch {
		case unit >= '0' && unit <= '9', unit >= 'a' && unit <= 'z', unit >= 'A' && unit <= 'Z':
			b.WriteByte(byte(unit))
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}
