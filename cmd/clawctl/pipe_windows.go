package main

import (
	"syscall"

	"clawctl/internal/ui"
)

// closedPipeErrnos are Windows' ways to say that nobody reads a pipe: ERROR_BROKEN_PIPE and ERROR_NO_DATA.
var closedPipeErrnos = []error{syscall.Errno(109), syscall.Errno(232)}

// isAbandoned is always false on Windows, where the next write tells.
func isAbandoned(*ui.Stream) bool { return false }
