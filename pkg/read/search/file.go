package search

import (
	"path"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/read/parts"
)

// CleanFile returns a path in the form in which paths are compared.
func CleanFile(file string) string {
	if file == "" {
		return ""
	}
	return path.Clean(strings.ReplaceAll(file, `\`, "/"))
}

// FileName returns the last element of a path, which is in every call that reads or changes the file.
func FileName(file string) string { return path.Base(CleanFile(file)) }

// touches reports whether a part is a call that reads or changes the file. A path that does not begin at the root may
// be the end of the one in the call.
func (s *Scope) touches(p *parts.Part) bool {
	if p.Kind != parts.Call {
		return false
	}
	call := jsonl.ToolCall{Name: p.ToolName(), Arguments: string(p.Body.UTF8())}
	return slices.ContainsFunc(fileuse.All(call), func(use fileuse.Use) bool {
		used := CleanFile(use.Path)
		return used == s.File || !path.IsAbs(s.File) && strings.HasSuffix(used, "/"+s.File)
	})
}
