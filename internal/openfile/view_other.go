//go:build !unix

package openfile

import (
	"errors"
	"os"
)

// mapPages is for systems on which others may shorten a file that is mapped here. Windows does not let them.
func mapPages(*os.File, int64, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapPages([]byte) error { return nil }
