package openclaw

import (
	"path"
	"path/filepath"
	"slices"

	"clawctl/internal/rooted"
)

// Memories lists the files that agents keep their memories in: MEMORY.md and memory/*.md of the workspaces of a state
// folder. home is what ~ means in its configuration, which may name more workspaces. Those that are not in the state
// folder are returned as outside and not looked into, because nobody has named them to clawctl.
func Memories(state, home string) (files []rooted.File, outside []string) {
	inside, outside := workspaces(state, home)
	for _, workspace := range inside {
		files = appendMatching(files, workspace, "MEMORY.md")
		files = appendMatching(files, workspace.Join("memory"), "*.md")
	}
	return files, outside
}

// appendMatching appends the files of a folder whose names match a pattern. A folder that cannot be read has none.
func appendMatching(files []rooted.File, folder rooted.File, pattern string) []rooted.File {
	entries, _ := folder.List()
	for _, entry := range entries {
		if matches, _ := path.Match(pattern, entry.Name()); matches {
			files = append(files, folder.Join(entry.Name()))
		}
	}
	return files
}

// workspaces lists the folders that agents work in. OpenClaw keeps them in its state folder unless it is told
// otherwise. Several agents may have folders in one that the configuration names.
func workspaces(state, home string) (inside []rooted.File, outside []string) {
	top := rooted.File{Path: rooted.Of(state, "."), Shown: state}
	inside = appendMatching(nil, top, "workspace*")
	for _, name := range configuredWorkspaces(top.Path) {
		absolute, known := ExpandPath(name, home)
		if !known {
			continue
		}
		below, ok := relativeTo(state, absolute)
		if !ok {
			outside = append(outside, absolute)
			continue
		}
		named := top.Join(filepath.ToSlash(below))
		inside = append(append(inside, named), appendMatching(nil, named, "*")...)
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(inside, func(folder rooted.File) bool {
		known := seen[folder.Shown]
		seen[folder.Shown] = true
		info, err := folder.Stat()
		return known || err != nil || !info.IsDir()
	}), slices.Compact(outside)
}

// relativeTo returns the path below a folder of an absolute path.
func relativeTo(folder, absolute string) (below string, ok bool) {
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", false
	}
	below, err = filepath.Rel(from, absolute)
	return below, err == nil && filepath.IsLocal(below)
}

// configuredWorkspaces returns the workspaces that the configuration of a state folder names.
func configuredWorkspaces(state rooted.Path) []string {
	for _, name := range ConfigNames {
		file, err := state.Join(name).Open()
		if err != nil {
			continue
		}
		config, err := ParseConfig(file)
		file.Close()
		if err == nil {
			return NewConfig(config).Workspaces
		}
	}
	return nil
}
