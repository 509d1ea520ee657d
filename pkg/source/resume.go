package source

import (
	"cmp"

	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
)

// Resume returns the command with which a shell continues the session in the program that wrote it, or "" if that
// program would not find it. headerID and cwd are what its records say, or "".
func (s *Session) Resume(d jsonl.Dialect, headerID, cwd string, env dialect.Environment) string {
	if s.Kind != Live || s.InStore() || s.inBundle || !s.InDatabase && !s.IsFile() {
		return ""
	}
	stored := dialect.LiveSession{ID: cmp.Or(headerID, s.ID), File: s.AbsolutePath(), Cwd: cwd}
	if s.Listed {
		stored.Key = s.Key
	}
	command := d.Writer(s.FolderOwner()).ResumeCommand(stored, env)
	if command != "" && d.Translated() != nil && s.header().Refusal != "" {
		return ""
	}
	return command
}
