package openclaw

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/openfile"
)

// Memories lists the files that agents keep their memories in: MEMORY.md and memory/*.md of the workspaces of a state
// folder, and of those that its configuration names. home is what ~ means in the configuration.
func Memories(state, home string) []string {
	var files []string
	for _, workspace := range workspaces(state, home) {
		for _, pattern := range []string{"MEMORY.md", filepath.Join("memory", "*.md")} {
			found, _ := filepath.Glob(filepath.Join(escapeGlob(workspace), pattern))
			files = append(files, found...)
		}
	}
	return slices.Compact(files)
}

// escapeGlob makes a path stand for itself in a pattern.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // Windows has no escapes
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// workspaces lists the folders that agents work in. OpenClaw keeps them in its state folder unless it is told
// otherwise.
func workspaces(state, home string) []string {
	folders, _ := filepath.Glob(filepath.Join(escapeGlob(state), "workspace*"))
	for _, path := range configuredWorkspaces(state) {
		if absolute, known := ExpandPath(path, home); known {
			inside, _ := filepath.Glob(filepath.Join(escapeGlob(absolute), "*", "MEMORY.md"))
			folders = append(folders, absolute)
			for _, file := range inside { // of several agents
				folders = append(folders, filepath.Dir(file))
			}
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(folders, func(folder string) bool {
		known := seen[filepath.Clean(folder)]
		seen[filepath.Clean(folder)] = true
		info, err := os.Stat(folder)
		return known || err != nil || !info.IsDir()
	})
}

// configuredWorkspaces returns the workspaces that the configuration of a state folder names.
func configuredWorkspaces(state string) []string {
	var paths []string
	root, err := os.OpenRoot(state)
	if err != nil {
		return nil
	}
	defer root.Close()
	for _, name := range ConfigNames {
		config, err := parseConfigIn(root, name)
		if err != nil {
			continue
		}
		object := func(value any) map[string]any { o, _ := value.(map[string]any); return o }
		agents := object(object(config)["agents"])
		all := []any{agents["defaults"]}
		for _, id := range slices.Sorted(maps.Keys(object(agents["entries"]))) {
			all = append(all, object(agents["entries"])[id])
		}
		list, _ := agents["list"].([]any)
		for _, agent := range append(all, list...) {
			if path, _ := object(agent)["workspace"].(string); strings.TrimSpace(path) != "" {
				paths = append(paths, strings.TrimSpace(path))
			}
		}
		return paths
	}
	return nil
}

func parseConfigIn(root *os.Root, name string) (any, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|openfile.NonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ParseConfig(file)
}
