package main

import "syscall"

// closedPipeErrnos are Windows' ways to say that nobody reads a pipe: ERROR_BROKEN_PIPE and ERROR_NO_DATA.
var closedPipeErrnos = []error{syscall.Errno(109), syscall.Errno(232)}
