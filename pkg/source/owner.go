package source

import (
	"path/filepath"

	"clawctl/pkg/dialect"
)

// FolderOwner returns the program whose folder the session is a file in, or nil.
func (s *Session) FolderOwner() *dialect.Program {
	if s.InDatabase || s.Root == "" {
		return nil
	}
	return folderOwner(filepath.Dir(filepath.Join(s.Root, filepath.FromSlash(s.Below))))
}

// folderOwner returns the program that a folder belongs to, or nil.
func folderOwner(folder string) *dialect.Program {
	return dialect.FolderOwner(filepath.ToSlash(folder))
}
