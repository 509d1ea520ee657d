package cli

import (
	"syscall"

	"clawctl/internal/ui"
)

// closedPipeErrnos are Windows' ways to say that nobody reads a pipe: ERROR_BROKEN_PIPE and ERROR_NO_DATA.
var closedPipeErrnos = []error{syscall.Errno(109), syscall.Errno(232)}

// IsAbandoned is always false on Windows, where the next write tells.
func IsAbandoned(*ui.Stream) bool { return false }
